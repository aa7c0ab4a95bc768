//! `rebase`: each commit again, on top.

use crate::commit_object::{CommitObject, header, signature_line};
use crate::error::Doing;
use crate::limits::REPLAYED_COMMITS;
use crate::merge::{MergedTree, merge_commits, pick};
use crate::store::Work;
use crate::{Built, Error, Merged, Oid, Result, Step, diff, history};

use super::build::tree_of;

/// Most paths that are named when a branch cannot be replayed.
const NAMED_PATHS: usize = 1_000;

/// Replays the commits that `head` has and `onto` does not.
///
/// A commit that becomes empty is dropped; one that was empty from the start is kept, as `git rebase` does.
pub(super) fn replay(work: &Work, step: &Step, onto: git2::Oid, head: git2::Oid) -> Result<Built> {
    if history::merge_bases(work, onto, head)?.is_empty() {
        return Ok(Built::Unrelated);
    }
    let most = usize::try_from(REPLAYED_COMMITS).unwrap_or(usize::MAX);
    let (mut ids, cut) = history::ids(work, head, &[onto], most)?;
    if cut {
        return Ok(Built::TooManyCommits);
    }
    ids.reverse();
    let commits = ids
        .into_iter()
        .map(|id| work.repo.find_commit(id).doing("read a commit"))
        .collect::<Result<Vec<_>>>()?;
    let has_merges = commits.iter().any(|commit| commit.parent_count() > 1);
    let mut state = onto;
    for commit in commits.iter().filter(|commit| commit.parent_count() < 2) {
        work.check_time()?;
        match replay_one(work, step, state, commit)? {
            Replayed::Commit(id) => state = id,
            Replayed::Dropped => {}
            Replayed::Conflicting(paths) if has_merges => {
                return resolved_by_hand(work, onto, head, paths);
            }
            Replayed::Conflicting(paths) => return Ok(Built::Conflicting(paths)),
        }
    }
    if has_merges {
        let lost = lost_paths(work, onto, head, state)?;
        if !lost.is_empty() {
            return Ok(Built::NotRebasable(lost));
        }
    }
    let is_empty = tree_of(work, state)? == tree_of(work, onto)?;
    Ok(if is_empty {
        Built::Contained
    } else {
        Built::Candidate(Oid(state))
    })
}

enum Replayed {
    Commit(git2::Oid),
    Dropped,
    Conflicting(Vec<String>),
}

fn replay_one(
    work: &Work,
    step: &Step,
    state: git2::Oid,
    commit: &git2::Commit<'_>,
) -> Result<Replayed> {
    let parent = commit.parent_ids().next();
    if parent == Some(state) {
        return Ok(Replayed::Commit(commit.id()));
    }
    let tree = match pick(work, parent, state, commit.id())? {
        MergedTree::Clean(tree) => tree,
        MergedTree::Conflicting(paths) => return Ok(Replayed::Conflicting(paths)),
    };
    let was_empty = match parent {
        Some(parent) => tree_of(work, parent)? == commit.tree_id(),
        None => false,
    };
    if !was_empty && tree == tree_of(work, state)? {
        return Ok(Replayed::Dropped);
    }
    let author = header(commit, "author")
        .ok_or_else(|| Error::Invalid(format!("commit {} has no author", commit.id())))?;
    let again = CommitObject {
        tree,
        parents: vec![state],
        author,
        committer: signature_line(&step.committer, step.time_ms)?,
        encoding: header(commit, "encoding"),
        message: commit.message_raw_bytes().to_vec(),
    };
    Ok(Replayed::Commit(again.write(work)?))
}

/// A branch with merges whose replay conflicts in `paths`: where the head itself merges, a merge commit has the resolution,
/// and the replay would lose it.
fn resolved_by_hand(
    work: &Work,
    onto: git2::Oid,
    head: git2::Oid,
    paths: Vec<String>,
) -> Result<Built> {
    Ok(match merge_commits(work, onto, head)? {
        Merged::Clean(_) => Built::NotRebasable(paths),
        Merged::Conflicting(paths) => Built::Conflicting(paths),
        Merged::Contained => Built::Contained,
        Merged::Unrelated => Built::Unrelated,
    })
}

/// Paths in which the replayed state differs from what merging the head would give.
fn lost_paths(
    work: &Work,
    onto: git2::Oid,
    head: git2::Oid,
    state: git2::Oid,
) -> Result<Vec<String>> {
    let wanted = match merge_commits(work, onto, head)? {
        Merged::Clean(tree) => tree.0,
        Merged::Conflicting(paths) => return Ok(paths),
        Merged::Contained | Merged::Unrelated => return Ok(Vec::new()),
    };
    let replayed = tree_of(work, state)?;
    if wanted == replayed {
        return Ok(Vec::new());
    }
    let tree = |id| work.repo.find_tree(id).doing("read a tree");
    let differing = diff::files(work, Some(&tree(replayed)?), &tree(wanted)?, NAMED_PATHS)?;
    Ok(differing.files.into_iter().map(|file| file.path).collect())
}
