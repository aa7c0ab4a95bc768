//! Which processes that took messages of the Postgres queue are alive.
//!
//! Wanted: messages of a process that was killed are given to others at once, and so is what waits behind them in their
//! group. A process that is alive keeps its messages as long as their time-out says.
//!
//! A process holds an advisory lock of the database by a connection of its own and writes the lock's key on what it
//! takes. Postgres lets the lock go when the connection's other end is gone.
//!
//! Known races, and the choice for each:
//!
//! - The connection is lost while the process lives: its messages may be given to somebody else too, as after a time-out
//!   that was missed. Its receipts are stale then, and handlers are safe to repeat.
//! - Messages taken while there is no such connection carry no key: their time-out is what counts.
//! - The machine is lost, and Postgres does not notice yet: again their time-out is what counts.

use sqlx::{Connection, PgConnection, PgPool};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::limits::{BACK_OFF_FIRST, BACK_OFF_MOST, HOLDER_CHECK, back_off};

const LOCK: &str = "SELECT pg_advisory_lock($1)";

// The two halves of a lock's key are shown as unsigned numbers.
const FREE: &str = "
    WITH dead AS MATERIALIZED (
        SELECT id FROM queue_messages
        WHERE queue = $1 AND visible_at > clock_timestamp() AND holder IS NOT NULL AND holder NOT IN (
            SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 1 AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        FOR UPDATE SKIP LOCKED
    ), freed AS (
        UPDATE queue_messages m SET visible_at = clock_timestamp(), holder = NULL FROM dead WHERE m.id = dead.id
        RETURNING m.id
    )
    SELECT pg_notify('g1t_queue', $1) FROM freed LIMIT 1";

/// Says to other processes that this one is alive, until it is dropped.
#[derive(Debug)]
pub(super) struct Holder {
    key: watch::Receiver<Option<i64>>,
    _holding: AbortOnDropHandle<()>,
}

impl Holder {
    /// Begins to hold a lock with a new key in the database of `pool`.
    pub(super) fn begin(pool: &PgPool) -> Self {
        let (held, key) = watch::channel(None);
        let pool = pool.clone();
        let holding = tokio::spawn(async move {
            let (_, key) = Uuid::new_v4().as_u64_pair();
            let mut failures = 0;
            loop {
                let ended = hold(&pool, key.cast_signed(), &held, &mut failures).await;
                held.send_replace(None);
                if let Err(error) = ended {
                    tracing::warn!(%error, "a crash would hold messages until their time-out: trying again");
                }
                failures += 1;
                tokio::time::sleep(back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST)).await;
            }
        });
        Self {
            key,
            _holding: AbortOnDropHandle::new(holding),
        }
    }

    /// The key to write on what is taken; none while there is no connection that holds the lock.
    pub(super) fn key(&self) -> Option<i64> {
        *self.key.borrow()
    }
}

/// Holds the lock until the connection fails.
async fn hold(
    pool: &PgPool,
    key: i64,
    held: &watch::Sender<Option<i64>>,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    // Not of the pool: a session lock must not go back into it.
    let mut connection = PgConnection::connect_with(&pool.connect_options()).await?;
    sqlx::query(LOCK).bind(key).execute(&mut connection).await?;
    *failures = 0;
    held.send_replace(Some(key));
    loop {
        tokio::time::sleep(HOLDER_CHECK).await;
        tokio::time::timeout(HOLDER_CHECK, connection.ping())
            .await
            .unwrap_or_else(|_| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())))?;
    }
}

/// Makes visible what processes that are gone had in hand.
pub(super) async fn free_what_the_dead_hold(pool: &PgPool, queue: &str) -> Result<(), sqlx::Error> {
    sqlx::query(FREE).bind(queue).execute(pool).await?;
    Ok(())
}
