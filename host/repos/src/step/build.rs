//! The four methods.

use crate::commit_object::{CommitObject, message, signature_line};
use crate::error::Doing;
use crate::limits::WRITE_TIME;
use crate::merge::merge_commits;
use crate::names::queue_branch_ref;
use crate::store::Work;
use crate::{Built, MergeMethod, Merged, Oid, Repos, Result, Step};

use super::replay::replay;

impl Repos {
    /// Lands one entry on a state, as commits that no branch but `step.branch` shows. Safe to repeat.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Invalid`] for a branch that is no queue branch, and for a person that git cannot write.
    pub async fn build_queue_step(&self, repository: u64, step: Step) -> Result<Built> {
        let branch = step.branch.as_deref().map(queue_branch_ref).transpose()?;
        self.work(repository, WRITE_TIME, move |work| {
            let built = build(work, &step)?;
            if let (Built::Candidate(candidate), Some(branch)) = (&built, &branch) {
                // Also when it points elsewhere: what somebody put there is not what the queue tests.
                work.repo
                    .reference(branch, candidate.0, true, "")
                    .doing("set the queue branch")?;
            }
            Ok(built)
        })
        .await
    }
}

fn build(work: &Work, step: &Step) -> Result<Built> {
    let (onto, head) = (work.commit(step.onto)?.id(), work.commit(step.head)?.id());
    if work.contains(onto, head)? {
        return Ok(Built::Contained);
    }
    match step.method {
        MergeMethod::FastForward => {
            let is_ahead = work.contains(head, onto)?;
            Ok(if is_ahead {
                Built::Candidate(Oid(head))
            } else {
                Built::NotFastForward
            })
        }
        MergeMethod::Rebase => replay(work, step, onto, head),
        MergeMethod::Merge => one_commit(work, step, onto, vec![onto, head]),
        MergeMethod::Squash => one_commit(work, step, onto, vec![onto]),
    }
}

/// The one commit of `Merge` (two parents) and `Squash` (one).
fn one_commit(work: &Work, step: &Step, onto: git2::Oid, parents: Vec<git2::Oid>) -> Result<Built> {
    let is_squash = parents.len() == 1;
    let tree = match merge_commits(work, onto, work.commit(step.head)?.id())? {
        Merged::Clean(tree) => tree.0,
        Merged::Conflicting(paths) => return Ok(Built::Conflicting(paths)),
        Merged::Contained => return Ok(Built::Contained),
        Merged::Unrelated => return Ok(Built::Unrelated),
    };
    // A merge commit still records that the head is contained now; a squash of nothing records nothing.
    if is_squash && tree == tree_of(work, onto)? {
        return Ok(Built::Contained);
    }
    let author = if is_squash {
        &step.author
    } else {
        &step.committer
    };
    let commit = CommitObject {
        tree,
        parents,
        author: signature_line(author, step.time_ms)?,
        committer: signature_line(&step.committer, step.time_ms)?,
        encoding: None,
        message: message(&step.title, &step.body),
    };
    Ok(Built::Candidate(Oid(commit.write(work)?)))
}

pub(super) fn tree_of(work: &Work, commit: git2::Oid) -> Result<git2::Oid> {
    Ok(work
        .repo
        .find_commit(commit)
        .doing("read a commit")?
        .tree_id())
}
