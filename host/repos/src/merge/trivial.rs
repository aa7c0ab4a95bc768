//! Merges that need no git process. What makes one trivial, and why that is safe, is told in [`super`].

use std::collections::HashSet;

use super::apply;
use super::changes::{Change, Changes, changes};
use crate::Result;
use crate::store::Work;

/// The merged tree; none when git has to be asked.
pub(super) fn merge(
    work: &Work,
    base: Option<&git2::Tree<'_>>,
    ours: &git2::Tree<'_>,
    theirs: &git2::Tree<'_>,
) -> Result<Option<git2::Oid>> {
    let Some(our_changes) = changes(work, base, ours)? else {
        return Ok(None);
    };
    let Some(their_changes) = changes(work, base, theirs)? else {
        return Ok(None);
    };
    if !is_trivial(&our_changes, &their_changes) {
        return Ok(None);
    }
    // The result is the same either way; the shorter list is less to write.
    if our_changes.len() < their_changes.len() {
        apply::apply(work, theirs, &our_changes)
    } else {
        apply::apply(work, ours, &their_changes)
    }
}

/// True when taking the changes of both sides is what git does.
fn is_trivial(ours: &Changes, theirs: &Changes) -> bool {
    !is_changed_differently(ours, theirs)
        && !may_rename_matter(ours, theirs)
        && !may_rename_matter(theirs, ours)
        && !is_file_and_folder(ours, theirs)
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
fn may_rename_matter(side: &Changes, other: &Changes) -> bool {
    let mut deleted = side
        .iter()
        .filter(|(_, change)| is_deleted(change))
        .peekable();
    let has_renames = deleted.peek().is_some() && side.values().any(is_added);
    has_renames
        && (other.values().any(is_added) || deleted.any(|(path, _)| other.contains_key(path)))
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
