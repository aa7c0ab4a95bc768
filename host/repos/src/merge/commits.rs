//! Merging and picking commits: in process where that is exact, by git otherwise.

use super::{process, trivial};
use crate::error::Doing;
use crate::store::Work;
use crate::{Merged, Oid, Result, history};

/// What merging two trees gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MergedTree {
    /// The tree, written.
    Clean(git2::Oid),
    /// Paths that conflict, sorted.
    Conflicting(Vec<String>),
}

/// Merges `theirs` into `ours`.
pub(crate) fn merge_commits(work: &Work, ours: git2::Oid, theirs: git2::Oid) -> Result<Merged> {
    if work.contains(ours, theirs)? {
        return Ok(Merged::Contained);
    }
    let trivial = match history::merge_bases(work, ours, theirs)?.as_slice() {
        [] => return Ok(Merged::Unrelated),
        [base] => in_process(work, Some(*base), ours, theirs)?,
        [_, _, ..] => None,
    };
    let merged = match trivial {
        Some(tree) => MergedTree::Clean(tree),
        None => by_git(work, None, ours, theirs)?,
    };
    Ok(match merged {
        MergedTree::Clean(tree) => Merged::Clean(Oid(tree)),
        MergedTree::Conflicting(paths) => Merged::Conflicting(paths),
    })
}

/// Applies what `commit` changes against `parent` (none: against nothing) to `onto`: a cherry-pick.
pub(crate) fn pick(
    work: &Work,
    parent: Option<git2::Oid>,
    onto: git2::Oid,
    commit: git2::Oid,
) -> Result<MergedTree> {
    if let Some(tree) = in_process(work, parent, onto, commit)? {
        return Ok(MergedTree::Clean(tree));
    }
    let base = match parent {
        Some(parent) => parent,
        None => process::commit_of_nothing(work)?,
    };
    by_git(work, Some(base), onto, commit)
}

fn in_process(
    work: &Work,
    base: Option<git2::Oid>,
    ours: git2::Oid,
    theirs: git2::Oid,
) -> Result<Option<git2::Oid>> {
    let tree = |id| {
        work.repo
            .find_commit(id)
            .and_then(|commit| commit.tree())
            .doing("read a tree")
    };
    let base = base.map(tree).transpose()?;
    let merged = trivial::merge(work, base.as_ref(), &tree(ours)?, &tree(theirs)?)?;
    if merged.is_some() {
        work.merges.count_trivial();
    }
    Ok(merged)
}

fn by_git(
    work: &Work,
    base: Option<git2::Oid>,
    ours: git2::Oid,
    theirs: git2::Oid,
) -> Result<MergedTree> {
    work.check_time()?;
    work.merges.count_by_git();
    process::merge_tree(work, base, ours, theirs)
}
