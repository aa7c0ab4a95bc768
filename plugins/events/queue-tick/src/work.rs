//! The git work of an intent, and the record of what came of it.

use g1t_domain::queue::{Obstacle, VoidReason};
use g1t_domain::{AttemptId, MergeMethod};
use g1t_kit::db::{Db, Row, Transaction};
use g1t_kit::landing::{Landing, step};
use g1t_kit::pulls::{Merged, Place, by_id, method_of_column, record_merged};
use g1t_kit::{Fault, Id, git, git_types, git_write, params};

use crate::announce::{self, EntryName, Group};
use crate::load::obstacle_columns;
use crate::queue::{Queue, branch_ref};
use crate::write;

/// Git work that an intent asks for.
pub enum Work {
    /// Make the candidate.
    Build(AttemptId),
    /// Move the base branch to the candidate.
    Land(AttemptId),
}

/// An attempt with its entry and pull request.
struct Job {
    attempt: AttemptId,
    entry: String,
    number: i32,
    branch: String,
    head: String,
    onto: String,
    state: String,
    candidate: Option<String>,
    created_at_ms: i64,
    method: MergeMethod,
    pull: Id,
    pull_number: i64,
    head_branch: String,
    /// True when the entry is in the queue and its pull request is open for this base.
    can_land: bool,
    queued_by: Id,
}

impl Job {
    async fn load(db: &Db, queue: &Queue, attempt: &AttemptId) -> Result<Option<Self>, Fault> {
        let row = db
            .optional(
                include_str!("sql/attempt_work.sql"),
                params![attempt.as_str()],
            )
            .await?;
        row.map(|row| Self::from_row(&row, queue)).transpose()
    }

    fn from_row(row: &Row, queue: &Queue) -> Result<Self, Fault> {
        let (pull_state, pull_base): (String, String) =
            (row.get("pull_state")?, row.get("pull_base")?);
        let is_live: bool = row.get("is_live")?;
        Ok(Self {
            attempt: AttemptId::new(row.get::<String>("id")?),
            entry: row.get("entry_id")?,
            number: row.get("number")?,
            branch: row.get("branch")?,
            head: row.get("head_sha")?,
            onto: row.get("onto_sha")?,
            state: row.get("state")?,
            candidate: row.get("candidate_sha")?,
            created_at_ms: row.get("created_at_ms")?,
            method: method_of_column(&row.get::<String>("method")?)?,
            pull: row.get("pull_id")?,
            pull_number: row.get("pull_number")?,
            head_branch: row.get("head_branch")?,
            can_land: is_live && pull_state == "open" && pull_base == queue.branch,
            queued_by: row.get("queued_by_id")?,
        })
    }

    fn name(&self) -> EntryName<'_> {
        EntryName {
            entry: &self.entry,
            number: self.pull_number,
        }
    }

    fn group<'a>(&'a self, candidate: &'a str) -> Group<'a> {
        Group {
            attempt: self.attempt.as_str(),
            number: self.number,
            branch: &self.branch,
            candidate,
            onto: &self.onto,
        }
    }

    fn place(&self, queue: &Queue) -> Place {
        Place {
            workspace: queue.repository.workspace_id,
            repository: queue.repository.id,
            pull: self.pull,
        }
    }
}

/// Does a piece of work that is still to be done.
pub async fn carry_out(queue: &Queue, work: &Work) -> Result<(), Fault> {
    let db = Db::open().await?;
    match work {
        Work::Build(attempt) => match Job::load(&db, queue, attempt).await? {
            Some(job) if job.state == "intended" => build(db, queue, &job).await,
            _ => Ok(()),
        },
        Work::Land(attempt) => match Job::load(&db, queue, attempt).await? {
            Some(job) if job.state == "landing" => land(db, queue, &job).await,
            _ => Ok(()),
        },
    }
}

async fn build(db: Db, queue: &Queue, job: &Job) -> Result<(), Fault> {
    let pull = by_id(&db, queue.repository.id, job.pull).await?;
    let landing = Landing {
        onto: &job.onto,
        head: &job.head,
        method: job.method,
        // Of the intent, so that building again gives the same commits.
        time_ms: job.created_at_ms,
        branch: Some(job.branch.clone()),
        asked_title: None,
        asked_body: None,
    };
    let step = step(&queue.repository, &pull, landing).await?;
    let built = git_write::build_queue_step(step).await?;
    let tx = db.begin().await?;
    match built {
        git_types::Built::Candidate(candidate) => record_built(&tx, queue, job, &candidate).await?,
        git_types::Built::Conflicting(paths) => {
            obstacle(&tx, job, Obstacle::Conflict(paths)).await?
        }
        git_types::Built::NotRebasable(paths) => {
            obstacle(&tx, job, Obstacle::NotRebasable(paths)).await?
        }
        git_types::Built::NotFastForward => obstacle(&tx, job, Obstacle::NotFastForward).await?,
        git_types::Built::Unrelated => obstacle(&tx, job, Obstacle::Unrelated).await?,
        git_types::Built::TooManyCommits => obstacle(&tx, job, Obstacle::TooManyCommits).await?,
        git_types::Built::Contained => obstacle(&tx, job, Obstacle::Contained).await?,
    }
    tx.commit().await?;
    Ok(())
}

