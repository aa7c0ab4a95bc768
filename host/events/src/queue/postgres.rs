//! The queue in Postgres: what an installation without SQS has, in the database it has anyway.
//!
//! Only the first message of a group is ever given out, so "in order" and "one at a time" are one rule: no row of the
//! group has a lower id. It holds under concurrency because
//!
//! - sends to a queue wait for each other by an advisory lock, so a lower id never appears after a higher one;
//! - a row that two receives look at is taken by the one that locks it: the other skips it, or, when the first has
//!   committed, sees on the locked row that it is hidden now;
//! - a receive that does not see yet that the first row is gone gives nothing of that group: it is notified of the
//!   removal and looks again.
//!
//! What a process had in hand when it died shows again at once, not after its time-out: see [`Holder`].

use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgPool;
use sqlx::types::Uuid;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::client::{Message, NotSent, QueueClient, QueueError, Receipt, Received};
use super::holder::{Holder, free_what_the_dead_hold};
use crate::event::GroupId;
use crate::limits::{DEDUPLICATION_WINDOW, MAX_BATCH_MESSAGES, QUEUE_POLL};
use crate::wake::Wakes;

/// Notified with the queue's name when a message may have become visible.
const CHANNEL: &str = "g1t_queue";

const LOCK_SENDERS: &str = "SELECT pg_advisory_xact_lock(hashtextextended('g1t_queue/' || $1, 0))";

// One statement for a batch. An id that is given twice in the batch counts once, as it does in two batches.
const SEND: &str = "
    WITH given AS (
        SELECT DISTINCT ON (deduplication_id) group_id, deduplication_id, body, place
        FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS g (group_id, deduplication_id, body, place)
        ORDER BY deduplication_id, place
    ), fresh AS (
        INSERT INTO queue_deduplication AS d (queue, deduplication_id, sent_at)
        SELECT $1, deduplication_id, clock_timestamp() FROM given
        ON CONFLICT (queue, deduplication_id) DO UPDATE SET sent_at = excluded.sent_at
            WHERE d.sent_at < excluded.sent_at - $5::bigint * interval '1 millisecond'
        RETURNING deduplication_id
    )
    INSERT INTO queue_messages (queue, group_id, deduplication_id, body)
    SELECT $1, group_id, deduplication_id, body FROM given JOIN fresh USING (deduplication_id) ORDER BY place";

const NOTIFY: &str = "SELECT pg_notify('g1t_queue', $1)";

// MATERIALIZED: the rows are chosen and locked once, whatever plan the update gets.
const RECEIVE: &str = "
    WITH first AS MATERIALIZED (
        SELECT m.id FROM queue_messages m
        WHERE m.queue = $1 AND m.visible_at <= clock_timestamp()
            AND NOT EXISTS (SELECT FROM queue_messages earlier
                            WHERE earlier.queue = m.queue AND earlier.group_id = m.group_id AND earlier.id < m.id)
        ORDER BY m.id
        LIMIT $2
        FOR UPDATE SKIP LOCKED
    )
    UPDATE queue_messages m
    SET receipt = gen_random_uuid(), receive_count = m.receive_count + 1, holder = $4,
        visible_at = clock_timestamp() + $3::bigint * interval '1 millisecond'
    FROM first WHERE m.id = first.id
    RETURNING m.id, m.group_id, m.deduplication_id, m.body, m.receipt, m.receive_count";

// Milliseconds until the next hidden message shows, rounded up so that it has shown then.
const NEXT: &str = "
    SELECT ceil(extract(epoch FROM min(visible_at) - clock_timestamp()) * 1000)::bigint
    FROM queue_messages WHERE queue = $1 AND visible_at > clock_timestamp()";

const DELETE: &str = "DELETE FROM queue_messages WHERE queue = $1 AND receipt = ANY($2)";

// `holder` stays: a wait that was asked for by a process that is gone may be cut short.
const EXTEND: &str = "
    UPDATE queue_messages SET visible_at = clock_timestamp() + $3::bigint * interval '1 millisecond'
    WHERE queue = $1 AND receipt = $2";

// The receipt goes too: who gives a message back has no more to say about it.
const RELEASE: &str = "
    UPDATE queue_messages
    SET visible_at = clock_timestamp(), receipt = NULL, holder = NULL, receive_count = greatest(receive_count - 1, 0)
    WHERE queue = $1 AND receipt = ANY($2)";

type Row = (i64, String, String, String, Uuid, i32);

/// A queue in the tables `queue_messages` and `queue_deduplication`. Holds one connection of the pool to be woken, and one beside
/// the pool that tells others that it lives.
#[derive(Debug)]
pub struct PostgresQueue {
    pool: PgPool,
    name: String,
    wakes: Wakes,
    holder: Holder,
}

impl PostgresQueue {
    /// The queue `name` in the database of `pool`. Needs a Tokio runtime: it begins to listen.
    pub fn new(pool: PgPool, name: impl Into<String>) -> Self {
        let name = name.into();
        let wakes = Wakes::listen(pool.clone(), CHANNEL, Some(name.clone()));
        let holder = Holder::begin(&pool);
        Self {
            pool,
            name,
            wakes,
            holder,
        }
    }

    fn failed(&self, source: sqlx::Error) -> QueueError {
        QueueError::Database {
            queue: self.name.clone(),
            source,
        }
    }

