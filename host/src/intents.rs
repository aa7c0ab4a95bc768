//! Ref moves that are never forgotten.
//!
//! Wanted: every move of a ref that git stores becomes exactly one `git.push` event, whenever the process dies.
//!
//! Before git may store, a row in `push_intents` says what is about to move; its id becomes the event's id. When git is
//! done, one transaction writes the event and removes the row. What went wrong in between is settled by looking at the
//! ref: it has the new value (the event is written) or not (nothing happened).
//!
//! That a ref with the new value was moved by this very row holds because
//!
//! - rows are written and settled by whoever has the repository's lock, and nobody without it moves a branch;
//! - whoever gets the lock settles what is left of the repository first, so a row never sees a later move;
//! - a row is written only for a ref that is at the old value, which is not the new one.
//!
//! Known races, and the choice for each:
//!
//! - A `git receive-pack` that outlives the host may move the ref after the next host looked: that host waits for it
//!   before it looks at anything (`trigger::git::Receivers`).
//! - A push is refused, or judging it fails, after its rows were written: the rows are taken back when git has ended.
//!   Where the database does not answer then, the next settling finds a ref that did not move.

use g1t_events::{ActorId, EventId, EventKind, NewEvent, RepositoryId, WorkspaceId, publish};
use g1t_repos::{Oid, RepoLock, Repos, is_queue_ref};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row};
use tracing::warn;
use uuid::Uuid;

/// A ref that is about to move.
#[derive(Clone, Debug)]
pub struct Intent {
    pub id: Uuid,
    pub push: Uuid,
    pub workspace: i64,
    pub repository: i64,
    pub actor: Option<i64>,
    pub ref_name: String,
    pub old: Oid,
    pub new: Oid,
    pub forced: bool,
}

/// Why a move could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum IntentError {
    #[error("the database could not record a ref move")]
    Database(#[from] sqlx::Error),
    #[error("the repository could not be read")]
    Repository(#[from] g1t_repos::Error),
}

/// Records moves of the locked repository before git may make them. Moves of queue branches are the queue's own and publish nothing.
///
/// Whatever was left of the repository is settled by now, and each ref is at its old value.
pub async fn record(
    pool: &PgPool,
    _lock: &RepoLock,
    intents: &[Intent],
) -> Result<(), IntentError> {
    let mut tx = pool.begin().await?;
    for intent in intents
        .iter()
        .filter(|intent| !is_queue_ref(&intent.ref_name))
    {
        sqlx::query(include_str!("sql/intent_insert.sql"))
            .bind(intent.id)
            .bind(intent.push)
            .bind(intent.workspace)
            .bind(intent.repository)
            .bind(intent.actor)
            .bind(&intent.ref_name)
            .bind(intent.old.to_string())
            .bind(intent.new.to_string())
            .bind(serde_json::json!({ "forced": intent.forced }))
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Settles the moves of one push of the locked repository once git is done: an event for each ref that has its new value.
pub async fn settle_push(
    pool: &PgPool,
    repos: &Repos,
    lock: &RepoLock,
    push: Uuid,
) -> Result<(), IntentError> {
    let rows = sqlx::query(include_str!("sql/intents_of_push.sql"))
        .bind(push)
        .fetch_all(pool)
        .await?;
    settle(pool, repos, lock, &rows).await
}

/// Settles everything that is left of the locked repository.
pub async fn settle_repository(
    pool: &PgPool,
    repos: &Repos,
    lock: &RepoLock,
) -> Result<(), IntentError> {
    let rows = sqlx::query(include_str!("sql/intents_of_repository.sql"))
        .bind(lock.repository().cast_signed())
        .fetch_all(pool)
        .await?;
    settle(pool, repos, lock, &rows).await
}

/// Takes back what was recorded for a push of which nothing was stored.
pub async fn forget(pool: &PgPool, push: Uuid) -> Result<(), IntentError> {
    sqlx::query(include_str!("sql/intents_forget.sql"))
        .bind(push)
        .execute(pool)
        .await?;
    Ok(())
}

/// Settles what is left of every repository that nobody is writing at this moment. One that cannot be read stays for the
/// next time, and holds up no other.
pub async fn settle_left(pool: &PgPool, repos: &Repos) -> Result<(), IntentError> {
    let rows = sqlx::query(include_str!("sql/intents_left.sql"))
        .fetch_all(pool)
        .await?;
    for row in rows {
        let repository: i64 = row.try_get("repository_id")?;
        let Some(lock) = repos.try_lock(repository.cast_unsigned()) else {
            continue;
        };
        if let Err(error) = settle_repository(pool, repos, &lock).await {
            warn!(
                repository,
                error = &error as &dyn std::error::Error,
                "ref moves that were left over stay unsettled"
            );
        }
    }
    Ok(())
}

async fn settle(
    pool: &PgPool,
    repos: &Repos,
    lock: &RepoLock,
    rows: &[PgRow],
) -> Result<(), IntentError> {
    if rows.is_empty() {
        return Ok(());
    }
    let names = rows
        .iter()
        .map(|row| row.try_get("ref_name"))
        .collect::<Result<Vec<String>, _>>()?;
    let heads = match repos.ref_heads(lock.repository(), names).await {
        Ok(heads) => heads,
        Err(g1t_repos::Error::NoRepository(_)) => vec![Oid::zero(); rows.len()],
        Err(error) => return Err(error.into()),
    };
    for (row, head) in rows.iter().zip(heads) {
        let id: Uuid = row.try_get("id")?;
        let new: String = row.try_get("new_sha")?;
        let mut tx = pool.begin().await?;
        let deleted = sqlx::query(include_str!("sql/intent_delete.sql"))
            .bind(id)
            .execute(&mut *tx)
            .await?;
        // A commit that the database did, and could not tell of, took the row away: the event is written.
        if deleted.rows_affected() == 1 && head.to_string() == new {
            publish(&mut tx, &event(row)?).await?;
            sqlx::query(include_str!("sql/repository_pushed.sql"))
                .bind(row.try_get::<i64, _>("repository_id")?)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

fn event(row: &PgRow) -> Result<NewEvent, sqlx::Error> {
    let ref_name: String = row.try_get("ref_name")?;
    let old: String = row.try_get("old_sha")?;
    let new: String = row.try_get("new_sha")?;
    let actor: Option<i64> = row.try_get("actor_id")?;
    let mut data: Map<String, Value> = match row.try_get::<Value, _>("data")? {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    let zero = |sha: &str| sha.bytes().all(|byte| byte == b'0');
    data.insert("ref".into(), ref_name.clone().into());
    data.insert("before".into(), old.clone().into());
    data.insert("after".into(), new.clone().into());
    data.insert("created".into(), zero(&old).into());
    data.insert("deleted".into(), zero(&new).into());
    data.insert("pusher_id".into(), actor.into());
    let kind =
        EventKind::try_from("git.push").map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    let mut event = NewEvent::new(kind, WorkspaceId(row.try_get("workspace_id")?), ref_name);
    event.id = EventId(row.try_get("id")?);
    event.repository = Some(RepositoryId(row.try_get("repository_id")?));
    event.actor = actor.map(ActorId);
    event.data = data;
    Ok(event)
}
