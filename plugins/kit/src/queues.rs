//! Leaving a merge queue by somebody's doing: an entry is taken out in the transaction of what takes it out, so nobody
//! finds it there afterwards.

use g1t_domain::queue::Removal;
use serde_json::json;

use crate::db::{DbError, Transaction};
use crate::outbox::{NewEvent, publish};
use crate::pulls::{self, Place};
use crate::{Id, params};

/// An entry of a queue, as events name it.
#[derive(Clone, Copy, Debug)]
pub struct EntryName<'a> {
    /// Number of the workspace.
    pub workspace: Id,
    /// Number of the repository.
    pub repository: Id,
    /// Base branch of the queue.
    pub branch: &'a str,
    /// Its id.
    pub entry: &'a str,
    /// Number of its pull request.
    pub number: i64,
}

impl EntryName<'_> {
    fn event(&self, kind: &str, subject: String, by: Option<Id>) -> NewEvent {
        let event =
            NewEvent::new(self.workspace, kind, subject, json!({})).repository(self.repository);
        match by {
            Some(actor) => event.actor(actor),
            None => event,
        }
    }
}

/// Publishes what has become of an entry (state, reason's code and text), and asks for a look at its queue.
///
/// # Errors
/// As [`DbError`] says.
pub async fn changed(
    tx: &Transaction,
    name: &EntryName<'_>,
    by: Option<Id>,
    (state, code, reason): (&str, &str, &str),
) -> Result<(), DbError> {
    let data = json!({
        "branch": name.branch,
        "entry": name.entry,
        "number": name.number,
        "state": state,
        "reason": reason,
        "reason_code": code,
    });
    let event = name.event("queue.changed", format!("queue/{}", name.branch), by);
    publish(tx, event.data(data)).await?;
    let tick = NewEvent::queue_tick(name.workspace, name.repository, name.branch);
    publish(tx, tick).await?;
    Ok(())
}

/// Takes an entry out, ends its builds, and publishes both; false when it has left, or when its landing is decided: git
/// may have that already.
///
/// # Errors
/// As [`DbError`] says.
pub async fn take_out(
    tx: &Transaction,
    name: &EntryName<'_>,
    by: Option<Id>,
    (code, reason): (&str, &str),
) -> Result<bool, DbError> {
    let removed = params![name.entry, code, reason];
    let sql = include_str!("sql/queue_entry_remove.sql");
    if tx.execute(sql, removed).await? == 0 {
        return Ok(false);
    }
    let sql = include_str!("sql/queue_attempts_void.sql");
    for row in tx.query(sql, params![name.entry]).await? {
        let Some(candidate) = row.get::<Option<String>>("candidate_sha")? else {
            continue;
        };
        let data = json!({
            "head_sha": candidate,
            "head_ref": format!("refs/heads/{}", row.get::<String>("branch")?),
            "base_sha": row.get::<String>("onto_sha")?,
            "base_ref": format!("refs/heads/{}", name.branch),
            "entry": name.entry,
            "number": name.number,
            "attempt": row.get::<String>("id")?,
            "attempt_number": row.get::<i32>("number")?,
            "reason": "dequeued",
        });
        let event = name.event("merge_group.destroyed", pulls::subject(name.number), by);
        publish(tx, event.data(data)).await?;
    }
    changed(tx, name, by, ("removed", code, reason)).await?;
    Ok(true)
}

/// Takes a pull request out of every queue it is in but `kept`. One that is landing stays: its queue settles that first.
/// The caller holds the pull request's row.
///
/// # Errors
/// As [`DbError`] says.
pub async fn leave(
    tx: &Transaction,
    place: Place,
    by: Option<Id>,
    why: &Removal,
    kept: Option<Id>,
) -> Result<(), DbError> {
    let sql = include_str!("sql/pull_entries.sql");
    for row in tx.query(sql, params![place.pull, kept]).await? {
        let (entry, branch): (String, String) = (row.get("id")?, row.get("base_branch")?);
        let name = EntryName {
            workspace: place.workspace,
            repository: place.repository,
            branch: &branch,
            entry: &entry,
            number: row.get("number")?,
        };
        take_out(tx, &name, by, (why.code(), &why.text(&branch))).await?;
    }
    Ok(())
}
