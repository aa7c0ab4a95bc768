use serde_json::Value;

use crate::bindings::g1t::rules::types;
use crate::db::{Db, DbError, Row};
use crate::facts::gather::role;
use crate::{Repository, params};

/// A ruleset as its row has it, or as somebody wants to write it.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Its number; 0 for one that is not written yet.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// True for a ruleset of the workspace.
    pub of_workspace: bool,
    /// `branch`, `tag` or `push`.
    pub target: String,
    /// `active`, `evaluate` or `disabled`.
    pub enforcement: String,
    /// Patterns of refs it covers.
    pub include: Vec<String>,
    /// Patterns of refs it does not.
    pub exclude: Vec<String>,
    /// Patterns of repositories, for one of the workspace.
    pub repositories: Vec<String>,
    /// `[{actor_type, actor_id, bypass_mode}]`, as it was written.
    pub bypass: Value,
    /// `[{type, parameters, applies_to}]`, as it was written.
    pub rules: Value,
}

impl Stored {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            of_workspace: row.get("of_workspace")?,
            target: row.get("target")?,
            enforcement: row.get("enforcement")?,
            include: row.get("include")?,
            exclude: row.get("exclude")?,
            repositories: row.get("repositories")?,
            bypass: row.get("bypass")?,
            rules: row.get("rules")?,
        })
    }

    /// As the judge takes it. A bypass entry that does not read bypasses nothing.
    pub fn ruleset(&self) -> types::Ruleset {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        types::Ruleset {
            id: u64::try_from(self.id).unwrap_or_default(),
            name: self.name.clone(),
            source: if self.of_workspace {
                types::Source::Workspace
            } else {
                types::Source::Repository
            },
            target: match self.target.as_str() {
                "tag" => types::Target::Tag,
                "push" => types::Target::Push,
                _ => types::Target::Branch,
            },
            enforcement: match self.enforcement.as_str() {
                "disabled" => types::Enforcement::Disabled,
                "evaluate" => types::Enforcement::Evaluate,
                _ => types::Enforcement::Active,
            },
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            repositories: self.repositories.clone(),
            bypass: list(&self.bypass).iter().filter_map(bypass).collect(),
            rules: list(&self.rules).iter().map(rule).collect(),
        }
    }
}

fn rule(stored: &Value) -> types::Rule {
    types::Rule {
        kind: stored["type"].as_str().unwrap_or_default().to_owned(),
        parameters: match &stored["parameters"] {
            Value::Null => "{}".to_owned(),
            parameters => parameters.to_string(),
        },
        applies_to: match stored["applies_to"].as_str() {
            Some("people") => types::AppliesTo::People,
            Some("agents") => types::AppliesTo::Agents,
            _ => types::AppliesTo::Everyone,
        },
    }
}

/// True when an entry of a bypass list names somebody who could bypass here.
pub fn is_bypass(entry: &Value) -> bool {
    bypass(entry).is_some()
}

/// GitHub's words for who bypasses, and ours.
fn bypass(stored: &Value) -> Option<types::Bypass> {
    let number = stored["actor_id"].as_u64();
    let text = stored["actor_id"].as_str();
    let actor = match stored["actor_type"].as_str()? {
        "OrganizationAdmin" | "owner" => types::BypassActor::Owner,
        "RepositoryRole" | "role" => types::BypassActor::Role(named_role(number, text)?),
        "Team" | "team" => types::BypassActor::Team(
            text.map(str::to_owned)
                .or_else(|| number.map(|id| id.to_string()))?,
        ),
        "User" | "user" => types::BypassActor::User(number?),
        "Integration" | "token" => types::BypassActor::Token(text?.to_owned()),
        "system" => types::BypassActor::System,
        _ => return None,
    };
    let mode = match stored["bypass_mode"].as_str() {
        Some("pull_request" | "pull_requests") => types::BypassMode::PullRequests,
        _ => types::BypassMode::Always,
    };
    Some(types::Bypass { actor, mode })
}

/// GitHub's numbers of its built-in roles, and our words.
fn named_role(number: Option<u64>, name: Option<&str>) -> Option<types::Role> {
    let word = match (number, name) {
        (Some(1), _) => "read",
        (Some(2), _) => "maintain",
        (Some(3), _) => "triage",
        (Some(4), _) => "write",
        (Some(5), _) => "admin",
        (_, Some(name)) => name,
        _ => return None,
    };
    role(word)
}

/// Every ruleset that a repository may be under, its own first; which of them cover a ref, the judge says.
///
/// # Errors
/// What the database says.
pub async fn rulesets(db: &Db, repository: &Repository) -> Result<Vec<types::Ruleset>, DbError> {
    let sql = include_str!("../sql/facts_rulesets.sql");
    let rows = db
        .query(sql, params![repository.workspace_id, repository.id])
        .await?;
    rows.iter()
        .map(|row| Ok(Stored::from_row(row)?.ruleset()))
        .collect()
}
