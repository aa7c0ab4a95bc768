//! Being the one relay that works.

use sqlx::{Connection, PgConnection, PgPool};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::limits::{LEADER_ANSWER, LEADER_POLL};

/// Key of the advisory lock: "g1trelay" in ASCII.
const LOCK: i64 = 0x6731_7472_656c_6179;

const TRY_LOCK: &str = "SELECT pg_try_advisory_lock($1)";

/// The leadership: a connection that holds the lock. When the connection is gone so is the leadership; there is no other
/// way to have a connection for the work.
#[derive(Debug)]
pub(super) struct Leadership(PgConnection);

impl Leadership {
    /// Waits for the leadership; none when it is time to stop.
    pub(super) async fn acquire(
        pool: &PgPool,
        stop: &CancellationToken,
    ) -> Result<Option<Self>, sqlx::Error> {
        // Not of the pool: a session lock must not go back into it.
        let options = pool.connect_options();
        let mut connection = answered(PgConnection::connect_with(&options)).await?;
        loop {
            let asking = sqlx::query_scalar(TRY_LOCK)
                .bind(LOCK)
                .fetch_one(&mut connection);
            let locked: bool = answered(asking).await?;
            if locked {
                return Ok(Some(Self(connection)));
            }
            if stop
                .run_until_cancelled(tokio::time::sleep(LEADER_POLL))
                .await
                .is_none()
            {
                return Ok(None);
            }
        }
    }

    /// The connection that holds the lock.
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.0
    }

    /// Gives the leadership up, so that another takes over without waiting for the server to see that this one is gone.
    pub(super) async fn give_up(self) {
        if let Err(error) = answered(self.0.close()).await {
            tracing::debug!(%error, "the leader's connection was already gone");
        }
    }
}

/// A database that says nothing is an error, not a wait for ever.
async fn answered<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    timeout(LEADER_ANSWER, work)
        .await
        .unwrap_or_else(|_elapsed| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())))
}
