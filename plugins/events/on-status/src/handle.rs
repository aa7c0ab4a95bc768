//! From a commit to the queues that wait for it.

use g1t_kit::db::Db;
use g1t_kit::events::{Event, Failure};
use g1t_kit::outbox::{NewEvent, publish};
use g1t_kit::{Fault, Id, inbox, params};
use serde::Deserialize;

const HANDLER: &str = "on-status";

#[derive(Deserialize)]
struct Data {
    sha: String,
}

/// Asks for a look at every queue in which the commit is a live candidate, or the head of an entry's pull request.
pub async fn handle(event: Event) -> Result<(), Failure> {
    let data: Data = event.data()?;
    let repository = event.repository_id()?;
    note(&event, repository, &data.sha).await?;
    Ok(())
}

async fn note(event: &Event, repository: Id, sha: &str) -> Result<(), Fault> {
    let tx = Db::open().await?.begin().await?;
    if !inbox::begin_once(&tx, event, HANDLER).await? {
        return Ok(());
    }
    for row in tx
        .query(
            include_str!("sql/queues_waiting.sql"),
            params![repository, sha],
        )
        .await?
    {
        let branch: String = row.get("base_branch")?;
        publish(
            &tx,
            NewEvent::queue_tick(event.workspace_id(), repository, &branch),
        )
        .await?;
    }
    tx.commit().await?;
    Ok(())
}
