//! The facts of a push.

use chrono::Utc;
use g1t_repos::{PushFacts, RefUpdate};

use super::smart::Target;
use crate::bindings::app::g1t::rules::types as wit;
use crate::capability::git::convert;
use crate::identity::Actor;

/// What the judge may know of one ref of a push.
pub(super) fn of_update(
    target: &Target,
    actor: &Actor,
    update: &RefUpdate,
    facts: PushFacts,
) -> wit::Facts {
    let commits_cut = facts.commits.cut;
    let files_cut = facts.files.cut;
    wit::Facts {
        moment: wit::Moment::Push,
        now: Utc::now().timestamp_millis(),
        given: wit::Parts {
            commits: true,
            files: true,
            reviews: false,
            code_owners: false,
            checks: false,
            work_items: false,
        },
        actor: wit::Actor {
            id: actor.id.unsigned_abs(),
            login: actor.login.clone(),
            kind: match actor.kind.as_str() {
                "agent" => wit::ActorKind::Agent,
                "system" => wit::ActorKind::System,
                _ => wit::ActorKind::Person,
            },
            role: role(target.role),
            owner: target.owner,
            teams: Vec::new(),
            token: Some(actor.token.clone()),
            acts_for: actor.acts_for.map(i64::unsigned_abs),
        },
        repository: wit::Repository {
            id: target.repository.unsigned_abs(),
            workspace: target.workspace_name.clone(),
            name: target.name.clone(),
            default_branch: target.default_branch.clone(),
            private: target.private,
            topics: target.topics.clone(),
        },
        ref_change: wit::RefChange {
            name: update.name.clone(),
            old: update.old.to_string(),
            new: update.new.to_string(),
            fast_forward: facts.fast_forward,
        },
        commits: facts
            .commits
            .commits
            .into_iter()
            .map(convert::commit)
            .collect(),
        commits_cut,
        files: facts.files.files.into_iter().map(convert::file).collect(),
        files_cut,
        pull_request: None,
        reviews: Vec::new(),
        code_owners: Vec::new(),
        checks: Vec::new(),
        work_items: Vec::new(),
        more: Vec::new(),
    }
}

fn role(rank: i32) -> wit::Role {
    match rank {
        1 => wit::Role::Read,
        2 => wit::Role::Triage,
        3 => wit::Role::Write,
        4 => wit::Role::Maintain,
        5 => wit::Role::Admin,
        _ => wit::Role::None,
    }
}
