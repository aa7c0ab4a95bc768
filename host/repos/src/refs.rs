//! Moving branches.

use crate::error::Doing;
use crate::limits::WRITE_TIME;
use crate::names::{branch_ref, is_queue_ref, queue_branch_ref};
use crate::store::RepoLock;
use crate::{Error, Landed, Oid, Repos, Result};

impl Repos {
    /// Moves a branch of the locked repository from `expected` to `commit`, which must contain it: a compare-and-swap.
    /// Where it takes longer than it may, the repository stays locked until it has ended.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a queue branch, and when `commit` does not contain `expected`: the branch would lose commits.
    pub async fn land(
        &self,
        lock: &RepoLock,
        branch: &str,
        expected: Oid,
        commit: Oid,
    ) -> Result<Landed> {
        let full = branch_ref(branch)?;
        if is_queue_ref(&full) {
            return Err(Error::Invalid(format!(
                "{branch} is a queue branch: nothing lands there"
            )));
        }
        let held = lock.hold();
        self.work(lock.repository(), WRITE_TIME, move |work| {
            let _held = held;
            let commit = work.commit(commit)?.id();
            let Some(current) = work.ref_target(&full)? else {
                return Ok(Landed::Moved(Oid::zero()));
            };
            if work.contains(current, commit)? {
                return Ok(Landed::Already);
            }
            if current != expected.0 {
                return Ok(Landed::Moved(Oid(current)));
            }
            if !work.contains(commit, current)? {
                return Err(Error::Invalid(format!(
                    "{commit} does not contain {expected}: landing it would lose commits"
                )));
            }
            work.check_time()?;
            match work
                .repo
                .reference_matching(&full, commit, true, expected.0, "")
            {
                Ok(_) => Ok(Landed::Landed),
                // Somebody outside this process was quicker.
                Err(error) if error.code() == git2::ErrorCode::Modified => Ok(Landed::Moved(
                    work.ref_target(&full)?.map_or_else(Oid::zero, Oid),
                )),
                Err(error) => Err(error).doing("move the branch"),
            }
        })
        .await
    }

    /// Removes a queue branch. Nothing happens when it is gone already.
    pub async fn remove_queue_branch(&self, repository: u64, branch: &str) -> Result<()> {
        let full = queue_branch_ref(branch)?;
        self.work(repository, WRITE_TIME, move |work| {
            let removed = work
                .repo
                .find_reference(&full)
                .and_then(|mut reference| reference.delete());
            match removed {
                Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(()),
                removed => removed.doing("remove the queue branch"),
            }
        })
        .await
    }
}
