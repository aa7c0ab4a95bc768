//! Events on their way: a transaction [`publish()`]es one into the outbox, the [`Relay`] sends it to a queue, a
//! [`Consumer`] takes it from there to its [`Handler`], and what nobody can handle goes to the [`dead_letters`].
//!
//! Delivery is at least once: a handler notes the event's id in `inbox` in its own transaction. Events of one repository
//! arrive in order, except those that were dead and are sent again. Each module says what it promises, which races it
//! knows, and what it does about each.
#![deny(missing_docs)]

mod consumer;
pub mod dead_letters;
mod event;
pub mod limits;
mod publish;
mod queue;
mod relay;
pub mod retention;
mod wake;

pub use consumer::{Consumer, ConsumerSettings, Failure, Handler};
pub use event::{
    ActorId, BadKind, Event, EventId, EventKind, GroupId, RepositoryId, Unreadable, Unsendable,
    WorkspaceId,
};
pub use publish::{NewEvent, publish};
pub use queue::{
    Message, NotSent, NotSentReason, PostgresQueue, QueueClient, QueueError, Receipt, Received,
    SqsQueue, SqsSettings,
};
pub use relay::Relay;
