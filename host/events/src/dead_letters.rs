//! Events that no try could handle: kept with the reason, listed, and sent again by people.
//!
//! Wanted: a message is deleted only after its row is written. Known races: a crash between the two delivers the message
//! again, so a row that waits for the same event is not written twice; and two people may send one again at the same
//! time, or a crash may come between sending and noting it, so the event comes twice and the inbox takes it once.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::event::{Event, EventId, GroupId, WorkspaceId};
use crate::limits::{MAX_LISTED, MAX_REASON_CHARS};
use crate::queue::{Message, NotSentReason, QueueClient, QueueError};

/// Group of dead letters that are no event and so have none of their own.
const GROUP_OF_UNREADABLE: &str = "dead-letters";

// The workspace is the outbox's word, not the message's. None for what was never in the outbox.
const RECORD: &str = "
    INSERT INTO dead_letters (workspace_id, event_id, body, reason, receive_count)
    SELECT (SELECT workspace_id FROM outbox WHERE id = $1), $1, $2, $3, $4
    WHERE NOT EXISTS (SELECT FROM dead_letters WHERE event_id = $1 AND body = $2 AND resent_at IS NULL)";

const LIST: &str = "
    SELECT id, workspace_id, event_id, body, reason, receive_count, died_at, resent_at
    FROM dead_letters
    WHERE ($1::bigint IS NULL OR workspace_id = $1) AND ($2::bigint IS NULL OR id < $2)
    ORDER BY id DESC LIMIT $3";

const GET: &str = "
    SELECT id, workspace_id, event_id, body, reason, receive_count, died_at, resent_at
    FROM dead_letters WHERE id = $1";

const MARK_RESENT: &str = "UPDATE dead_letters SET resent_at = clock_timestamp() WHERE id = $1";

/// Number of a dead letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub struct DeadLetterId(pub i64);

/// A message that nobody could handle.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DeadLetter {
    /// Its number.
    pub id: DeadLetterId,
    /// The workspace of its event, when that is known.
    pub workspace_id: Option<WorkspaceId>,
    /// The event, when the message had its id.
    pub event_id: Option<EventId>,
    /// The message's body.
    pub body: String,
    /// Why it died.
    pub reason: String,
    /// How often it had been given out.
    pub receive_count: i32,
    /// When it died.
    pub died_at: DateTime<Utc>,
    /// When somebody last sent it again.
    pub resent_at: Option<DateTime<Utc>>,
}

/// A message that dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Death<'a> {
    pub(crate) event: Option<EventId>,
    pub(crate) body: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) receive_count: u32,
}

/// Writes the row of a message that dies.
pub(crate) async fn record(
    connection: &mut PgConnection,
    death: Death<'_>,
) -> Result<(), sqlx::Error> {
    let Death {
        event,
        body,
        reason,
        receive_count,
    } = death;
    sqlx::query(RECORD)
        .bind(event)
        .bind(storable(body, usize::MAX))
        .bind(storable(reason, MAX_REASON_CHARS))
        .bind(i32::try_from(receive_count).unwrap_or(i32::MAX))
        .execute(connection)
        .await?;
    Ok(())
}

/// Dead letters, newest first: of one workspace or of all, with ids below `before`, at most `limit` and
/// [`MAX_LISTED`].
///
/// # Errors
///
/// What the database says.
pub async fn list(
    pool: &PgPool,
    workspace: Option<WorkspaceId>,
    before: Option<DeadLetterId>,
    limit: i64,
) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let limit = limit.clamp(1, MAX_LISTED);
    sqlx::query_as(LIST)
        .bind(workspace)
        .bind(before)
        .bind(limit)
        .fetch_all(pool)
        .await
}

/// Why a dead letter was not sent again.
#[derive(Debug, thiserror::Error)]
pub enum ResendError {
    /// There is none of this number.
    #[error("there is no dead letter {}", .0.0)]
    Missing(DeadLetterId),
    /// The queue will not or cannot take it.
    #[error("the dead letter was not sent again")]
    NotSent(#[source] NotSentReason),
    /// The queue does not answer.
    #[error("the dead letter was not sent again; try later")]
    Queue(#[source] QueueError),
    /// The database does not answer. The message may have been sent: sending it once more does no harm.
    #[error("the database did not answer; try later")]
    Database(#[source] sqlx::Error),
}

/// Sends a dead letter's message again, as a new message of the same event, and notes when.
///
/// # Errors
///
/// See [`ResendError`].
pub async fn resend(
    pool: &PgPool,
    queue: &dyn QueueClient,
    id: DeadLetterId,
) -> Result<DeadLetter, ResendError> {
    let letter: Option<DeadLetter> = sqlx::query_as(GET)
        .bind(id)
        .fetch_optional(pool)
        .await
        .map_err(ResendError::Database)?;
    let letter = letter.ok_or(ResendError::Missing(id))?;
    let group = Event::from_body(&letter.body).map(|event| event.group());
    let message = Message {
        group: group.unwrap_or_else(|_| GroupId::named(GROUP_OF_UNREADABLE)),
        deduplication_id: Uuid::now_v7().to_string(),
        body: letter.body.clone(),
    };
    let not_sent = queue
        .send_batch(&[message])
        .await
        .map_err(ResendError::Queue)?;
    if let Some(not_sent) = not_sent.into_iter().next() {
        return Err(ResendError::NotSent(not_sent.reason));
    }
    sqlx::query(MARK_RESENT)
        .bind(id)
        .execute(pool)
        .await
        .map_err(ResendError::Database)?;
    Ok(letter)
}

/// Text as Postgres can keep it: without U+0000, and not longer than `chars`.
fn storable(text: &str, chars: usize) -> String {
    text.chars()
        .take(chars)
        .map(|c| {
            if c == '\0' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_made_storable() {
        assert_eq!(storable("a\0b", 10), "a\u{FFFD}b");
        assert_eq!(storable("über alles", 4), "über");
    }
}
