//! A ruleset as somebody wants to write it.

use g1t_kit::facts::{Stored, is_bypass};
use g1t_kit::{Fault, FieldError};
use serde::Deserialize;
use serde_json::{Value, json};

/// What errors are about.
pub const RESOURCE: &str = "Ruleset";
/// Every push and merge reads all rulesets: what is kept of one is bounded.
const MAX_BYTES: usize = 256 * 1024;
const TARGETS: [&str; 3] = ["branch", "tag", "push"];
const ENFORCEMENTS: [&str; 3] = ["active", "evaluate", "disabled"];
const APPLIES_TO: [&str; 3] = ["everyone", "people", "agents"];
const BYPASS_MODES: [&str; 4] = ["always", "pull_request", "pull_requests", "exempt"];
/// GitHub's words, then ours. Entries of GitHub's that name what is not had here (deploy keys, apps, roles made there) are
/// kept, and bypass nothing.
const ACTOR_TYPES: [&str; 12] = [
    "RepositoryRole",
    "OrganizationAdmin",
    "Team",
    "Integration",
    "DeployKey",
    "User",
    "role",
    "owner",
    "team",
    "user",
    "token",
    "system",
];

/// Types whose entries have to name somebody: ours, and GitHub's that means the same here.
const OWN_ACTOR_TYPES: [&str; 5] = ["User", "role", "team", "user", "token"];

fn actor_id_of(kind: &str) -> &'static str {
    match kind {
        "role" => "read, triage, write, maintain or admin",
        "team" => "the name of a team",
        "token" => "the id of a token, which begins with `tok_`",
        _ => "the number of a user",
    }
}

/// A ruleset as it comes in. A field that is left out stays as it is when a ruleset is changed.
#[derive(Debug, Default, Deserialize)]
pub struct Body {
    name: Option<String>,
    target: Option<String>,
    enforcement: Option<String>,
    conditions: Option<Conditions>,
    bypass_actors: Option<Vec<Value>>,
    rules: Option<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
struct Conditions {
    ref_name: Option<Patterns>,
    repository_name: Option<Patterns>,
    repository_id: Option<Value>,
    repository_property: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct Patterns {
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
}

impl Body {
    /// The ruleset that this makes of the one there is. What its patterns and rules may be, the judge says.
    ///
    /// # Errors
    /// [`Fault::Validation`] naming every field.
    pub fn over(self, stored: Stored) -> Result<Stored, Fault> {
        let mut errors = Vec::new();
        let mut stored = stored;
        take(
            &mut stored.name,
            self.name.map(|name| name.trim().to_owned()),
        );
        take(&mut stored.target, self.target);
        take(&mut stored.enforcement, self.enforcement);
        one_of("target", &stored.target, &TARGETS, &mut errors);
        if stored.enforcement.is_empty() {
            errors.push(FieldError::missing(RESOURCE, "enforcement"));
        } else {
            one_of(
                "enforcement",
                &stored.enforcement,
                &ENFORCEMENTS,
                &mut errors,
            );
        }
        if let Some(conditions) = self.conditions {
            take_conditions(&mut stored, conditions, &mut errors);
        }
        if let Some(mut actors) = self.bypass_actors {
            check_bypass(&actors, &mut errors);
            actors.iter_mut().for_each(without_exempt);
            stored.bypass = json!(actors);
        }
        if let Some(rules) = self.rules {
            check_rules(&rules, &mut errors);
            stored.rules = json!(rules);
        }
        let bytes = stored.rules.to_string().len() + stored.bypass.to_string().len();
        if bytes > MAX_BYTES {
            errors.push(invalid(
                "rules",
                format!("must be at most {MAX_BYTES} bytes of JSON"),
            ));
        }
        if errors.is_empty() {
            Ok(stored)
        } else {
            Err(Fault::validation(errors))
        }
    }
}

/// What a new ruleset is before anything is said about it.
pub fn blank(of_workspace: bool) -> Stored {
    Stored {
        of_workspace,
        target: "branch".to_owned(),
        bypass: json!([]),
        rules: json!([]),
        ..Stored::default()
    }
}

fn take(field: &mut String, value: Option<String>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn invalid(field: &str, message: impl Into<String>) -> FieldError {
    FieldError::invalid(RESOURCE, field, message)
}

fn one_of(field: &str, word: &str, words: &[&str], errors: &mut Vec<FieldError>) {
    if !words.contains(&word) {
        errors.push(invalid(
            field,
            format!("must be one of {}", words.join(", ")),
        ));
    }
}

/// A condition that is not had here would make a ruleset hold elsewhere than it says: it is refused.
fn take_conditions(stored: &mut Stored, conditions: Conditions, errors: &mut Vec<FieldError>) {
    if let Some(names) = conditions.ref_name {
        stored.include = names.include;
        stored.exclude = names.exclude;
    }
    if let Some(names) = conditions.repository_name {
        if !names.exclude.is_empty() {
            let why = "repositories are named by `include` only; leave `exclude` empty";
            errors.push(invalid("conditions.repository_name.exclude", why));
        }
        stored.repositories = names.include;
    }
    let others = [
        ("repository_id", conditions.repository_id),
        ("repository_property", conditions.repository_property),
    ];
    for (name, condition) in others {
        if condition.is_some_and(|value| !value.is_null()) {
            let why = "repositories are told apart by `repository_name` only; leave this out";
            errors.push(invalid(&format!("conditions.{name}"), why));
        }
    }
}

fn check_bypass(actors: &[Value], errors: &mut Vec<FieldError>) {
    for (position, actor) in actors.iter().enumerate() {
        let path = format!("bypass_actors[{position}]");
        let kind = actor["actor_type"].as_str().unwrap_or_default();
        one_of(&format!("{path}.actor_type"), kind, &ACTOR_TYPES, errors);
        if OWN_ACTOR_TYPES.contains(&kind) && !is_bypass(actor) {
            let why = format!("names nobody: of type `{kind}` it is {}", actor_id_of(kind));
            errors.push(invalid(&format!("{path}.actor_id"), why));
        }
        let mode = &actor["bypass_mode"];
        if !mode.is_null() {
            let mode = mode.as_str().unwrap_or_default();
            one_of(&format!("{path}.bypass_mode"), mode, &BYPASS_MODES, errors);
        }
    }
}

/// `exempt` is GitHub's word for a bypass that asks no questions. There is none of those here: it is shown as what it does.
fn without_exempt(actor: &mut Value) {
    if actor["bypass_mode"] == "exempt" {
        actor["bypass_mode"] = json!("always");
    }
}

fn check_rules(rules: &[Value], errors: &mut Vec<FieldError>) {
    for (position, rule) in rules.iter().enumerate() {
        let path = format!("rules[{position}]");
        if rule["type"].as_str().is_none_or(str::is_empty) {
            let field = format!("{path}.type");
            errors.push(FieldError::missing(RESOURCE, &field));
        }
        let applies_to = &rule["applies_to"];
        if !applies_to.is_null() {
            let word = applies_to.as_str().unwrap_or_default();
            one_of(&format!("{path}.applies_to"), word, &APPLIES_TO, errors);
        }
    }
}

#[cfg(test)]
mod tests;
