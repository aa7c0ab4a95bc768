//! What is wrong with a ruleset that somebody wants to write.
//!
//! Fields are named as the API's ruleset has them: `conditions.ref_name.include[0]`, `bypass_actors[1]`,
//! `rules[2].parameters.required_approving_review_count`.

use std::collections::BTreeSet;

use crate::fields::error;
use crate::limits::{BYPASSES, NAME_CHARS, PARAMETERS_BYTES, PATTERNS, RULES};
use crate::pattern;
use crate::rules::merge_queue::MergeQueue;
use crate::rules::{Entry, Kind, RuleType};
use crate::sentence;
use crate::types::{
    AppliesTo, Bypass, BypassActor, FieldError, Role, Rule, Ruleset, Source, Target,
};

const INCLUDE: &str = "conditions.ref_name.include";
const EXCLUDE: &str = "conditions.ref_name.exclude";
const REPOSITORIES: &str = "conditions.repository_name.include";

/// Every error at once; empty when the ruleset is taken in. A ruleset that is disabled or tried out is checked alike: it
/// may be switched on later.
pub fn check_ruleset(ruleset: &Ruleset) -> Vec<FieldError> {
    let mut errors = Vec::new();
    name(&ruleset.name, &mut errors);
    patterns(INCLUDE, &ruleset.include, &mut errors);
    patterns(EXCLUDE, &ruleset.exclude, &mut errors);
    repositories(ruleset, &mut errors);
    at_most(BYPASSES, "bypass_actors", ruleset.bypass.len(), &mut errors);
    for (position, entry) in ruleset.bypass.iter().take(BYPASSES).enumerate() {
        bypass(position, entry, &mut errors);
    }
    at_most(RULES, "rules", ruleset.rules.len(), &mut errors);
    let mut seen = BTreeSet::new();
    for (position, one) in ruleset.rules.iter().take(RULES).enumerate() {
        rule(position, one, ruleset.target, &mut errors);
        if !seen.insert((&one.kind, &one.parameters, group(one.applies_to))) {
            let message = "repeats an earlier rule; leave one of them out".to_owned();
            errors.push(error(&format!("rules[{position}]"), "invalid", message));
        }
    }
    errors
}

fn name(name: &str, errors: &mut Vec<FieldError>) {
    if name.trim().is_empty() {
        errors.push(error("name", "missing", "must be given".to_owned()));
    } else if name.chars().count() > NAME_CHARS || name.chars().any(char::is_control) {
        let message = format!("must be one line of at most {NAME_CHARS} characters");
        errors.push(error("name", "invalid", message));
    }
}

fn patterns(field: &str, patterns: &[String], errors: &mut Vec<FieldError>) {
    at_most(PATTERNS, field, patterns.len(), errors);
    for (position, text) in patterns.iter().take(PATTERNS).enumerate() {
        if let Err(reason) = pattern::well_formed(text) {
            let field = format!("{field}[{position}]");
            errors.push(error(&field, "invalid", reason.to_string()));
        }
    }
}

fn repositories(ruleset: &Ruleset, errors: &mut Vec<FieldError>) {
    match ruleset.source {
        Source::Workspace => patterns(REPOSITORIES, &ruleset.repositories, errors),
        Source::Repository if ruleset.repositories.is_empty() => {}
        Source::Repository => {
            let message = "must be left out: the ruleset belongs to one repository";
            errors.push(error(REPOSITORIES, "invalid", message.to_owned()));
        }
    }
}

fn at_most(limit: usize, field: &str, length: usize, errors: &mut Vec<FieldError>) {
    if length > limit {
        let message = format!("must be a list of at most {limit} entries");
        errors.push(error(field, "unprocessable", message));
    }
}

fn bypass(position: usize, entry: &Bypass, errors: &mut Vec<FieldError>) {
    let message = match &entry.actor {
        BypassActor::Role(Role::None) => "must name a role; `none` would let everybody bypass",
        BypassActor::Team(team) if team.trim().is_empty() => "must name a team",
        BypassActor::User(0) => "must name a user by number",
        BypassActor::Token(token) if token.trim().is_empty() => "must name a token",
        BypassActor::Role(_)
        | BypassActor::Owner
        | BypassActor::Team(_)
        | BypassActor::User(_)
        | BypassActor::Token(_)
        | BypassActor::System => return,
    };
    let field = format!("bypass_actors[{position}]");
    errors.push(error(&field, "invalid", message.to_owned()));
}

fn rule(position: usize, rule: &Rule, target: Target, errors: &mut Vec<FieldError>) {
    let path = format!("rules[{position}]");
    let parameters = format!("{path}.parameters");
    match Kind::of(&rule.kind) {
        Kind::Known(entry) => {
            errors.extend((entry.check)(&rule.parameters, &parameters));
            errors.extend(wrong_target(entry, target, &path));
        }
        // The shape is the plugin's own, and checked against the schema it describes by whoever has the plugin.
        Kind::Plugin => {
            errors.extend(crate::fields::object(&rule.parameters, &parameters).err());
        }
        Kind::Unknown => {
            let message = format!("{} is no rule type known here", sentence::quote(&rule.kind));
            errors.push(error(&format!("{path}.type"), "invalid", message));
            if rule.parameters.len() > PARAMETERS_BYTES {
                let message = format!("must be at most {PARAMETERS_BYTES} bytes of JSON");
                errors.push(error(&parameters, "invalid", message));
            }
        }
    }
    if rule.kind == MergeQueue::KIND && rule.applies_to != AppliesTo::Everyone {
        let message =
            "must be `everyone`: a branch has one queue, and all its merges go through it";
        errors.push(error(
            &format!("{path}.applies_to"),
            "invalid",
            message.to_owned(),
        ));
    }
}

fn wrong_target(entry: &Entry, target: Target, path: &str) -> Option<FieldError> {
    if entry.targets.contains(&target) {
        return None;
    }
    let allowed = sentence::choice(entry.targets.iter().map(|target| target_name(*target)));
    let message = format!("holds only in a ruleset whose target is {allowed}; move it to one");
    Some(error(&format!("{path}.type"), "unprocessable", message))
}

fn target_name(target: Target) -> &'static str {
    match target {
        Target::Branch => "branch",
        Target::Tag => "tag",
        Target::Push => "push",
    }
}

/// A sortable stand-in, since the contract's enum has no order.
fn group(applies_to: AppliesTo) -> u8 {
    match applies_to {
        AppliesTo::Everyone => 0,
        AppliesTo::People => 1,
        AppliesTo::Agents => 2,
    }
}
