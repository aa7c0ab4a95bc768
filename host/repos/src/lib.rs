//! Bare repositories on disk: what the host reads of them, how candidates are built, how branches move.
//!
//! [`Repos`] is the one entrance. It stands for a folder that holds one bare repository `<id>.git` for each row of the
//! table `repositories`; nothing else may write there. Its functions mirror the interfaces `read` and `write` of
//! `wit/git`, with plain Rust types; the host only translates.
//!
//! Where the work happens:
//!
//! * Objects and refs are read and written in process (libgit2), on threads that may block. At most
//!   [`limits::WORK_PER_CORE`] pieces of work for each core run at once; more wait, and answer [`Error::Busy`] when they
//!   waited too long.
//! * The `git` executable runs for a merge that is not provably trivial (see [`merge`]) and, started by the host, for
//!   clone, fetch and push. It never sees the environment of this process, nor any configuration but the repository's.
//!
//! Who may move what:
//!
//! * A branch moves by a push or by [`Repos::land`]. Both need the repository's [`RepoLock`], so that facts that were
//!   judged still hold when git stores the push; `land` also compares and swaps, so that not even a move from outside
//!   this process is overwritten.
//! * A queue branch (`g1t-queue/*`) moves by [`Repos::build_queue_step`] only. Its value is always one that the same step
//!   gives again, so it needs no lock.

pub mod limits;
pub mod merge;

mod commit_object;
mod create;
mod diff;
mod error;
mod git_process;
mod history;
mod names;
mod oid;
mod push;
mod read;
mod refs;
mod step;
mod store;
mod types;

pub use error::{Error, Result};
pub use names::{QUEUE_PREFIX, branch_ref, is_queue_ref};
pub use oid::Oid;
pub use push::{PushFacts, Quarantine, RefUpdate};
pub use store::{RepoLock, Repos};
pub use types::{
    Branch, Built, Commit, Commits, DiffPage, Distance, File, FileDiff, FileDiffs, FileStatus,
    Files, Landed, MergeMethod, Merged, Person, Signature, Step,
};
