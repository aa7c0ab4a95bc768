//! The client.

use std::collections::HashSet;
use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_sqs::error::{BuildError, ProvideErrorMetadata};
use aws_sdk_sqs::types::{
    BatchResultErrorEntry, DeleteMessageBatchRequestEntry, Message as SqsMessage,
    MessageSystemAttributeName, SendMessageBatchRequestEntry,
};
use aws_sdk_sqs::{Client, Error as SqsError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::connect::{SqsSettings, client};
use super::requests::requests;
use crate::event::GroupId;
use crate::limits::{MAX_BATCH_MESSAGES, MAX_HIDDEN, SQS_ATTEMPTS, SQS_POLL};
use crate::queue::client::{
    Message, NotSent, NotSentReason, QueueClient, QueueError, Receipt, Received,
};

/// A queue of SQS.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    client: Client,
    queue_url: String,
    fifo: bool,
}

impl SqsQueue {
    /// A client for the queue. Connects at the first request.
    pub async fn new(settings: SqsSettings) -> Self {
        let client = client(&settings).await;
        let fifo = settings.queue_url.ends_with(".fifo");
        Self {
            client,
            queue_url: settings.queue_url,
            fifo,
        }
    }

    /// The client of AWS underneath, for tests and tools that make and look at queues.
    pub fn sdk(&self) -> &Client {
        &self.client
    }

    fn failed(&self, source: impl Into<SqsError>) -> QueueError {
        QueueError::Sqs {
            queue: self.queue_url.clone(),
            source: Box::new(source.into()),
        }
    }

    fn entry(
        &self,
        index: usize,
        message: &Message,
    ) -> Result<SendMessageBatchRequestEntry, BuildError> {
        let entry = SendMessageBatchRequestEntry::builder()
            .id(index.to_string())
            .message_body(&message.body);
        if !self.fifo {
            return entry.build();
        }
        entry
            .message_group_id(message.group.as_str())
            .message_deduplication_id(&message.deduplication_id)
            .build()
    }

    /// Sends the messages at `indices` in one request.
    async fn send_request(
        &self,
        messages: &[Message],
        indices: &[usize],
    ) -> Result<Vec<NotSent>, QueueError> {
        let entries = indices
            .iter()
            .filter_map(|&index| Some((index, messages.get(index)?)));
        let entries = entries
            .map(|(index, message)| self.entry(index, message))
            .collect::<Result<Vec<_>, _>>();
        let sent = self
            .client
            .send_message_batch()
            .queue_url(&self.queue_url)
            .set_entries(Some(entries.map_err(|e| self.failed(e))?))
            .send()
            .await
            .map_err(|e| self.failed(e))?;
        Ok(sent.failed().iter().filter_map(not_sent).collect())
    }

    /// Receives in one request.
    async fn poll(
        &self,
        max: usize,
        wait: Duration,
        visibility: Duration,
    ) -> Result<Vec<Received>, QueueError> {
        // One at a time where there are groups: see the races of the module above.
        let max = if self.fifo {
            1
        } else {
            max.clamp(1, MAX_BATCH_MESSAGES)
        };
        let answer = self
            .client
            .receive_message()
            .queue_url(&self.queue_url)
            .max_number_of_messages(i32::try_from(max).unwrap_or(1))
            .wait_time_seconds(whole_seconds(wait))
            .visibility_timeout(whole_seconds(visibility.min(MAX_HIDDEN)))
            .message_system_attribute_names(MessageSystemAttributeName::ApproximateReceiveCount)
            .message_system_attribute_names(MessageSystemAttributeName::MessageGroupId)
            .message_system_attribute_names(MessageSystemAttributeName::MessageDeduplicationId)
            .send()
            .await
            .map_err(|e| self.failed(e))?;
        Ok(answer.messages().iter().filter_map(received).collect())
    }

    /// Deletes in one request and gives back what to try again.
    async fn delete_request(
        &self,
        receipts: &[Receipt],
    ) -> Result<Vec<(Receipt, String)>, QueueError> {
        let entry = |(index, receipt): (usize, &Receipt)| {
            DeleteMessageBatchRequestEntry::builder()
                .id(index.to_string())
                .receipt_handle(&receipt.0)
                .build()
        };
        let entries = receipts
            .iter()
            .enumerate()
            .map(entry)
            .collect::<Result<Vec<_>, _>>();
        let done = self
            .client
            .delete_message_batch()
            .queue_url(&self.queue_url)
            .set_entries(Some(entries.map_err(|e| self.failed(e))?))
            .send()
            .await
            .map_err(|e| self.failed(e))?;
        // A fault of the sender is a stale receipt: somebody else has the message now.
        let again = done.failed().iter().filter(|failed| !failed.sender_fault());
        let again = again.filter_map(|failed| {
            let index: usize = failed.id().parse().ok()?;
            Some((receipts.get(index)?.clone(), failed.code().to_owned()))
        });
        Ok(again.collect())
    }
}

