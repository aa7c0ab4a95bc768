//! What git says about a pull request now.

use g1t_kit::pulls::{MergeIntent, Mergeable, Pull};
use g1t_kit::types::File;
use g1t_kit::{Fault, Repository, git, git_types};

/// Files of one pull request that are kept for overlaps; more than anybody reviews.
const MAX_FILES: u32 = 10_000;

/// What is to be written about a pull request.
#[derive(Debug, PartialEq)]
pub enum Change {
    /// A branch it needs is gone.
    Closed(&'static str),
    /// Its merge was decided and git has it; only the record is missing.
    MergeFinished(MergeIntent),
    /// Somebody pushed it to the base branch, whose head this is.
    MergedByPush(String),
    /// It could not be looked at: how merging would go is not known.
    Unknown,
    /// It is open, and stands like this.
    Standing(Box<Standing>),
}

/// How an open pull request stands to its base.
#[derive(Debug, PartialEq)]
pub struct Standing {
    /// Its head.
    pub head: String,
    /// Head of its base branch.
    pub base: String,
    /// Commits that it has and the base lacks.
    pub ahead: u32,
    /// Commits that the base has and it lacks.
    pub behind: u32,
    /// How merging would go.
    pub mergeable: Mergeable,
    /// Paths that conflict.
    pub conflicts: Vec<String>,
    /// Files it changes; none when they are the same as before.
    pub files: Option<Vec<File>>,
}

/// Looks at a pull request. `is_new`: its files have never been read, or for another base. `is_landing`: the queue is
/// about to record its merge, which is not taken from it.
pub async fn look(
    repository: &Repository,
    pull: &Pull,
    is_new: bool,
    is_landing: bool,
) -> Result<Change, Fault> {
    let git_id = repository.git_id();
    let Some(base) = git::resolve(git_id, branch_ref(&pull.base_branch)).await? else {
        return Ok(Change::Closed("base_branch_deleted"));
    };
    if let Some(intent) = &pull.merge_intent
        && contains(git_id, &base, &intent.sha).await?
    {
        return Ok(Change::MergeFinished(intent.clone()));
    }
    let head = git::resolve(git_id, branch_ref(&pull.head_branch)).await?;
    // Its last known head counts too: the branch may be removed in the push that merges it.
    let is_merged =
        !is_landing && pull.ahead > 0 && contains(git_id, &base, &pull.head_sha).await?;
    let Some(head) = head else {
        return Ok(if is_merged {
            Change::MergedByPush(base)
        } else {
            Change::Closed("head_branch_deleted")
        });
    };
    if is_merged && contains(git_id, &base, &head).await? {
        return Ok(Change::MergedByPush(base));
    }
    let standing = standing(git_id, pull, head, base, is_new).await?;
    Ok(Change::Standing(Box::new(standing)))
}

async fn standing(
    git_id: u64,
    pull: &Pull,
    head: String,
    base: String,
    is_new: bool,
) -> Result<Standing, Fault> {
    let distance = git::distance(git_id, base.clone(), head.clone()).await?;
    let (mergeable, conflicts) = match git::merge_check(git_id, base.clone(), head.clone()).await? {
        git_types::Merged::Clean(_) | git_types::Merged::Contained => {
            (Mergeable::Clean, Vec::new())
        }
        git_types::Merged::Conflicting(paths) => (Mergeable::Conflicting, paths),
        // In no path, and with everything.
        git_types::Merged::Unrelated => (Mergeable::Conflicting, Vec::new()),
    };
    let files = if is_new || head != pull.head_sha {
        Some(
            git::changes(git_id, base.clone(), head.clone(), MAX_FILES)
                .await?
                .files,
        )
    } else {
        None
    };
    Ok(Standing {
        head,
        base,
        ahead: distance.ahead,
        behind: distance.behind,
        mergeable,
        conflicts,
        files,
    })
}

/// True when `commit` is `head` or is contained in it; false when the repository does not have it.
async fn contains(git_id: u64, head: &str, commit: &str) -> Result<bool, Fault> {
    match git::is_ancestor(git_id, commit.to_owned(), head.to_owned()).await {
        Ok(is_contained) => Ok(is_contained),
        Err(git_types::Error::NoObject(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}
