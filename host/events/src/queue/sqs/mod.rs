//! The queue in SQS, or in what speaks its protocol.

mod connect;
mod queue;
mod requests;

pub use connect::SqsSettings;
pub use queue::SqsQueue;