#[async_trait]
impl QueueClient for SqsQueue {
    fn name(&self) -> &str {
        self.queue_url.rsplit('/').next().unwrap_or(&self.queue_url)
    }

    async fn send_batch(&self, messages: &[Message]) -> Result<Vec<NotSent>, QueueError> {
        let mut all = Vec::new();
        let mut stuck: HashSet<&GroupId> = HashSet::new();
        for mut indices in requests(messages, self.fifo) {
            indices.retain(|&index| {
                let behind = messages
                    .get(index)
                    .is_some_and(|message| stuck.contains(&message.group));
                if behind {
                    all.push(NotSent {
                        index,
                        reason: NotSentReason::Behind,
                    });
                }
                !behind
            });
            if indices.is_empty() {
                continue;
            }
            for failed in self.send_request(messages, &indices).await? {
                // What SQS never takes holds nobody up: it goes to the dead letters.
                if let (true, NotSentReason::Later(_), Some(message)) =
                    (self.fifo, &failed.reason, messages.get(failed.index))
                {
                    stuck.insert(&message.group);
                }
                all.push(failed);
            }
        }
        Ok(all)
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
            let left = end.saturating_duration_since(Instant::now());
            // Not dropped by the signal: SQS may give a message to who does not listen any more.
            let received = self.poll(max, left.min(SQS_POLL), visibility).await?;
            if !received.is_empty() || left <= SQS_POLL {
                return Ok(received);
            }
        }
    }

    async fn delete(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        for chunk in receipts.chunks(MAX_BATCH_MESSAGES) {
            let mut left = chunk.to_vec();
            for attempt in 1..=SQS_ATTEMPTS {
                if left.is_empty() {
                    break;
                }
                let again = self.delete_request(&left).await?;
                if let (SQS_ATTEMPTS, Some((_, code))) = (attempt, again.first()) {
                    return Err(QueueError::SqsEntry {
                        queue: self.queue_url.clone(),
                        code: code.clone(),
                    });
                }
                left = again.into_iter().map(|(receipt, _)| receipt).collect();
            }
        }
        Ok(())
    }

    async fn extend_visibility(
        &self,
        receipt: &Receipt,
        duration: Duration,
    ) -> Result<(), QueueError> {
        let changed = self
            .client
            .change_message_visibility()
            .queue_url(&self.queue_url)
            .receipt_handle(&receipt.0)
            .visibility_timeout(whole_seconds(duration.min(MAX_HIDDEN)))
            .send()
            .await
            .map_err(SqsError::from);
        match changed {
            Ok(_) => Ok(()),
            Err(SqsError::MessageNotInflight(_) | SqsError::ReceiptHandleIsInvalid(_)) => Ok(()),
            // What FIFO queues say to a receipt whose time is over; the interface description has no type for it.
            Err(error) if error.code() == Some("InvalidParameterValue") => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    async fn release(&self, receipts: &[Receipt]) -> Result<(), QueueError> {
        for receipt in receipts {
            self.extend_visibility(receipt, Duration::ZERO).await?;
        }
        Ok(())
    }
}

fn not_sent(failed: &BatchResultErrorEntry) -> Option<NotSent> {
    let index = failed.id().parse().ok()?;
    let why = format!("{} {}", failed.code(), failed.message().unwrap_or_default());
    let reason = if failed.sender_fault() && failed.code() != "RequestThrottled" {
        NotSentReason::Refused(why)
    } else {
        NotSentReason::Later(why)
    };
    Some(NotSent { index, reason })
}

fn received(message: &SqsMessage) -> Option<Received> {
    let attribute = |name| message.attributes().and_then(|all| all.get(&name));
    Some(Received {
        group: attribute(MessageSystemAttributeName::MessageGroupId).map(GroupId::named),
        deduplication_id: attribute(MessageSystemAttributeName::MessageDeduplicationId).cloned(),
        body: message.body().unwrap_or_default().to_owned(),
        receipt: Receipt(message.receipt_handle()?.to_owned()),
        receive_count: attribute(MessageSystemAttributeName::ApproximateReceiveCount)
            .and_then(|count| count.parse().ok())
            .unwrap_or(1),
    })
}

/// SQS counts in seconds. Rounded up: a message is never shown earlier than asked.
fn whole_seconds(duration: Duration) -> i32 {
    let up = u64::from(duration.subsec_nanos() > 0);
    i32::try_from(duration.as_secs() + up).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_times_are_rounded_up_to_seconds() {
        let seconds = [0, 1, 999, 1000, 1001].map(|ms| whole_seconds(Duration::from_millis(ms)));
        assert_eq!(seconds, [0, 1, 1, 1, 2]);
    }
}
