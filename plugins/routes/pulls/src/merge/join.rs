//! Joining the merge queue.

use g1t_domain::queue::Removal;
use g1t_kit::db::{Db, Transaction};
use g1t_kit::pulls::{self, Place};
use g1t_kit::queues::{self, EntryName};
use g1t_kit::{Fault, Id, Reply, ids, params};
use serde_json::json;

use super::{Asked, require_no_conflict};

/// Puts a pull request at the end of its base branch's queue. One that is in it stays where it is; one that is still in
/// another base branch's queue leaves that.
pub async fn join(db: Db, asked: Asked<'_>) -> Result<Reply, Fault> {
    require_no_conflict(&asked).await?;
    let (repository, base) = (asked.repository, &asked.pull.base_branch);
    let tx = db.begin().await?;
    let queue = lock(&tx, &asked).await?;
    pulls::hold(&tx, repository.id, asked.pull.id).await?;
    let place = Place {
        workspace: repository.workspace_id,
        repository: repository.id,
        pull: asked.pull.id,
    };
    let why = Removal::Retargeted(base.clone());
    let by = Some(asked.request.actor().id);
    queues::leave(&tx, place, by, &why, Some(queue)).await?;
    insert(&tx, &asked, queue).await?;
    let sql = include_str!("../sql/queue_entry.sql");
    let row = tx.optional(sql, params![asked.pull.id]).await?;
    let changed = || {
        Fault::conflict(
            "pull_changed",
            "the pull request was merged, closed or pointed at another base at this moment",
        )
    };
    let row = row.ok_or_else(changed)?;
    if row.get::<String>("base_branch")? != *base {
        return Err(changed());
    }
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

/// The queue of the base branch, made when it is the first to join; held until the transaction is over, and any other the
/// pull request is in.
async fn lock(tx: &Transaction, asked: &Asked<'_>) -> Result<Id, Fault> {
    let (repository, base) = (asked.repository, &asked.pull.base_branch);
    let made = params![repository.workspace_id, repository.id, base];
    tx.execute(include_str!("../sql/queue_make.sql"), made)
        .await?;
    let params = params![repository.id, base, asked.pull.id];
    let sql = include_str!("../sql/queue_lock.sql");
    for row in tx.query(sql, params).await? {
        if row.get::<String>("base_branch")? == *base {
            return Ok(row.get("id")?);
        }
    }
    Err(Fault::internal(format!("the queue of {base} is gone")))
}

/// Does nothing when it is in a queue already.
async fn insert(tx: &Transaction, asked: &Asked<'_>, queue: Id) -> Result<(), Fault> {
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
        request.actor().token,
    ];
    if tx
        .execute(include_str!("../sql/entry_insert.sql"), params)
        .await?
        == 0
    {
        return Ok(());
    }
    let name = EntryName {
        workspace: repository.workspace_id,
        repository: repository.id,
        branch: &pull.base_branch,
        entry: &entry,
        number: pull.number,
    };
    let by = Some(request.actor().id);
    queues::changed(tx, &name, by, ("waiting", "queued", "")).await?;
    Ok(())
}
