//! The snapshot, from the database and git.

use std::collections::HashMap;

use g1t_domain::queue::{
    Admission, Attempt, AttemptState, Entry, EntryState, Obstacle, PullState, Settings, Snapshot,
    Verdict,
};
use g1t_domain::{AttemptId, EntryId, InvalidOid, Oid, PullNumber, Time};
use g1t_kit::db::{DbError, Row, Transaction};
use g1t_kit::pulls::method_of_column;
use g1t_kit::{Fault, Id, git, params};

use crate::queue::{Queue, branch_ref};

/// A snapshot and what is needed beside it to act on it.
pub struct Loaded {
    /// What is decided by.
    pub snapshot: Snapshot,
    /// The rest of what is known of each entry.
    pub rows: HashMap<EntryId, EntryRow>,
}

/// An entry, as far as the domain does not care.
pub struct EntryRow {
    /// Its pull request.
    pub pull_id: Id,
    /// Number of the pull request.
    pub number: i64,
    /// Who queued it.
    pub queued_by: Id,
    /// With which token, while that is good.
    pub token: Option<String>,
}

impl Loaded {
    /// What is known of an entry of this snapshot.
    pub fn row(&self, entry: &EntryId) -> Result<&EntryRow, Fault> {
        self.rows
            .get(entry)
            .ok_or_else(|| Fault::internal(format!("{entry} is not in the snapshot")))
    }
}

/// Loads everything but what the rules say: verdicts are empty and settings are the defaults until then.
pub async fn snapshot(tx: &Transaction, queue: &Queue, id: Id) -> Result<Loaded, Fault> {
    let git_id = queue.repository.git_id();
    let base_head = git::resolve(git_id, queue.base_ref())
        .await?
        .map(|head| oid(&head))
        .transpose()?;
    let mut attempts = attempts(tx, id, base_head.as_ref(), git_id).await?;
    let mut rows = HashMap::new();
    let mut entries = Vec::new();
    for row in tx
        .query(include_str!("sql/entries.sql"), params![id])
        .await?
    {
        let mut entry = entry(&row, &queue.branch)?;
        let head_branch: String = row.get("head_branch")?;
        let head_now = git::resolve(git_id, branch_ref(&head_branch)).await?;
        entry.head_now = head_now.map(|head| oid(&head)).transpose()?;
        entry.attempts = attempts.remove(&entry.id).into_iter().collect();
        let known = EntryRow {
            pull_id: row.get("pull_id")?,
            number: row.get("number")?,
            queued_by: row.get("queued_by_id")?,
            token: row.get("token")?,
        };
        rows.insert(entry.id.clone(), known);
        entries.push(entry);
    }
    let snapshot = Snapshot {
        base: queue.branch.clone(),
        base_head,
        settings: Settings::default(),
        entries,
    };
    Ok(Loaded { snapshot, rows })
}

fn entry(row: &Row, base: &str) -> Result<Entry, Fault> {
    let number: i64 = row.get("number")?;
    let state: String = row.get("state")?;
    Ok(Entry {
        id: EntryId::new(row.get::<String>("id")?),
        pull: PullNumber(u64::try_from(number).unwrap_or_default()),
        head: oid(&row.get::<String>("head_sha")?)?,
        head_now: None,
        pull_state: pull_state(row, base)?,
        method: method_of_column(&row.get::<String>("method")?)?,
        queued_at: Time(row.get("queued_at_ms")?),
        is_gathered: row.get("is_gathered")?,
        state: match state.as_str() {
            "testing" => EntryState::Testing,
            "passed" => EntryState::Passed,
            _ => EntryState::Waiting,
        },
        reason_code: row.get("reason_code")?,
        reason: row.get("reason")?,
        admission: Admission::NotAsked,
        attempts: Vec::new(),
    })
}

