//! Taking an entry out, and putting one first.

use g1t_kit::access::role_word;
use g1t_kit::db::{Db, Transaction};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::types::Role;
use g1t_kit::{Fault, Reply, Repository, Request, params};
use serde::Deserialize;
use serde_json::json;

use crate::entry::Entry;
use crate::view;

/// Takes an entry out. Whoever queued it or opened its pull request may; others need the role `maintain`.
pub async fn remove(
    db: Db,
    request: &Request,
    repository: &Repository,
    id: &str,
) -> Result<Reply, Fault> {
    let tx = db.begin().await?;
    lock(&tx, repository, id).await?;
    let entry = view::find(&tx, request, repository, id).await?;
    may_remove(request, repository, &entry)?;
    let reason = format!("taken out by {}", request.actor().login);
    if tx
        .execute(include_str!("sql/entry_remove.sql"), params![id, reason])
        .await?
        == 0
    {
        return Err(over(id));
    }
    for row in tx
        .query(include_str!("sql/attempt_void.sql"), params![id])
        .await?
    {
        let Some(candidate) = row.get::<Option<String>>("candidate_sha")? else {
            continue;
        };
        let data = json!({
            "head_sha": candidate,
            "head_ref": format!("refs/heads/{}", row.get::<String>("branch")?),
            "base_sha": row.get::<String>("onto_sha")?,
            "base_ref": format!("refs/heads/{}", entry.base_branch),
            "entry": id,
            "number": entry.number,
            "attempt": row.get::<String>("id")?,
            "attempt_number": row.get::<i32>("number")?,
            "reason": "dequeued",
        });
        let subject = g1t_kit::pulls::subject(entry.number);
        publish(
            &tx,
            NewEvent::of(request, repository, "merge_group.destroyed", subject, data),
        )
        .await?;
    }
    announce(
        &tx,
        request,
        repository,
        &entry,
        ("removed", "by_hand", &reason),
    )
    .await?;
    tx.commit().await?;
    Ok(Reply::no_content())
}

#[derive(Deserialize)]
struct Patch {
    position: String,
}

/// Puts an entry first: everything behind it is built again.
pub async fn put_first(
    db: Db,
    request: &Request,
    repository: &Repository,
    id: &str,
) -> Result<Reply, Fault> {
    let patch: Patch = request.own_json()?;
    if patch.position != "first" {
        return Err(Fault::field(
            "QueueEntry",
            "position",
            "the only position to be asked for is `first`",
        ));
    }
    let tx = db.begin().await?;
    lock(&tx, repository, id).await?;
    let entry = view::find(&tx, request, repository, id).await?;
    if tx
        .execute(include_str!("sql/entry_first.sql"), params![id])
        .await?
        == 0
    {
        return Err(over(id));
    }
    let reason = format!("put first by {}", request.actor().login);
    announce(
        &tx,
        request,
        repository,
        &entry,
        ("waiting", "put_first", &reason),
    )
    .await?;
    let db = tx.commit().await?;
    Reply::ok(&view::json_of(&db, request, repository, id).await?)
}

async fn lock(tx: &Transaction, repository: &Repository, id: &str) -> Result<(), Fault> {
    let found = tx
        .optional(include_str!("sql/lock.sql"), params![repository.id, id])
        .await?;
    found
        .map(|_| ())
        .ok_or_else(|| Fault::not_found(format!("The queue entry {id}")))
}

fn over(id: &str) -> Fault {
    Fault::conflict(
        "entry_over",
        format!("{id} has left the queue, or is landing at this moment"),
    )
}

fn may_remove(request: &Request, repository: &Repository, entry: &Entry) -> Result<(), Fault> {
    let asker = request.actor().id;
    let is_own = entry.author == asker
        || entry
            .queued_by
            .as_ref()
            .is_some_and(|user| user.id == asker);
    if is_own || repository.role >= Role::Maintain {
        return Ok(());
    }
    let had = role_word(repository.role);
    Err(Fault::forbidden(format!(
        "only who queued {}, its author, or the role `maintain` may take it out; you have `{had}`",
        entry.id
    )))
}

/// Publishes what has become of an entry, and asks for a look at its queue.
async fn announce(
    tx: &Transaction,
    request: &Request,
    repository: &Repository,
    entry: &Entry,
    (state, code, reason): (&str, &str, &str),
) -> Result<(), Fault> {
    let branch = &entry.base_branch;
    let data = json!({
        "branch": branch,
        "entry": entry.id,
        "number": entry.number,
        "state": state,
        "reason": reason,
        "reason_code": code,
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
