//! What a consumer calls.

use std::time::Duration;

use async_trait::async_trait;

use crate::event::Event;

/// Why an event was not handled, as `g1t:events/types.failure` has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Try again. Counts as a try.
    #[error("to be tried again in {after:?}: {why}")]
    Retry {
        /// Not before this time from now.
        after: Duration,
        /// Why it could not be done now.
        why: String,
    },
    /// No try can help.
    #[error("rejected: {0}")]
    Reject(String),
}

/// Handles events. Delivery is at least once and, across groups, in any order.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Handles one event; `Ok` says that all it does has committed. Dropped when it takes longer than
    /// [`handle_limit`](super::ConsumerSettings::handle_limit) or a stop's limit is over.
    ///
    /// # Errors
    ///
    /// See [`Failure`].
    async fn handle(&self, event: &Event) -> Result<(), Failure>;
}
