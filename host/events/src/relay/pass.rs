//! One pass over the rows that are due.

use std::collections::HashSet;
use std::error::Error;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};

use crate::dead_letters::{self, Death};
use crate::event::{ActorId, Event, EventId, EventKind, GroupId, RepositoryId, WorkspaceId};
use crate::limits::{RELAY_POLL, RELAY_ROWS};
use crate::queue::{Message, NotSentReason, QueueClient, QueueError};

const DUE: &str = "
    SELECT id, workspace_id, repository_id, actor_id, kind, subject, version, data, created_at
    FROM outbox
    WHERE sent_at IS NULL AND (not_before IS NULL OR not_before <= clock_timestamp())
    ORDER BY seq LIMIT $1";

// Rounded up, so that the row is due then.
const NEXT: &str = "
    SELECT ceil(extract(epoch FROM min(not_before) - clock_timestamp()) * 1000)::bigint
    FROM outbox WHERE sent_at IS NULL AND not_before > clock_timestamp()";

const MARK: &str = "UPDATE outbox SET sent_at = clock_timestamp() WHERE id = ANY($1)";

/// A row of the outbox.
#[derive(Debug, sqlx::FromRow)]
struct Row {
    id: EventId,
    workspace_id: WorkspaceId,
    repository_id: Option<RepositoryId>,
    actor_id: Option<ActorId>,
    kind: String,
    subject: String,
    version: i32,
    data: Value,
    created_at: DateTime<Utc>,
}

/// How a pass ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// There may be more rows that are due.
    More,
    /// All that was due is sent; the next look is in so much time at the latest.
    Done(Duration),
    /// The queue did not take everything: try again after a while.
    Held,
}

/// Why a pass failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum PassError {
    /// The connection, and the leadership with it, is to be given up.
    #[error("the database did not answer the relay")]
    Database(#[from] sqlx::Error),
    /// The queue does not answer.
    #[error("the queue did not answer the relay")]
    Queue(#[from] QueueError),
}

/// Sends the rows that are due and marks them. The connection is the leader's.
pub(super) async fn pass(
    connection: &mut PgConnection,
    queue: &dyn QueueClient,
) -> Result<Pass, PassError> {
    let rows: Vec<Row> = sqlx::query_as(DUE)
        .bind(RELAY_ROWS)
        .fetch_all(&mut *connection)
        .await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count >= RELAY_ROWS);
    let Sorted { messages, mut dead } = sorted(&rows);
    let mut left = HashSet::new();
    let sendable: Vec<Message> = messages
        .iter()
        .map(|(_, message)| message.clone())
        .collect();
    for not_sent in queue.send_batch(&sendable).await? {
        let Some((row, _)) = messages.get(not_sent.index) else {
            continue;
        };
        match not_sent.reason {
            reason @ NotSentReason::Refused(_) => dead.push((row, reason.to_string())),
            NotSentReason::Later(_) | NotSentReason::Behind => {
                tracing::warn!(event_id = %row.id, reason = %not_sent.reason, "an event was not sent yet");
                left.insert(row.id);
            }
        }
    }
    let settled: Vec<EventId> = rows
        .iter()
        .map(|row| row.id)
        .filter(|id| !left.contains(id))
        .collect();
    settle(connection, &settled, &dead).await?;
    match (left.is_empty(), full) {
        (false, _) => Ok(Pass::Held),
        (true, true) => Ok(Pass::More),
        (true, false) => Ok(Pass::Done(until_next(connection).await?)),
    }
}

/// Rows as messages, and those that cannot be one with the reason.
struct Sorted<'a> {
    messages: Vec<(&'a Row, Message)>,
    dead: Vec<(&'a Row, String)>,
}

fn sorted(rows: &[Row]) -> Sorted<'_> {
    let mut sorted = Sorted {
        messages: Vec::new(),
        dead: Vec::new(),
    };
    for row in rows {
        match message(row) {
            Ok(message) => sorted.messages.push((row, message)),
            Err(reason) => sorted.dead.push((row, reason)),
        }
    }
    sorted
}

fn message(row: &Row) -> Result<Message, String> {
    let Value::Object(data) = &row.data else {
        return Err("the event's `data` is no JSON object: insert an object".into());
    };
    let event = Event {
        id: row.id,
        kind: EventKind::try_from(row.kind.as_str()).map_err(|e| e.to_string())?,
        workspace: row.workspace_id,
        repository: row.repository_id,
        actor: row.actor_id,
        subject: row.subject.clone(),
        time: row.created_at,
        version: u32::try_from(row.version)
            .map_err(|_| "the event's version is negative".to_owned())?,
        data: data.clone(),
    };
    let body = event.to_body().map_err(|e| e.to_string())?;
    let group = GroupId::of(row.workspace_id, row.repository_id);
    Ok(Message {
        group,
        deduplication_id: row.id.to_string(),
        body,
    })
}

/// Marks rows as sent; those of `dead` become dead letters in the same transaction.
async fn settle(
    connection: &mut PgConnection,
    settled: &[EventId],
    dead: &[(&Row, String)],
) -> Result<(), sqlx::Error> {
    if settled.is_empty() {
        return Ok(());
    }
    let mut tx = connection.begin().await?;
    for (row, reason) in dead {
        tracing::error!(event_id = %row.id, reason, "an event cannot be sent: dead letter");
        let body = json!({
            "id": row.id, "kind": row.kind, "workspace": row.workspace_id, "repository": row.repository_id,
            "actor": row.actor_id, "subject": row.subject, "time": row.created_at.timestamp_millis(),
            "version": row.version, "data": row.data,
        });
        let death = Death {
            event: Some(row.id),
            body: &body.to_string(),
            reason,
            receive_count: 0,
        };
        dead_letters::record(&mut tx, death).await?;
    }
    let ids: Vec<_> = settled.iter().map(|id| id.0).collect();
    sqlx::query(MARK).bind(ids).execute(&mut *tx).await?;
    tx.commit().await
}

async fn until_next(connection: &mut PgConnection) -> Result<Duration, sqlx::Error> {
    let next: Option<i64> = sqlx::query_scalar(NEXT).fetch_one(connection).await?;
    let next = next.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
    Ok(next.unwrap_or(RELAY_POLL).min(RELAY_POLL))
}

impl PassError {
    /// The error with its causes, for the log.
    pub(super) fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }
}
