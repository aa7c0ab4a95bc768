//! Which rulesets cover a ref.
//!
//! A pattern that does not read errs on the strict side: it covers when it includes and spares nothing when it excludes.

use crate::pattern;
use crate::types::{Enforcement, RefChange, Repository, Ruleset, Source, Target};

/// Branches that g1t keeps for the states it tests.
const RESERVED: &str = "refs/heads/g1t-queue";

/// Whether a ref is g1t's own: everybody else is kept out, and no ruleset covers it.
pub(crate) fn is_reserved(ref_name: &str) -> bool {
    // A branch of the bare name would be a file where git needs the folder of all the others.
    ref_name
        .strip_prefix(RESERVED)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a ruleset holds, or is tried out, for a ref of a repository.
pub(crate) fn covers(ruleset: &Ruleset, repository: &Repository, ref_name: &str) -> bool {
    ruleset.enforcement != Enforcement::Disabled
        && !is_reserved(ref_name)
        && is_about(ruleset.target, ref_name)
        && covers_repository(ruleset, repository)
        && includes(ruleset, repository, ref_name)
}

fn is_about(target: Target, ref_name: &str) -> bool {
    match target {
        Target::Branch => ref_name.starts_with("refs/heads/"),
        Target::Tag => ref_name.starts_with("refs/tags/"),
        Target::Push => true,
    }
}

fn covers_repository(ruleset: &Ruleset, repository: &Repository) -> bool {
    match ruleset.source {
        Source::Repository => true,
        Source::Workspace => {
            ruleset.repositories.is_empty()
                || ruleset.repositories.iter().any(|pattern| {
                    pattern::covers_repository(pattern, &repository.workspace, &repository.name)
                        .unwrap_or(true)
                })
        }
    }
}

fn includes(ruleset: &Ruleset, repository: &Repository, ref_name: &str) -> bool {
    let covered_by = |pattern: &String, unread: bool| {
        pattern::covers_ref(pattern, ref_name, &repository.default_branch).unwrap_or(unread)
    };
    let every_ref = ruleset.target == Target::Push && ruleset.include.is_empty();
    let included = every_ref
        || ruleset
            .include
            .iter()
            .any(|pattern| covered_by(pattern, true));
    included
        && !ruleset
            .exclude
            .iter()
            .any(|pattern| covered_by(pattern, false))
}

/// Whether a move creates its ref.
pub(crate) fn creates(change: &RefChange) -> bool {
    is_zero(&change.old)
}

/// Whether a move deletes its ref.
pub(crate) fn deletes(change: &RefChange) -> bool {
    is_zero(&change.new)
}

/// The id that stands for "no object": zeros only. An empty text is no id and says nothing.
fn is_zero(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|digit| digit == b'0')
}
