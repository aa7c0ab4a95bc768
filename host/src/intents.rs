//! Ref moves that are never forgotten.
//!
//! Wanted: every move of a ref that git stores becomes exactly one `git.push` event, whenever the process dies.
//!
//! Before git may store, a row in `push_intents` says what is about to move; its id becomes the event's id. When git is
//! done, one transaction writes the event and removes the row. What a crash leaves is settled at start by looking at the
//! ref: it has the new value (the event is written) or not (nothing happened).
//!
//! Known races, and the choice for each:
//!
//! - A `git receive-pack` that outlives the host may move the ref after the settling looked: its hook holds a socket to
//!   the host and refuses when that closes, so only one whose hook had already been answered is left, which ends within
//!   moments. Rows younger than [`GRACE`] whose ref has not moved are looked at again.
//! - The ref moved on after the crash before anybody looked: nothing moves a ref while the host is down, and at start
//!   settling comes before any trigger.

use std::time::Duration;

use g1t_events::{ActorId, EventId, EventKind, NewEvent, RepositoryId, WorkspaceId, publish};
use g1t_repos::{Oid, Repos, is_queue_ref};
use serde_json::{Map, Value};
use sqlx::{PgPool, Row};
use uuid::Uuid;

/// How long a move that is not to be seen may still come.
pub const GRACE: Duration = Duration::from_secs(30);

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

/// Records moves before git may make them. Moves of queue branches are the queue's own and publish nothing.
pub async fn record(pool: &PgPool, intents: &[Intent]) -> Result<(), IntentError> {
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

/// Settles the moves of one push once git is done: an event for each ref that has its new value.
pub async fn settle_push(pool: &PgPool, repos: &Repos, push: Uuid) -> Result<(), IntentError> {
    let rows = sqlx::query(include_str!("sql/intents_of_push.sql"))
        .bind(push)
        .fetch_all(pool)
        .await?;
    settle(pool, repos, &rows, false).await.map(|_| ())
}

/// Takes back what was recorded for a push of which nothing was stored.
pub async fn forget(pool: &PgPool, push: Uuid) -> Result<(), IntentError> {
    sqlx::query(include_str!("sql/intents_forget.sql"))
        .bind(push)
        .execute(pool)
        .await?;
    Ok(())
}

/// Settles what an earlier process left. Gives how many rows are too young to say that nothing came of them.
pub async fn settle_left(pool: &PgPool, repos: &Repos) -> Result<usize, IntentError> {
    let rows = sqlx::query(include_str!("sql/intents_left.sql"))
        .fetch_all(pool)
        .await?;
    settle(pool, repos, &rows, true).await
}

async fn settle(
    pool: &PgPool,
    repos: &Repos,
    rows: &[sqlx::postgres::PgRow],
    keep_young: bool,
) -> Result<usize, IntentError> {
    let mut kept = 0;
    for row in rows {
        let id: Uuid = row.try_get("id")?;
        let repository: i64 = row.try_get("repository_id")?;
        let ref_name: String = row.try_get("ref_name")?;
        let new: String = row.try_get("new_sha")?;
        let head = match repos.ref_head(repository.unsigned_abs(), &ref_name).await {
            Ok(head) => head.unwrap_or_else(Oid::zero),
            Err(g1t_repos::Error::NoRepository(_)) => Oid::zero(),
            Err(error) => return Err(error.into()),
        };
        let moved = head.to_string() == new;
        let age: f64 = row.try_get("age_s")?;
        if !moved && keep_young && age < GRACE.as_secs_f64() {
            kept += 1;
            continue;
        }
        let mut tx = pool.begin().await?;
        let deleted = sqlx::query(include_str!("sql/intent_delete.sql"))
            .bind(id)
            .execute(&mut *tx)
            .await?;
        // Somebody else settled it between the look and now: theirs is the event.
        if deleted.rows_affected() == 1 && moved {
            publish(&mut tx, &event(row)?).await?;
            sqlx::query(include_str!("sql/repository_pushed.sql"))
                .bind(repository)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
    }
    Ok(kept)
}

fn event(row: &sqlx::postgres::PgRow) -> Result<NewEvent, sqlx::Error> {
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
