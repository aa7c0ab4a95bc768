//! Landing at once, without the queue.
//!
//! What the base branch is to be moved to is written down before git may move it. Then the pull request's row is held
//! while git moves the branch and the merge is recorded. Should the process die in between, whoever sees the base branch
//! contain the intent records it: the handler of pushes, or the next one to ask for the merge.

use g1t_kit::db::Db;
use g1t_kit::landing::{Landing as Plan, step};
use g1t_kit::pulls::{Merged, Place, Pull, record_merged};
use g1t_kit::{Fault, Reply, Repository, Transaction, git, git_types, git_write, params, time};
use serde_json::json;

use super::{Asked, Landing, conflicting, unrelated};
use crate::head::head_of;

/// Records a merge that git has and the database lacks; none when there is no such.
pub async fn finish(repository: &Repository, pull: &Pull) -> Result<Option<Reply>, Fault> {
    let Some(merged) = landed(repository, pull).await? else {
        return Ok(None);
    };
    let tx = Db::open().await?.begin().await?;
    record_merged(&tx, place(repository, pull), &merged).await?;
    tx.commit().await?;
    done(&merged.sha).map(Some)
}

/// A merge that git has and the database lacks.
pub async fn landed(repository: &Repository, pull: &Pull) -> Result<Option<Merged>, Fault> {
    let Some(intent) = pull.merge_intent.as_ref().filter(|_| pull.state.is_open()) else {
        return Ok(None);
    };
    let Some(base) = head_of(repository, &pull.base_branch).await? else {
        return Ok(None);
    };
    match git::is_ancestor(repository.git_id(), intent.sha.clone(), base).await {
        Ok(true) => Ok(Some(Merged {
            sha: intent.sha.clone(),
            by: Some(intent.actor),
            method: intent.method.word(),
        })),
        Ok(false) | Err(git_types::Error::NoObject(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Lands a pull request on its base branch.
pub async fn land(db: Db, asked: &Asked<'_>) -> Result<Landing, Fault> {
    let commit = build(asked).await?;
    let tx = db.begin().await?;
    let params = params![
        asked.pull.id,
        commit,
        asked.method.column(),
        asked.request.actor().id
    ];
    if tx
        .execute(include_str!("../sql/intent_set.sql"), params)
        .await?
        == 0
    {
        return Err(Fault::conflict(
            "pull_changed",
            "the pull request was merged or closed at this moment",
        ));
    }
    let tx = tx.commit().await?.begin().await?;
    let held = tx
        .optional(
            include_str!("../sql/intent_hold.sql"),
            params![asked.pull.id, commit],
        )
        .await?;
    if held.is_none() {
        return Err(Fault::conflict(
            "merge_in_progress",
            "somebody else is merging it at this moment",
        ));
    }
    let (branch, base) = (asked.pull.base_branch.clone(), asked.heads.base.clone());
    match git_write::land(asked.repository.git_id(), branch, base, commit.clone()).await? {
        git_types::Landed::Landed | git_types::Landed::Already => record(tx, asked, &commit).await,
        git_types::Landed::Moved(_) => {
            tx.execute(
                include_str!("../sql/intent_clear.sql"),
                params![asked.pull.id, commit],
            )
            .await?;
            tx.commit().await?;
            Ok(Landing::BaseMoved)
        }
    }
}

async fn record(tx: Transaction, asked: &Asked<'_>, commit: &str) -> Result<Landing, Fault> {
    let merged = Merged {
        sha: commit.to_owned(),
        by: Some(asked.request.actor().id),
        method: asked.method.word(),
    };
    record_merged(&tx, place(asked.repository, &asked.pull), &merged).await?;
    tx.commit().await?;
    done(commit).map(Landing::Done)
}

/// The commit that the base branch is moved to, as objects only.
async fn build(asked: &Asked<'_>) -> Result<String, Fault> {
    let plan = Plan {
        onto: &asked.heads.base,
        head: &asked.heads.head,
        method: asked.method,
        time_ms: time::now_ms(),
        branch: None,
        asked_title: asked.title,
        asked_body: asked.message,
    };
    let step = step(asked.repository, &asked.pull, plan).await?;
    let base = &asked.pull.base_branch;
    match git_write::build_queue_step(step).await? {
        git_types::Built::Candidate(commit) => Ok(commit),
        git_types::Built::Conflicting(paths) => Err(conflicting(&asked.pull, &paths)),
        git_types::Built::Contained => Err(Fault::not_mergeable(format!(
            "{base} contains all of it already: there is nothing to merge."
        ))),
        git_types::Built::NotRebasable(paths) => Err(Fault::not_mergeable(format!(
            "It cannot be rebased without losing what a merge resolved by hand in {}: merge or squash it.",
            paths.join(", ")
        ))),
        git_types::Built::NotFastForward => Err(Fault::not_mergeable(format!(
            "It cannot be fast-forwarded: {base} has commits that it lacks. Rebase it first."
        ))),
        git_types::Built::Unrelated => Err(unrelated(&asked.pull)),
        git_types::Built::TooManyCommits => Err(Fault::not_mergeable(
            "It has more commits than can be rebased one by one: merge or squash it.",
        )),
    }
}

fn done(sha: &str) -> Result<Reply, Fault> {
    Reply::ok(&json!({ "sha": sha, "merged": true, "message": "Pull Request successfully merged" }))
}

fn place(repository: &Repository, pull: &Pull) -> Place {
    Place {
        workspace: repository.workspace_id,
        repository: repository.id,
        pull: pull.id,
    }
}
