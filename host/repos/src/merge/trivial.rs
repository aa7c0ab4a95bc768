//! Merges that need no git process. What makes one trivial, and why that is safe, is told in [`super`].

use std::collections::HashSet;

use super::apply;
use super::changes::{Change, Changes, Scope, changes};
use crate::Result;
use crate::store::Work;

/// The merged tree; none when git has to be asked.
pub(super) fn merge(
    work: &Work,
    base: Option<&git2::Tree<'_>>,
    ours: &git2::Tree<'_>,
    theirs: &git2::Tree<'_>,
) -> Result<Option<git2::Oid>> {
    let Some(their_changes) = changes(work, base, theirs, Scope::Everywhere)? else {
        return Ok(None);
    };
    // Ours is the base branch with all that was landed, theirs one pull request: the less of ours is read, the better.
    let scope = if their_changes.values().any(is_added) {
        Scope::Everywhere
    } else {
        Scope::Where(Some(theirs))
    };
    let Some(our_changes) = changes(work, base, ours, scope)? else {
        return Ok(None);
    };
    let is_trivial = !is_changed_differently(&our_changes, &their_changes)
        && !may_rename_matter(&our_changes, &their_changes)
        && !may_rename_matter(&their_changes, &our_changes)
        && !is_file_and_folder(&our_changes, &their_changes);
    if is_trivial {
        apply::apply(work, ours, &their_changes)
    } else {
        Ok(None)
    }
}

fn is_changed_differently(ours: &Changes, theirs: &Changes) -> bool {
    let (few, many) = if ours.len() < theirs.len() {
        (ours, theirs)
    } else {
        (theirs, ours)
    };
    few.iter()
        .any(|(path, change)| many.get(path).is_some_and(|other| other != change))
}

/// Whether a rename of `side`, if there is one, could carry something of `other` along.
///
/// A path that both deleted counts without looking for an addition that could be its new name: that may lie in a folder that
/// was not read.
fn may_rename_matter(side: &Changes, other: &Changes) -> bool {
    let mut deleted = side.iter().filter(|(_, change)| is_deleted(change));
    let has_renames = side.values().any(is_added) && side.values().any(is_deleted);
    (has_renames && other.values().any(is_added))
        || deleted.any(|(path, _)| other.contains_key(path))
}

fn is_file_and_folder(ours: &Changes, theirs: &Changes) -> bool {
    let moved = || {
        ours.iter()
            .chain(theirs)
            .filter(|(_, change)| is_added(change) || is_deleted(change))
    };
    if !ours.values().chain(theirs.values()).any(is_added) {
        return false;
    }
    let paths: HashSet<&[u8]> = moved().map(|(path, _)| path.as_slice()).collect();
    moved().any(|(path, _)| {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .filter_map(|(at, _)| path.get(..at))
            .any(|parent| paths.contains(parent))
    })
}

fn is_added(change: &Change) -> bool {
    match change {
        Change::Added(_) => true,
        Change::Modified(_) | Change::Deleted => false,
    }
}

fn is_deleted(change: &Change) -> bool {
    match change {
        Change::Deleted => true,
        Change::Added(_) | Change::Modified(_) => false,
    }
}
