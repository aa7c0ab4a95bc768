//! Being woken by Postgres notifications.
//!
//! Wanted: a waiter is woken by everything that commits after it began to wait. Notifications get lost while a
//! connection is down, so every waiter polls as well, and each new connection wakes everybody once.

use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::limits::{BACK_OFF_FIRST, BACK_OFF_MOST, back_off};

/// Listens on one channel until it is dropped; takes one connection of the pool.
#[derive(Debug)]
pub(crate) struct Wakes {
    count: watch::Receiver<u64>,
    _listening: AbortOnDropHandle<()>,
}

/// Begins before the look that finds nothing, so that what commits in between is not missed.
#[derive(Debug)]
pub(crate) struct Wake(watch::Receiver<u64>);

impl Wakes {
    /// Listens on `channel`, to notifications that carry `payload` if one is given.
    pub(crate) fn listen(pool: PgPool, channel: &'static str, payload: Option<String>) -> Self {
        let (wake, count) = watch::channel(0);
        let listening = tokio::spawn(async move {
            let mut failures = 0;
            loop {
                match listen_once(&pool, channel, payload.as_deref(), &wake, &mut failures).await {
                    Ok(()) => {}
                    Err(sqlx::Error::PoolClosed) => return,
                    Err(error) => {
                        tracing::warn!(channel, %error, "listening failed; polling goes on")
                    }
                }
                failures += 1;
                tokio::time::sleep(back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST)).await;
            }
        });
        Self {
            count,
            _listening: AbortOnDropHandle::new(listening),
        }
    }

    /// A wake for everything from now on.
    pub(crate) fn begin(&self) -> Wake {
        let mut count = self.count.clone();
        count.mark_unchanged();
        Wake(count)
    }
}

impl Wake {
    /// Waits to be woken, at most for `limit`.
    pub(crate) async fn wait(&mut self, limit: Duration) {
        let woken = async {
            if self.0.changed().await.is_err() {
                // Nobody listens any more: polling is what is left.
                std::future::pending::<()>().await;
            }
        };
        let _ = tokio::time::timeout(limit, woken).await;
    }
}

/// Listens until the connection is lost.
async fn listen_once(
    pool: &PgPool,
    channel: &str,
    payload: Option<&str>,
    wake: &watch::Sender<u64>,
    failures: &mut u32,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(channel).await?;
    listener.eager_reconnect(false);
    *failures = 0;
    wake.send_modify(|count| *count += 1);
    while let Some(notification) = listener.try_recv().await? {
        if payload.is_none_or(|wanted| wanted == notification.payload()) {
            wake.send_modify(|count| *count += 1);
        }
    }
    Ok(())
}
