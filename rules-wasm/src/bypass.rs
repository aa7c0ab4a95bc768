//! Who may bypass a ruleset.
//!
//! An agent acts for a person and never inherits what that person may bypass: only an entry that names the agent itself,
//! or its token, covers it.

use crate::types::{Actor, ActorKind, Bypass, BypassActor, BypassMode, Moment, Ruleset};

/// Whether the bypass list lets this actor through at this moment. On a candidate of the queue nobody is let through:
/// nothing untested lands.
pub(crate) fn allows(ruleset: &Ruleset, actor: &Actor, moment: Moment) -> bool {
    ruleset
        .bypass
        .iter()
        .any(|entry| counts_at(entry.mode, moment) && names(entry, actor))
}

fn counts_at(mode: BypassMode, moment: Moment) -> bool {
    match (mode, moment) {
        (_, Moment::Queue) => false,
        (_, Moment::Merge) => true,
        (BypassMode::Always, Moment::Push) => true,
        (BypassMode::PullRequests, Moment::Push) => false,
    }
}

fn names(entry: &Bypass, actor: &Actor) -> bool {
    let is_person = actor.kind == ActorKind::Person;
    match &entry.actor {
        BypassActor::Role(role) => is_person && actor.role >= *role,
        BypassActor::Owner => is_person && actor.owner,
        BypassActor::Team(team) => {
            let team = plain_team(team);
            is_person && actor.teams.iter().any(|own| plain_team(own) == team)
        }
        BypassActor::User(id) => actor.kind != ActorKind::System && actor.id == *id,
        BypassActor::Token(token) => actor.token.as_ref() == Some(token),
        BypassActor::System => actor.kind == ActorKind::System,
    }
}

/// `@acme/Core` and `core` are one team.
pub(crate) fn plain_team(name: &str) -> String {
    let own = name.rsplit('/').next().unwrap_or(name);
    own.trim_start_matches('@').to_lowercase()
}
