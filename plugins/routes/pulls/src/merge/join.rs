//! Joining the merge queue.

use g1t_kit::db::{Db, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::{Fault, Id, Reply, ids, params};
use serde_json::json;

use super::{Asked, require_no_conflict};

/// Puts a pull request at the end of its base branch's queue. One that is in it stays where it is.
pub async fn join(db: Db, asked: Asked<'_>) -> Result<Reply, Fault> {
    require_no_conflict(&asked).await?;
    let tx = db.begin().await?;
    let queue = lock(&tx, &asked).await?;
    insert(&tx, &asked, queue).await?;
    let row = tx
        .optional(
            include_str!("../sql/queue_entry.sql"),
            params![asked.pull.id],
        )
        .await?;
    let row = row.ok_or_else(|| {
        Fault::conflict(
            "pull_changed",
            "the pull request was merged or closed at this moment",
        )
    })?;
    let (entry, position): (String, i64) = (row.get("id")?, row.get("place")?);
    tx.commit().await?;
    let message = format!(
        "Pull Request is in the merge queue of {}, at place {position}",
        asked.pull.base_branch
    );
    Reply::accepted(&json!({
        "queued": true,
        "entry": entry,
        "position": position,
        "merged": false,
        "sha": asked.heads.head,
        "message": message,
    }))
}

/// The queue of the base branch, made when it is the first to join; held until the transaction is over.
async fn lock(tx: &Transaction, asked: &Asked<'_>) -> Result<Id, Fault> {
    let (repository, base) = (asked.repository, &asked.pull.base_branch);
    let params = params![repository.workspace_id, repository.id, base];
    tx.execute(include_str!("../sql/queue_make.sql"), params)
        .await?;
    let row = tx
        .one(
            include_str!("../sql/queue_lock.sql"),
            params![repository.id, base],
        )
        .await?;
    Ok(row.get("id")?)
}

/// Does nothing when it is in a queue already.
async fn insert(
    tx: &Transaction,
    asked: &Asked<'_>,
    queue: Id,
) -> Result<(), Fault> {
    let (request, repository, pull) = (asked.request, asked.repository, &asked.pull);
    let entry = ids::prefixed("qe");
    let params = params![
        entry,
        repository.workspace_id,
        repository.id,
        queue,
        pull.id,
        asked.method.column(),
        asked.heads.head,
        request.actor().id,
    ];
    if tx
        .execute(include_str!("../sql/entry_insert.sql"), params)
        .await?
        == 0
    {
        return Ok(());
    }
    let branch = &pull.base_branch;
    let data = json!({
        "branch": branch,
        "entry": entry,
        "number": pull.number,
        "state": "waiting",
        "reason": "",
        "reason_code": "queued",
    });
    let subject = format!("queue/{branch}");
    publish(
        tx,
        NewEvent::of(request, repository, "queue.changed", subject, data),
    )
    .await?;
    publish(
        tx,
        NewEvent::queue_tick(repository.workspace_id, repository.id, branch),
    )
    .await?;
    Ok(())
}
