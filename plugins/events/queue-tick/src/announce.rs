//! What the queue publishes.

use g1t_domain::queue::Ejection;
use g1t_kit::db::{DbError, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use serde_json::{Value, json};

use crate::queue::{Queue, branch_ref};

/// An entry as events name it.
pub struct EntryName<'a> {
    /// Its id.
    pub entry: &'a str,
    /// Number of its pull request.
    pub number: i64,
}

/// Publishes `queue.changed`: where an entry is now, and why.
pub async fn changed(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    state: &str,
    reason: (&str, &str),
) -> Result<(), DbError> {
    let (code, text) = reason;
    let data = json!({
        "branch": queue.branch,
        "entry": name.entry,
        "number": name.number,
        "state": state,
        "reason": text,
        "reason_code": code,
    });
    publish(tx, event(queue, "queue.changed", queue.subject(), data)).await?;
    Ok(())
}

/// A build whose candidate is to be tested, or no longer.
pub struct Group<'a> {
    /// The attempt.
    pub attempt: &'a str,
    /// How many builds its entry has had.
    pub number: i32,
    /// Queue branch.
    pub branch: &'a str,
    /// The candidate.
    pub candidate: &'a str,
    /// The state it stands on.
    pub onto: &'a str,
}

/// Publishes `merge_group.checks_requested`: CI has to test this commit.
pub async fn checks_requested(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    group: &Group<'_>,
) -> Result<(), DbError> {
    let data = group_data(queue, name, group);
    publish(
        tx,
        event(
            queue,
            "merge_group.checks_requested",
            pull_subject(name.number),
            data,
        ),
    )
    .await?;
    Ok(())
}

/// Publishes `merge_group.destroyed`: nobody is interested in this commit's checks any more. `reason` is GitHub's word:
/// `merged`, `invalidated`, `dequeued`.
pub async fn destroyed(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    group: &Group<'_>,
    reason: &str,
) -> Result<(), DbError> {
    let mut data = group_data(queue, name, group);
    data["reason"] = json!(reason);
    publish(
        tx,
        event(
            queue,
            "merge_group.destroyed",
            pull_subject(name.number),
            data,
        ),
    )
    .await?;
    Ok(())
}

fn group_data(queue: &Queue, name: &EntryName<'_>, group: &Group<'_>) -> Value {
    json!({
        "head_sha": group.candidate,
        "head_ref": branch_ref(group.branch),
        "base_sha": group.onto,
        "base_ref": queue.base_ref(),
        "entry": name.entry,
        "number": name.number,
        "attempt": group.attempt,
        "attempt_number": group.number,
    })
}

/// Publishes `integration.failed`: what an entry left for.
pub async fn failed(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    ejection: &Ejection,
) -> Result<(), DbError> {
    let data = json!({
        "branch": queue.branch,
        "entry": name.entry,
        "number": name.number,
        "code": ejection.code.code(),
        "reason": ejection.text(&queue.branch),
        "details": ejection.details,
        "candidate": ejection.candidate.as_ref().map(ToString::to_string),
        "base": ejection.onto.as_ref().map(ToString::to_string),
        "ahead": ejection.ahead.iter().map(|pull| pull.0).collect::<Vec<_>>(),
    });
    publish(
        tx,
        event(queue, "integration.failed", pull_subject(name.number), data),
    )
    .await?;
    Ok(())
}

/// Publishes `integration.passed`: the combination that landed was tested as a whole.
pub async fn passed(
    tx: &Transaction,
    queue: &Queue,
    name: &EntryName<'_>,
    candidate: &str,
) -> Result<(), DbError> {
    let data = json!({
        "branch": queue.branch,
        "entry": name.entry,
        "number": name.number,
        "candidate": candidate,
    });
    publish(
        tx,
        event(queue, "integration.passed", pull_subject(name.number), data),
    )
    .await?;
    Ok(())
}

/// Publishes that a check run is over, as the component that takes check runs in does.
pub async fn check_run_completed(
    tx: &Transaction,
    queue: &Queue,
    sha: &str,
    name: &str,
    id: i64,
) -> Result<(), DbError> {
    let data = json!({ "sha": sha, "name": name, "conclusion": "failure", "id": id });
    publish(
        tx,
        event(queue, "check_run.completed", sha.to_owned(), data),
    )
    .await?;
    Ok(())
}

fn event(queue: &Queue, kind: &str, subject: String, data: Value) -> NewEvent {
    NewEvent::new(queue.repository.workspace_id, kind, subject, data)
        .repository(queue.repository.id)
}

fn pull_subject(number: i64) -> String {
    g1t_kit::pulls::subject(number)
}
