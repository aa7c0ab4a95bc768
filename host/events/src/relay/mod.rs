//! From the outbox to the queue.
//!
//! Wanted:
//!
//! - Every committed row is sent, none before its `not_before`, those of one group in the order of `seq`.
//! - It is sent soon: the insert notifies, and a row that waits for its time is slept for exactly.
//! - One relay works at a time, however many processes run; when it dies another takes over within
//!   [`LEADER_POLL`](crate::limits::LEADER_POLL).
//!
//! Known races, and the choice for each:
//!
//! - A crash, or a lost connection, between sending and marking sends the rows again: the deduplication id is the event's
//!   id, so the queue drops it within its window, and after that the inbox makes it nothing.
//! - `seq` is given at insert and seen at commit, so a lower one may appear after a higher one was sent. Rows are chosen
//!   by "not sent", not by a position, so nothing is skipped; two transactions that overlap have no order to keep.
//! - A leader whose connection the server has given up, but which does not know it yet, may send beside the new leader:
//!   reads and marks go over the connection that holds the lock, so it can only finish the batch it has, which is then
//!   sent twice as after a crash. Order within a group may suffer; handlers bear late events.
//! - A waiting `pg_advisory_lock` would take over at once, but holds a snapshot for as long as it waits and so keeps
//!   vacuum from working: followers ask again and again instead.
//! - A row that the queue will never take would stop its group: it becomes a dead letter and counts as sent.

mod leader;
mod pass;
mod run;

pub use run::Relay;