fn pull_state(row: &Row, base: &str) -> Result<PullState, DbError> {
    let state: String = row.get("pull_state")?;
    let pull_base: String = row.get("pull_base")?;
    Ok(match state.as_str() {
        "merged" => PullState::Merged,
        "closed" => PullState::Closed,
        _ if pull_base != base => PullState::Retargeted(pull_base),
        "draft" => PullState::Draft,
        _ => PullState::Open,
    })
}

async fn attempts(
    tx: &Transaction,
    queue: Id,
    base_head: Option<&Oid>,
    git_id: u64,
) -> Result<HashMap<EntryId, Attempt>, Fault> {
    let mut newest = HashMap::new();
    for row in tx
        .query(include_str!("sql/attempts.sql"), params![queue])
        .await?
    {
        let mut attempt = attempt(&row)?;
        if let AttemptState::Landing { candidate, in_base } = &mut attempt.state
            && let Some(base_head) = base_head
        {
            *in_base =
                git::is_ancestor(git_id, candidate.to_string(), base_head.to_string()).await?;
        }
        newest.insert(EntryId::new(row.get::<String>("entry_id")?), attempt);
    }
    Ok(newest)
}

fn attempt(row: &Row) -> Result<Attempt, Fault> {
    let ahead: Vec<i64> = row.get("ahead")?;
    Ok(Attempt {
        id: AttemptId::new(row.get::<String>("id")?),
        head: oid(&row.get::<String>("head_sha")?)?,
        onto: oid(&row.get::<String>("onto_sha")?)?,
        onto_base: row.get("onto_base")?,
        ahead: ahead
            .into_iter()
            .filter_map(|number| u64::try_from(number).ok())
            .map(PullNumber)
            .collect(),
        state: attempt_state(row)?,
    })
}

fn attempt_state(row: &Row) -> Result<AttemptState, Fault> {
    let state: String = row.get("state")?;
    let candidate = || -> Result<Oid, Fault> {
        let sha: Option<String> = row.get("candidate_sha")?;
        oid(&sha.unwrap_or_default())
    };
    Ok(match state.as_str() {
        "intended" => AttemptState::Intended,
        "built" => AttemptState::Built {
            candidate: candidate()?,
            built_at: Time(row.get::<Option<i64>>("built_at_ms")?.unwrap_or_default()),
            verdict: Verdict::Waiting(Vec::new()),
        },
        "unbuildable" => AttemptState::Unbuildable(obstacle(row)?),
        "landing" => AttemptState::Landing {
            candidate: candidate()?,
            in_base: false,
        },
        "landed" => AttemptState::Landed,
        _ => AttemptState::Void,
    })
}

fn obstacle(row: &Row) -> Result<Obstacle, Fault> {
    let detail: String = row.get("detail")?;
    let paths: Vec<String> = row.get("conflict_files")?;
    Ok(match detail.as_str() {
        "contained" => Obstacle::Contained,
        "not_rebasable" => Obstacle::NotRebasable(paths),
        "not_fast_forward" => Obstacle::NotFastForward,
        "unrelated" => Obstacle::Unrelated,
        "too_many_commits" => Obstacle::TooManyCommits,
        _ => Obstacle::Conflict(paths),
    })
}

/// The stored word of an obstacle, and its paths.
pub fn obstacle_columns(obstacle: &Obstacle) -> (&'static str, &[String]) {
    match obstacle {
        Obstacle::Conflict(paths) => ("conflict", paths),
        Obstacle::NotRebasable(paths) => ("not_rebasable", paths),
        Obstacle::NotFastForward => ("not_fast_forward", &[]),
        Obstacle::Unrelated => ("unrelated", &[]),
        Obstacle::TooManyCommits => ("too_many_commits", &[]),
        Obstacle::Contained => ("contained", &[]),
    }
}

/// Reads an object id that git or the database gave.
pub fn oid(text: &str) -> Result<Oid, Fault> {
    Oid::parse(text).map_err(|InvalidOid(text)| {
        Fault::internal(format!("`{text}` stands where an object id should"))
    })
}

#[cfg(test)]
mod tests;
