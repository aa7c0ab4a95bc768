//! Merging: the rules decide, then it lands at once, or joins the queue.

mod direct;
mod join;

use g1t_domain::MergeMethod;
use g1t_kit::db::Db;
use g1t_kit::pulls::{Pull, PullState, find};
use g1t_kit::{Fault, Reply, Repository, Request, git, git_types};
use serde::Deserialize;

pub use direct::landed;

use crate::head::head_of;
use crate::rules::{Heads, Wish, judge_merge};

/// How often a merge begins anew because the base branch moved under it.
const TRIES: usize = 3;

#[derive(Default, Deserialize)]
struct Body {
    commit_title: Option<String>,
    commit_message: Option<String>,
    sha: Option<String>,
    merge_method: Option<String>,
    /// Ours: lands at once although there is a queue, for those on its bypass list.
    #[serde(default)]
    bypass_queue: bool,
}

/// A merge that is asked for.
struct Asked<'a> {
    request: &'a Request,
    repository: &'a Repository,
    pull: Pull,
    heads: Heads,
    /// How it lands; known when it is judged, for a queue may have a method of its own.
    method: MergeMethod,
    title: Option<&'a str>,
    message: Option<&'a str>,
}

/// What came of a try to land.
enum Landing {
    Done(Reply),
    /// The base branch moved: what was judged and built no longer holds.
    BaseMoved,
}

/// Merges a pull request, or puts it into the queue.
pub async fn merge(
    request: &Request,
    repository: &Repository,
    number: i64,
) -> Result<Reply, Fault> {
    let body: Body = request.github_json_or_empty()?;
    let wish = Wish {
        method: asked_method(&body)?,
        bypass_queue: body.bypass_queue,
    };
    for _ in 0..TRIES {
        let db = Db::open().await?;
        let pull = find(&db, repository, number).await?;
        if let Some(reply) = direct::finish(repository, &pull).await? {
            return Ok(reply);
        }
        let mut asked = asked(request, repository, pull, &body).await?;
        let (pull, heads) = (&asked.pull, &asked.heads);
        let judged = judge_merge(&db, request, repository, pull, heads, wish).await?;
        judged.require()?;
        asked.method = judged.method;
        if judged.is_for_queue {
            return join::join(db, asked).await;
        }
        match direct::land(db, &asked).await? {
            Landing::Done(reply) => return Ok(reply),
            Landing::BaseMoved => {}
        }
    }
    Err(Fault::conflict(
        "base_moved",
        "Base branch was modified. Review and try the merge again.",
    ))
}

async fn asked<'a>(
    request: &'a Request,
    repository: &'a Repository,
    pull: Pull,
    body: &'a Body,
) -> Result<Asked<'a>, Fault> {
    match pull.state {
        PullState::Open => {}
        PullState::Draft => {
            return Err(Fault::not_mergeable(
                "Pull Request is still a draft: mark it ready first.",
            ));
        }
        PullState::Merged => return Err(Fault::not_mergeable("Pull Request is merged already.")),
        PullState::Closed => {
            return Err(Fault::not_mergeable(
                "Pull Request is closed: reopen it first.",
            ));
        }
    }
    let gone = |branch: &str| {
        Fault::not_mergeable(format!("The branch {branch} does not exist any more."))
    };
    let head = head_of(repository, &pull.head_branch)
        .await?
        .ok_or_else(|| gone(&pull.head_branch))?;
    let base = head_of(repository, &pull.base_branch)
        .await?
        .ok_or_else(|| gone(&pull.base_branch))?;
    if body.sha.as_ref().is_some_and(|sha| *sha != head) {
        return Err(Fault::conflict(
            "head_moved",
            "Head branch was modified. Review and try the merge again.",
        ));
    }
    Ok(Asked {
        request,
        repository,
        pull,
        heads: Heads { head, base },
        method: MergeMethod::Merge,
        title: body.commit_title.as_deref(),
        message: body.commit_message.as_deref(),
    })
}

fn asked_method(body: &Body) -> Result<Option<MergeMethod>, Fault> {
    let method = body.merge_method.as_deref().map(MergeMethod::parse);
    method
        .transpose()
        .map_err(|error| Fault::field("PullRequest", "merge_method", error.to_string()))
}

/// 405 that names the paths.
fn conflicting(pull: &Pull, paths: &[String]) -> Fault {
    Fault::not_mergeable(format!(
        "Pull Request is not mergeable: it conflicts with {} in {}. Merge or rebase onto it and resolve the conflict.",
        pull.base_branch,
        paths.join(", ")
    ))
}

/// 405 for a branch that was put on another history since it was proposed.
fn unrelated(pull: &Pull) -> Fault {
    Fault::not_mergeable(format!(
        "Pull Request is not mergeable: {} has no commit in common with {}. Make the change on a branch of it.",
        pull.head_branch, pull.base_branch
    ))
}

/// Nothing when merging gives no conflict.
async fn require_no_conflict(asked: &Asked<'_>) -> Result<(), Fault> {
    let (base, head) = (asked.heads.base.clone(), asked.heads.head.clone());
    match git::merge_check(asked.repository.git_id(), base, head).await? {
        git_types::Merged::Clean(_) | git_types::Merged::Contained => Ok(()),
        git_types::Merged::Conflicting(paths) => Err(conflicting(&asked.pull, &paths)),
        git_types::Merged::Unrelated => Err(unrelated(&asked.pull)),
    }
}
