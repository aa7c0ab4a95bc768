//! What the consumer and the relay know of a queue.

use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::event::GroupId;

/// A message to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What it is in order with.
    pub group: GroupId,
    /// Sending it again within the window does nothing.
    pub deduplication_id: String,
    /// At most [`MAX_BODY_BYTES`](crate::limits::MAX_BODY_BYTES).
    pub body: String,
}

/// Proves that one is who received a message last.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Receipt(pub String);

/// A message that was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The group it was sent in; none from a queue that has no groups.
    pub group: Option<GroupId>,
    /// The deduplication id it was sent with, which is the event's id unless it was sent again; none from a queue that
    /// keeps none.
    pub deduplication_id: Option<String>,
    /// The body.
    pub body: String,
    /// For [`QueueClient::delete`] and the like.
    pub receipt: Receipt,
    /// How often it was given out, this time included.
    pub receive_count: u32,
}

/// A message of a batch that was not sent.
#[derive(Debug)]
pub struct NotSent {
    /// Its place in the batch, from 0.
    pub index: usize,
    /// Why, and whether trying again can help.
    pub reason: NotSentReason,
}

/// Why a message was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSentReason {
    /// The queue will never take this message.
    #[error("the queue refuses the message: {0}")]
    Refused(String),
    /// The queue could not take it now.
    #[error("the queue did not take the message: {0}")]
    Later(String),
    /// One before it in its group was not sent.
    #[error("a message before it in its group was not sent")]
    Behind,
}

/// The queue did not answer as it should; trying again later may help.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The Postgres client's database.
    #[error(
        "the database of the queue `{queue}` did not do what was asked; is it reachable and migrated?"
    )]
    Database {
        /// Name of the queue.
        queue: String,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// SQS.
    #[error(
        "SQS did not do what was asked; check SQS_QUEUE_URL ({queue}), the region and the credentials"
    )]
    Sqs {
        /// Address of the queue.
        queue: String,
        /// What SQS said.
        #[source]
        source: Box<aws_sdk_sqs::Error>,
    },
    /// SQS did a request but not for one of its messages, several times.
    #[error("SQS failed on one message of a batch of the queue {queue}: {code}")]
    SqsEntry {
        /// Address of the queue.
        queue: String,
        /// SQS's code for it.
        code: String,
    },
}

/// A queue of messages.
#[async_trait]
pub trait QueueClient: Send + Sync {
    /// Name for logs and metrics.
    fn name(&self) -> &str;

    /// Sends messages, those of one group in their order, and says which were not sent. A duplicate counts as sent.
    ///
    /// # Errors
    ///
    /// When the queue does not answer; some of the messages may have been sent then.
    async fn send_batch(&self, messages: &[Message]) -> Result<Vec<NotSent>, QueueError>;

    /// Takes up to `max` messages (at most [`MAX_BATCH_MESSAGES`](crate::limits::MAX_BATCH_MESSAGES)), one of a group, and
    /// hides them for `visibility`. Without a message it waits up to `wait` for one, or until `stop`; it may answer earlier with none.
    ///
    /// # Errors
    ///
    /// When the queue does not answer.
    async fn receive(
        &self,
        max: usize,
        wait: Duration,
        visibility: Duration,
        stop: &CancellationToken,
    ) -> Result<Vec<Received>, QueueError>;

    /// Removes messages. A stale receipt is passed over.
    ///
    /// # Errors
    ///
    /// When the queue does not answer.
    async fn delete(&self, receipts: &[Receipt]) -> Result<(), QueueError>;

    /// Hides a message for `duration` from now; zero shows it at once. A stale receipt is passed over.
    ///
    /// # Errors
    ///
    /// When the queue does not answer.
    async fn extend_visibility(
        &self,
        receipt: &Receipt,
        duration: Duration,
    ) -> Result<(), QueueError>;

    /// Gives messages back that nobody tried. Where the queue can, this delivery is not counted.
    ///
    /// # Errors
    ///
    /// When the queue does not answer.
    async fn release(&self, receipts: &[Receipt]) -> Result<(), QueueError>;
}