    async fn send(&self, messages: &[Message]) -> Result<(), sqlx::Error> {
        let column = |of: fn(&Message) -> &str| {
            messages
                .iter()
                .map(|m| of(m).to_owned())
                .collect::<Vec<_>>()
        };
        let mut tx = self.pool.begin().await?;
        sqlx::query(LOCK_SENDERS)
            .bind(&self.name)
            .execute(&mut *tx)
            .await?;
        sqlx::query(SEND)
            .bind(&self.name)
            .bind(column(|m| m.group.as_str()))
            .bind(column(|m| &m.deduplication_id))
            .bind(column(|m| &m.body))
            .bind(millis(DEDUPLICATION_WINDOW))
            .execute(&mut *tx)
            .await?;
        sqlx::query(NOTIFY)
            .bind(&self.name)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    async fn take(&self, max: usize, visibility: Duration) -> Result<Vec<Received>, sqlx::Error> {
        let limit = i64::try_from(max.min(MAX_BATCH_MESSAGES)).unwrap_or(1);
        let mut rows: Vec<Row> = sqlx::query_as(RECEIVE)
            .bind(&self.name)
            .bind(limit)
            .bind(millis(visibility))
            .bind(self.holder.key())
            .fetch_all(&self.pool)
            .await?;
        rows.sort_by_key(|row| row.0);
        let received = |(_, group, deduplication_id, body, receipt, count): Row| Received {
            group: Some(GroupId::named(group)),
            deduplication_id: Some(deduplication_id),
            body,
            receipt: Receipt(receipt.to_string()),
            receive_count: u32::try_from(count).unwrap_or(0),
        };
        Ok(rows.into_iter().map(received).collect())
    }

    /// How long until a message may show that nobody will notify of.
    async fn until_next(&self) -> Result<Duration, sqlx::Error> {
        let next: Option<i64> = sqlx::query_scalar(NEXT)
            .bind(&self.name)
            .fetch_one(&self.pool)
            .await?;
        let next = next.map_or(QUEUE_POLL, |ms| {
            Duration::from_millis(u64::try_from(ms).unwrap_or(0))
        });
        Ok(next.min(QUEUE_POLL))
    }

    /// Runs a statement on the rows of some receipts, and tells waiting receives.
    async fn change(&self, sql: &'static str, receipts: &[Receipt]) -> Result<(), sqlx::Error> {
        let receipts: Vec<Uuid> = receipts.iter().filter_map(parse).collect();
        if receipts.is_empty() {
            return Ok(());
        }
        let mut tx = self.pool.begin().await?;
        sqlx::query(sql)
            .bind(&self.name)
            .bind(&receipts)
            .execute(&mut *tx)
            .await?;
        sqlx::query(NOTIFY)
            .bind(&self.name)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }

    async fn extend(&self, receipt: &Receipt, duration: Duration) -> Result<(), sqlx::Error> {
        let Some(receipt) = parse(receipt) else {
            return Ok(());
        };
        sqlx::query(EXTEND)
            .bind(&self.name)
            .bind(receipt)
            .bind(millis(duration))
            .execute(&self.pool)
            .await?;
        if duration.is_zero() {
            sqlx::query(NOTIFY)
                .bind(&self.name)
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }
}

#[async_trait]
impl QueueClient for PostgresQueue {
    fn name(&self) -> &str {
        &self.name
    }

    async fn send_batch(&self, messages: &[Message]) -> Result<Vec<NotSent>, QueueError> {
        if !messages.is_empty() {
            self.send(messages).await.map_err(|e| self.failed(e))?;
        }
        Ok(Vec::new())
    }

    async fn receive(
        &self,
        max: usize,
        wait: Duration,
        visibility: Duration,
        stop: &CancellationToken,
    ) -> Result<Vec<Received>, QueueError> {
        let end = Instant::now() + wait;
        loop {
            if stop.is_cancelled() {
                return Ok(Vec::new());
            }
            let mut wake = self.wakes.begin();
            free_what_the_dead_hold(&self.pool, &self.name)
                .await
                .map_err(|e| self.failed(e))?;
            let taken = self
                .take(max, visibility)
                .await
                .map_err(|e| self.failed(e))?;
            let left = end.saturating_duration_since(Instant::now());
            if !taken.is_empty() || left.is_zero() {
                return Ok(taken);
            }
            let next = self.until_next().await.map_err(|e| self.failed(e))?;
            // Only the wait is given up by the signal, never a statement that may have taken something.
            tokio::select! {
                () = stop.cancelled() => return Ok(Vec::new()),
                () = wake.wait(next.min(left)) => {}
            }
        }
    }

    async fn delete(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        self.change(DELETE, receipts)
            .await
            .map_err(|e| self.failed(e))
    }

    async fn extend_visibility(
        &self,
        receipt: &Receipt,
        duration: Duration,
    ) -> Result<(), QueueError> {
        self.extend(receipt, duration)
            .await
            .map_err(|e| self.failed(e))
    }

    async fn release(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        self.change(RELEASE, receipts)
            .await
            .map_err(|e| self.failed(e))
    }
}

/// A receipt of another kind of queue names no row.
fn parse(receipt: &Receipt) -> Option<Uuid> {
    Uuid::parse_str(&receipt.0).ok()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
