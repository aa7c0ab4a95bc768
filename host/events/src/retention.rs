//! Removing what has had its time: deduplication ids, the inbox, kept answers of creates, decisions of the judge. The outbox stays: it is the timeline.

use std::time::Duration;

use sqlx::PgConnection;

use crate::limits::{ANSWERS_KEPT, DECISIONS_KEPT, DEDUPLICATION_KEPT, INBOX_KEPT};

const DEDUPLICATION: &str = "DELETE FROM queue_deduplication WHERE sent_at < clock_timestamp() - $1::bigint * interval '1 second'";

const INBOX: &str =
    "DELETE FROM inbox WHERE handled_at < clock_timestamp() - $1::bigint * interval '1 second'";

const ANSWERS: &str = "DELETE FROM idempotency_keys WHERE created_at < clock_timestamp() - $1::bigint * interval '1 second'";

const DECISIONS: &str = "DELETE FROM rule_evaluations WHERE evaluated_at < clock_timestamp() - $1::bigint * interval '1 second'";

/// How many rows were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purged {
    /// Of `queue_deduplication`.
    pub deduplication: u64,
    /// Of `inbox`.
    pub inbox: u64,
    /// Of `idempotency_keys`.
    pub answers: u64,
    /// Of `rule_evaluations`.
    pub decisions: u64,
}

/// Removes deduplication ids older than [`DEDUPLICATION_KEPT`], inbox rows older than [`INBOX_KEPT`], answers older than
/// [`ANSWERS_KEPT`] and decisions older than [`DECISIONS_KEPT`]. The relay's leader does it every
/// [`RETENTION_EVERY`](crate::limits::RETENTION_EVERY).
///
/// # Errors
///
/// What the database says.
pub async fn purge(connection: &mut PgConnection) -> Result<Purged, sqlx::Error> {
    let deduplication = delete(connection, DEDUPLICATION, DEDUPLICATION_KEPT).await?;
    let inbox = delete(connection, INBOX, INBOX_KEPT).await?;
    let answers = delete(connection, ANSWERS, ANSWERS_KEPT).await?;
    let decisions = delete(connection, DECISIONS, DECISIONS_KEPT).await?;
    Ok(Purged {
        deduplication,
        inbox,
        answers,
        decisions,
    })
}

async fn delete(
    connection: &mut PgConnection,
    sql: &'static str,
    kept: Duration,
) -> Result<u64, sqlx::Error> {
    let seconds = i64::try_from(kept.as_secs()).unwrap_or(i64::MAX);
    Ok(sqlx::query(sql)
        .bind(seconds)
        .execute(connection)
        .await?
        .rows_affected())
}
