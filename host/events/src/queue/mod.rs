//! The queue between the outbox and the handlers, behind one trait, with two clients.
//!
//! Wanted, of both clients (the tests in `tests/conformance.rs` run against both):
//!
//! - Messages of one group are handed out in the order they were sent and one at a time: while one is hidden no other of
//!   its group is given, not even in the same receive. Groups do not wait for each other.
//! - At least once: a message that nobody deletes comes again when its visibility time-out is over; from the Postgres client
//!   at once, when the process that took it is gone.
//! - A deduplication id is taken once in [`DEDUPLICATION_WINDOW`](crate::limits::DEDUPLICATION_WINDOW).
//! - A receipt that is not the newest of its message does nothing.
//! - A waiting receive answers as soon as there is a message, not when its wait is over.
//!
//! Known races, and the choice for each:
//!
//! - A receive that is dropped may have hidden messages already, or, with SQS, be given some afterwards: they come again
//!   after the time-out. So a receive takes the stop signal and is never dropped by the consumer: the Postgres client
//!   gives up only its wait, the SQS client ends its current poll, which is why polls are short
//!   ([`SQS_POLL`](crate::limits::SQS_POLL)).
//! - Two senders of one group: the Postgres client makes them wait for each other, so that ids are in the order of
//!   commits and no message appears before one that was already given. SQS orders by arrival.
//! - A part of a batch that fails: what follows it in its group is not sent, or it would overtake. So SQS gets at most
//!   one message of a group in a request.
//! - SQS gives several messages of one group in one receive. When the first fails, those behind it go back untried, each
//!   time counted as received, until they are dead without a try. So from a FIFO queue one message is taken at a time:
//!   more requests, exact counts.
//! - A message that was received and not tried, because the consumer stops, is given back. The Postgres client takes the
//!   delivery off the count; SQS cannot, so there the message has a try less.
//! - A standard queue of SQS has no groups and no deduplication: order is lost, and the inbox is what makes handling
//!   once. It is allowed because handlers must bear late events anyway.
//!
//! There is no delay per message: FIFO queues of SQS have none. What is to happen later waits in the outbox
//! (`not_before`).

mod client;
mod holder;
mod postgres;
mod sqs;

pub use client::{Message, NotSent, NotSentReason, QueueClient, QueueError, Receipt, Received};
pub use postgres::PostgresQueue;
pub use sqs::{SqsQueue, SqsSettings};
