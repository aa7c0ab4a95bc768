//! The merge queue: what happens next to the entries of one base branch.
//!
//! [`decide()`] looks at a [`Snapshot`] and answers with [`Action`]s. Whoever calls it writes each one down, does the git
//! work, records what came of it, and asks again until nothing is left to do.
//!
//! # Wanted properties
//!
//! 1. The base branch moves only to a commit whose required checks passed on exactly that commit.
//! 2. Entries land in their order, each by moving the base from the state its candidate was built on to the candidate:
//!    nothing is merged anew at landing.
//! 3. An entry answers for a failure only when everything its candidate stands on has passed.
//! 4. The same snapshot gives the same actions, and a snapshot in which they are carried out gives none of them again.
//!    So a second worker, a redelivered event or a restart changes nothing.
//! 5. No entry waits without a reason that people can read, and none that others stand on waits without a limit.
//!
//! # Known races, and the choice for each
//!
//! - **A push that nobody told of** (MQ-03): the snapshot carries the head that git has now beside the head the
//!   candidate was made of. They differ: the candidate is void.
//! - **The base moves from outside** (MQ-04, MQ-47): a candidate whose state is not the base's head, nor a live
//!   candidate's, is void. Landing is a compare-and-swap, so a move after the snapshot only makes it void a turn later.
//! - **Dying between deciding to land and recording it**: the attempt says `landing` first. When git's base contains the
//!   candidate, it landed and is recorded; when the base is still where it was, it is landed again; else it is void.
//!   Nothing else is decided before that is settled.
//! - **Closed, retargeted or merged by hand while queued** (MQ-10, MQ-43, MQ-45): looked at on every turn, so a lost
//!   event costs time and nothing else. A landing that git has done counts, whatever came after it.
//! - **A failure that overtakes its cause** (MQ-29): an entry that fails while one ahead has not passed is held.
//! - **A pass won on top of something that left** (MQ-08, MQ-30): void with the state it stood on.
//! - **A conflict with something that may never land** (MQ-38): held without a candidate until that lands or leaves;
//!   those behind are built on what is ahead of it.
//! - **A group that lands one by one** (`min_entries_to_merge`): once enough have passed, all that have are noted as
//!   gathered, so the second does not begin to wait when the first has landed.
//! - **Several landings in one turn**: a landing ends the turn. Should git refuse it, nobody behind has been judged by a
//!   state that never came to be.

mod action;
mod decide;
mod gather;
mod settle;
mod snapshot;
#[cfg(test)]
mod tests;

pub use action::{Action, Ejection, EjectionCode, Note, Onto, Removal, Standing, VoidReason};
pub use decide::decide;
pub use settle::questions;
pub use snapshot::{
    Admission, Attempt, AttemptState, Entry, EntryState, Obstacle, PullState, Question, Settings,
    Snapshot, Verdict,
};
