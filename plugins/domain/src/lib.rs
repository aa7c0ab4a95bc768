//! The domain of work and its merge queue as plain data and functions: no I/O, no clock, no random numbers.
//!
//! Whatever the outside has to tell comes in as an argument, and whatever is to be done goes out as a value. So every
//! rule of the queue can be tested without a database, a repository or a second of waiting.
//!
//! - [`queue`] decides what happens to the entries of one merge queue.
//! - [`message`] writes the messages of the commits that landing makes.
//! - [`merge_method`] and [`ids`] are the words that the rest speaks in.

#![deny(missing_docs)]

pub mod ids;
pub mod merge_method;
pub mod message;
pub mod queue;

pub use ids::{AttemptId, EntryId, InvalidOid, Oid, PullNumber, Time};
pub use merge_method::{MergeMethod, UnknownMergeMethod};
