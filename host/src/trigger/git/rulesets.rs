//! Rows of `rulesets` as the judge takes them.

use serde::Deserialize;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row};

use crate::bindings::app::g1t::rules::types as wit;

/// Every ruleset that a repository may be under; the judge says which cover a ref.
pub(super) async fn of_repository(
    pool: &PgPool,
    workspace: i64,
    repository: i64,
) -> Result<Vec<wit::Ruleset>, sqlx::Error> {
    let rows = sqlx::query(include_str!("../../sql/rulesets_of_repository.sql"))
        .bind(workspace)
        .bind(repository)
        .fetch_all(pool)
        .await?;
    rows.iter().map(ruleset).collect()
}

#[derive(Deserialize)]
struct StoredRule {
    r#type: String,
    #[serde(default)]
    parameters: Value,
    #[serde(default)]
    applies_to: Option<String>,
}

#[derive(Deserialize)]
struct StoredBypass {
    actor_type: String,
    #[serde(default)]
    actor_id: Option<Value>,
    #[serde(default)]
    bypass_mode: Option<String>,
}

fn ruleset(row: &PgRow) -> Result<wit::Ruleset, sqlx::Error> {
    let id: i64 = row.try_get("id")?;
    let target: String = row.try_get("target")?;
    let enforcement: String = row.try_get("enforcement")?;
    let rules: Vec<StoredRule> = read(row.try_get("rules")?)?;
    let bypass: Vec<StoredBypass> = read(row.try_get("bypass")?)?;
    Ok(wit::Ruleset {
        id: id.unsigned_abs(),
        name: row.try_get("name")?,
        source: if row.try_get("of_workspace")? {
            wit::Source::Workspace
        } else {
            wit::Source::Repository
        },
        target: match target.as_str() {
            "tag" => wit::Target::Tag,
            "push" => wit::Target::Push,
            _ => wit::Target::Branch,
        },
        enforcement: match enforcement.as_str() {
            "evaluate" => wit::Enforcement::Evaluate,
            _ => wit::Enforcement::Active,
        },
        include: row.try_get("include")?,
        exclude: row.try_get("exclude")?,
        repositories: row.try_get("repositories")?,
        bypass: bypass.into_iter().filter_map(bypass_entry).collect(),
        rules: rules
            .into_iter()
            .map(|rule| wit::Rule {
                kind: rule.r#type,
                parameters: match rule.parameters {
                    Value::Null => "{}".to_owned(),
                    parameters => parameters.to_string(),
                },
                applies_to: match rule.applies_to.as_deref() {
                    Some("people") => wit::AppliesTo::People,
                    Some("agents") => wit::AppliesTo::Agents,
                    _ => wit::AppliesTo::Everyone,
                },
            })
            .collect(),
    })
}

/// An entry that does not read bypasses nothing.
fn bypass_entry(stored: StoredBypass) -> Option<wit::Bypass> {
    let number = stored.actor_id.as_ref().and_then(Value::as_u64);
    let text = stored
        .actor_id
        .as_ref()
        .and_then(Value::as_str)
        .map(str::to_owned);
    let actor = match stored.actor_type.as_str() {
        "OrganizationAdmin" | "owner" => wit::BypassActor::Owner,
        "RepositoryRole" | "role" => wit::BypassActor::Role(role(number, text.as_deref())?),
        "Team" | "team" => {
            wit::BypassActor::Team(text.or_else(|| number.map(|id| id.to_string()))?)
        }
        "User" | "user" => wit::BypassActor::User(number?),
        "Integration" | "token" => wit::BypassActor::Token(text?),
        "system" => wit::BypassActor::System,
        _ => return None,
    };
    let mode = match stored.bypass_mode.as_deref() {
        Some("pull_request" | "pull_requests") => wit::BypassMode::PullRequests,
        _ => wit::BypassMode::Always,
    };
    Some(wit::Bypass { actor, mode })
}

/// GitHub's numbers of its built-in roles, and our words.
fn role(number: Option<u64>, name: Option<&str>) -> Option<wit::Role> {
    match (number, name) {
        (Some(1), _) | (_, Some("read")) => Some(wit::Role::Read),
        (Some(3), _) | (_, Some("triage")) => Some(wit::Role::Triage),
        (Some(4), _) | (_, Some("write")) => Some(wit::Role::Write),
        (Some(2), _) | (_, Some("maintain")) => Some(wit::Role::Maintain),
        (Some(5), _) | (_, Some("admin")) => Some(wit::Role::Admin),
        _ => None,
    }
}

fn read<T: for<'a> Deserialize<'a>>(value: Value) -> Result<T, sqlx::Error> {
    serde_json::from_value(value).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
