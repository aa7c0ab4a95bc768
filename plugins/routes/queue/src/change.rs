//! Taking an entry out, and putting one first.

use g1t_kit::access::role_word;
use g1t_kit::db::{Db, Transaction};
use g1t_kit::queues::{self, EntryName};
use g1t_kit::types::Role;
use g1t_kit::{Fault, Reply, Repository, Request, params};
use serde::Deserialize;

use crate::entry::Entry;
use crate::view;

/// Takes an entry out. Whoever queued it or opened its pull request may; others need the role `admin`.
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
    let name = name(repository, &entry);
    let by = Some(request.actor().id);
    if !queues::take_out(&tx, &name, by, ("by_hand", &reason)).await? {
        return Err(over(id));
    }
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
    let by = Some(request.actor().id);
    let standing = (entry.state.as_str(), "put_first", reason.as_str());
    queues::changed(&tx, &name(repository, &entry), by, standing).await?;
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
    if is_own || repository.role >= Role::Admin {
        return Ok(());
    }
    let had = role_word(repository.role);
    Err(Fault::forbidden(format!(
        "only who queued {}, its author, or the role `admin` may take it out; you have `{had}`",
        entry.id
    )))
}

fn name<'a>(repository: &Repository, entry: &'a Entry) -> EntryName<'a> {
    EntryName {
        workspace: repository.workspace_id,
        repository: repository.id,
        branch: &entry.base_branch,
        entry: &entry.id,
        number: entry.number,
    }
}