async fn record_built(
    tx: &Transaction,
    queue: &Queue,
    job: &Job,
    candidate: &str,
) -> Result<(), Fault> {
    let params = params![job.attempt.as_str(), candidate];
    if tx
        .execute(include_str!("sql/attempt_built.sql"), params)
        .await?
        == 1
    {
        announce::checks_requested(tx, queue, &job.name(), &job.group(candidate)).await?;
    }
    Ok(())
}

async fn obstacle(tx: &Transaction, job: &Job, obstacle: Obstacle) -> Result<(), Fault> {
    let (word, paths) = obstacle_columns(&obstacle);
    tx.execute(
        include_str!("sql/attempt_unbuildable.sql"),
        params![job.attempt.as_str(), word, paths],
    )
    .await?;
    Ok(())
}

/// Lands a candidate. What git holds comes first: a base branch that contains the candidate has landed it, whatever the
/// database or the pull request says now.
async fn land(db: Db, queue: &Queue, job: &Job) -> Result<(), Fault> {
    let Some(candidate) = job.candidate.clone() else {
        return Err(Fault::internal(format!(
            "{} is landing without a candidate",
            job.attempt
        )));
    };
    let git_id = queue.repository.git_id();
    let Some(base_head) = git::resolve(git_id, queue.base_ref()).await? else {
        return give_up(db, queue, job, VoidReason::BaseMoved).await;
    };
    if git::is_ancestor(git_id, candidate.clone(), base_head).await? {
        return record_landed(db, queue, job, &candidate).await;
    }
    if !job.can_land {
        return give_up(db, queue, job, VoidReason::EntryLeft).await;
    }
    // Read once more: a push that nobody told of must not be overtaken by the old head (MQ-03).
    let head_now = git::resolve(git_id, branch_ref(&job.head_branch)).await?;
    if head_now.as_deref() != Some(job.head.as_str()) {
        return give_up(db, queue, job, VoidReason::HeadMoved).await;
    }
    let landed = git_write::land(
        git_id,
        queue.branch.clone(),
        job.onto.clone(),
        candidate.clone(),
    )
    .await?;
    match landed {
        git_types::Landed::Landed | git_types::Landed::Already => {
            record_landed(db, queue, job, &candidate).await
        }
        git_types::Landed::Moved(_) => give_up(db, queue, job, VoidReason::BaseMoved).await,
    }
}

async fn give_up(db: Db, queue: &Queue, job: &Job, why: VoidReason) -> Result<(), Fault> {
    let tx = db.begin().await?;
    write::void(&tx, queue, &job.name(), &job.attempt, why).await?;
    tx.commit().await?;
    Ok(())
}

async fn record_landed(db: Db, queue: &Queue, job: &Job, candidate: &str) -> Result<(), Fault> {
    let tx = db.begin().await?;
    let is_first = tx
        .execute(
            include_str!("sql/attempt_landed.sql"),
            params![job.attempt.as_str()],
        )
        .await?
        == 1;
    let merged = Merged {
        sha: candidate.to_owned(),
        by: Some(job.queued_by),
        method: job.method.word(),
    };
    record_merged(&tx, job.place(queue), &merged).await?;
    let row = tx
        .optional(include_str!("sql/entry_landed.sql"), params![job.entry])
        .await?;
    if let Some(row) = row {
        let (code, reason): (String, String) = (row.get("reason_code")?, row.get("reason")?);
        announce::changed(&tx, queue, &job.name(), "landed", (&code, &reason)).await?;
    }
    if is_first {
        announce::passed(&tx, queue, &job.name(), candidate).await?;
        announce::destroyed(&tx, queue, &job.name(), &job.group(candidate), "merged").await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Removes the queue branches of builds that are over.
pub async fn remove_branches(queue: &Queue) -> Result<(), Fault> {
    let db = Db::open().await?;
    for row in db
        .query(
            include_str!("sql/branches_left.sql"),
            params![queue.repository.id],
        )
        .await?
    {
        let (attempt, branch): (String, String) = (row.get("id")?, row.get("branch")?);
        git_write::remove_queue_branch(queue.repository.git_id(), branch).await?;
        db.execute(include_str!("sql/branch_removed.sql"), params![attempt])
            .await?;
    }
    Ok(())
}
