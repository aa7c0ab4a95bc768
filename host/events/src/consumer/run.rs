//! Receiving, and stopping.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handler::Handler;
use super::work::Work;
use crate::limits::{
    BACK_OFF_FIRST, BACK_OFF_MOST, CONCURRENCY, HANDLE_LIMIT, MAX_BATCH_MESSAGES, MAX_RECEIVES,
    RECEIVE_WAIT, RETRY_FIRST, STOP_LIMIT, VISIBILITY, back_off,
};
use crate::queue::{QueueClient, Received};

/// How a consumer works; the defaults are the constants of [`limits`](crate::limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsumerSettings {
    /// Messages handled at the same time.
    pub concurrency: usize,
    /// Deliveries before a message dies.
    pub max_receives: u32,
    /// The wait before the second delivery, doubled for each further one; longer when the handler asks for it.
    pub retry_first: Duration,
    /// How long a message stays hidden without a heartbeat; at least a second for SQS.
    pub visibility: Duration,
    /// How long one receive waits.
    pub wait: Duration,
    /// The longest one handling may take.
    pub handle_limit: Duration,
    /// How long a stop waits for what runs.
    pub stop_limit: Duration,
}

impl Default for ConsumerSettings {
    fn default() -> Self {
        Self {
            concurrency: CONCURRENCY,
            max_receives: MAX_RECEIVES,
            retry_first: RETRY_FIRST,
            visibility: VISIBILITY,
            wait: RECEIVE_WAIT,
            handle_limit: HANDLE_LIMIT,
            stop_limit: STOP_LIMIT,
        }
    }
}

/// Receives messages and has them handled.
#[derive(Clone)]
pub struct Consumer {
    work: Arc<Work>,
}

impl Consumer {
    /// A consumer of `queue` that calls `handler`; dead letters go to the database of `pool`.
    pub fn new(
        queue: Arc<dyn QueueClient>,
        pool: PgPool,
        handler: Arc<dyn Handler>,
        settings: ConsumerSettings,
    ) -> Self {
        Self {
            work: Arc::new(Work {
                queue,
                pool,
                handler,
                settings,
            }),
        }
    }

    /// Works until `stop`; then receives no more, waits for what runs up to
    /// [`stop_limit`](ConsumerSettings::stop_limit), drops what still runs and makes its messages visible.
    pub async fn run(&self, stop: CancellationToken) {
        let settings = &self.work.settings;
        let permits = Arc::new(Semaphore::new(settings.concurrency.max(1)));
        let running = TaskTracker::new();
        let give_up = CancellationToken::new();
        let mut failures = 0;
        while let Some(permit) = permit(&permits, &stop).await {
            match self.receive(&permits, &stop).await {
                Ok(messages) if stop.is_cancelled() => {
                    self.give_back(messages).await;
                    break;
                }
                Ok(messages) => {
                    failures = 0;
                    self.start(messages, permit, &permits, &running, &give_up);
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(
                        queue = self.work.queue.name(),
                        error = &error as &dyn std::error::Error,
                        "receiving failed"
                    );
                    let wait = back_off(failures, BACK_OFF_FIRST, BACK_OFF_MOST);
                    stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                }
            }
        }
        running.close();
        if tokio::time::timeout(settings.stop_limit, running.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                queue = self.work.queue.name(),
                left = running.len(),
                "stopping: what still runs is dropped"
            );
            give_up.cancel();
            running.wait().await;
        }
    }

    /// Receives as many messages as can be started.
    async fn receive(
        &self,
        permits: &Semaphore,
        stop: &CancellationToken,
    ) -> Result<Vec<Received>, crate::queue::QueueError> {
        // The caller holds one permit; nobody else takes any, so what is free stays free.
        let room = (permits.available_permits() + 1).min(MAX_BATCH_MESSAGES);
        let settings = &self.work.settings;
        self.work
            .queue
            .receive(room, settings.wait, settings.visibility, stop)
            .await
    }

    fn start(
        &self,
        messages: Vec<Received>,
        permit: OwnedSemaphorePermit,
        permits: &Arc<Semaphore>,
        running: &TaskTracker,
        give_up: &CancellationToken,
    ) {
        let mut permit = Some(permit);
        for message in messages {
            let permit = permit
                .take()
                .or_else(|| Arc::clone(permits).try_acquire_owned().ok());
            let (work, give_up) = (Arc::clone(&self.work), give_up.clone());
            running.spawn(async move {
                work.message(message, &give_up).await;
                drop(permit);
            });
        }
    }

    async fn give_back(&self, messages: Vec<Received>) {
        let receipts: Vec<_> = messages
            .into_iter()
            .map(|message| message.receipt)
            .collect();
        if let Err(error) = self.work.queue.release(&receipts).await {
            tracing::warn!(
                queue = self.work.queue.name(),
                error = &error as &dyn std::error::Error,
                "giving back failed"
            );
        }
    }
}

/// A permit, or none when it is time to stop.
async fn permit(
    permits: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> Option<OwnedSemaphorePermit> {
    if stop.is_cancelled() {
        return None;
    }
    stop.run_until_cancelled(Arc::clone(permits).acquire_owned())
        .await?
        .ok()
}
