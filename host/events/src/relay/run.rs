//! The relay's loop.

use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::leader::Leadership;
use super::pass::{Pass, PassError, pass};
use crate::limits::{BACK_OFF_FIRST, BACK_OFF_MOST, RELAY_PASS, RETENTION_EVERY, back_off};
use crate::queue::QueueClient;
use crate::retention;
use crate::wake::Wakes;

/// Notified by a trigger of the table `outbox`.
const CHANNEL: &str = "g1t_outbox";

/// Sends what is in the outbox, if it is the leader among the relays of its database.
pub struct Relay {
    pool: PgPool,
    queue: Arc<dyn QueueClient>,
    leading: watch::Sender<bool>,
}

impl Relay {
    /// A relay from the outbox in the database of `pool` to `queue`.
    pub fn new(pool: PgPool, queue: Arc<dyn QueueClient>) -> Self {
        Self {
            pool,
            queue,
            leading: watch::Sender::new(false),
        }
    }

    /// Whether this relay is the leader, now and as it changes.
    pub fn leading(&self) -> watch::Receiver<bool> {
        self.leading.subscribe()
    }

    /// Works until `stop`: waits to be the leader and then relays. A lost connection ends the leadership, and it waits
    /// again.
    pub async fn run(&self, stop: CancellationToken) {
        let wakes = Wakes::listen(self.pool.clone(), CHANNEL, None);
        let mut failures = 0;
        while !stop.is_cancelled() {
            let ended = match Leadership::acquire(&self.pool, &stop).await {
                Ok(None) => return,
                Ok(Some(leadership)) => {
                    failures = 0;
                    tracing::info!(queue = self.queue.name(), "this relay leads");
                    self.leading.send_replace(true);
                    let ended = self.lead(leadership, &wakes, &stop).await;
                    self.leading.send_replace(false);
                    ended
                }
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                failures += 1;
                tracing::warn!(%error, "the relay does not lead: its database failed");
                let wait = back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST);
                stop.run_until_cancelled(tokio::time::sleep(wait)).await;
            }
        }
    }

    /// Relays until `stop`, or until the database fails and with it the leadership.
    async fn lead(
        &self,
        mut leadership: Leadership,
        wakes: &Wakes,
        stop: &CancellationToken,
    ) -> Result<(), sqlx::Error> {
        let mut failures = 0;
        let mut purge_at = Instant::now();
        while !stop.is_cancelled() {
            if Instant::now() >= purge_at {
                let purged = timeout(RELAY_PASS, retention::purge(leadership.connection()))
                    .await
                    .unwrap_or_else(|_elapsed| {
                        Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))
                    })?;
                tracing::debug!(?purged, "old rows removed");
                purge_at = Instant::now() + RETENTION_EVERY;
            }
            let mut wake = wakes.begin();
            match self.pass(&mut leadership).await? {
                Pass::More => {}
                Pass::Done(next) => {
                    failures = 0;
                    stop.run_until_cancelled(wake.wait(next)).await;
                }
                Pass::Held => {
                    failures += 1;
                    let wait = back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST);
                    stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                }
            }
        }
        leadership.give_up().await;
        Ok(())
    }

    /// One pass; a queue that fails holds the rows, a database that fails is an error.
    async fn pass(&self, leadership: &mut Leadership) -> Result<Pass, sqlx::Error> {
        let passed = timeout(RELAY_PASS, pass(leadership.connection(), &*self.queue)).await;
        match passed {
            Ok(Ok(passed)) => Ok(passed),
            Ok(Err(PassError::Database(error))) => Err(error),
            Ok(Err(error @ PassError::Queue(_))) => {
                tracing::warn!(error = error.as_error(), "relaying failed");
                Ok(Pass::Held)
            }
            Err(_elapsed) => Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())),
        }
    }
}
