//! Removing what has had its time: deduplication ids, the inbox, kept answers of creates, what the judge decided, and whose
//! request connections served that are gone. The outbox stays: it is the timeline.

use std::time::Duration;

use sqlx::PgConnection;

use crate::limits::{ANSWERS_KEPT, DEDUPLICATION_KEPT, EVALUATIONS_KEPT, INBOX_KEPT, PURGE_ROWS};

const DEDUPLICATION: &str = "DELETE FROM queue_deduplication WHERE sent_at < clock_timestamp() - $1::bigint * interval '1 second'";

const INBOX: &str =
    "DELETE FROM inbox WHERE handled_at < clock_timestamp() - $1::bigint * interval '1 second'";

const ANSWERS: &str = "DELETE FROM idempotency_keys WHERE created_at < clock_timestamp() - $1::bigint * interval '1 second'";

// The oldest by their number, which an index has.
const EVALUATIONS: &str = "
    DELETE FROM rule_evaluations WHERE id IN (
        SELECT id FROM (SELECT id, evaluated_at FROM rule_evaluations ORDER BY id LIMIT $2) AS oldest
        WHERE evaluated_at < clock_timestamp() - $1::bigint * interval '1 second')";

const GUEST_SESSIONS: &str =
    "DELETE FROM guest_sessions WHERE pid NOT IN (SELECT pid FROM pg_stat_activity)";

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
    pub evaluations: u64,
    /// Of `guest_sessions`.
    pub guest_sessions: u64,
}

/// Removes deduplication ids older than [`DEDUPLICATION_KEPT`], inbox rows older than [`INBOX_KEPT`], answers older than
/// [`ANSWERS_KEPT`], what the judge decided before [`EVALUATIONS_KEPT`], and sessions of guests whose connection is gone. The
/// relay's leader does it every
/// [`RETENTION_EVERY`](crate::limits::RETENTION_EVERY).
///
/// # Errors
///
/// What the database says.
pub async fn purge(connection: &mut PgConnection) -> Result<Purged, sqlx::Error> {
    let deduplication = delete(connection, DEDUPLICATION, DEDUPLICATION_KEPT).await?;
    let inbox = delete(connection, INBOX, INBOX_KEPT).await?;
    let answers = delete(connection, ANSWERS, ANSWERS_KEPT).await?;
    let evaluations = delete_evaluations(connection).await?;
    let guest_sessions = sqlx::query(GUEST_SESSIONS)
        .execute(connection)
        .await?
        .rows_affected();
    Ok(Purged {
        deduplication,
        inbox,
        answers,
        evaluations,
        guest_sessions,
    })
}

async fn delete_evaluations(connection: &mut PgConnection) -> Result<u64, sqlx::Error> {
    let seconds = i64::try_from(EVALUATIONS_KEPT.as_secs()).unwrap_or(i64::MAX);
    let mut removed = 0;
    loop {
        let rows = sqlx::query(EVALUATIONS)
            .bind(seconds)
            .bind(PURGE_ROWS)
            .execute(&mut *connection)
            .await?
            .rows_affected();
        removed += rows;
        if i64::try_from(rows).unwrap_or(i64::MAX) < PURGE_ROWS {
            return Ok(removed);
        }
    }
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
