//! Building candidates: one entry of the merge queue landed on a state, as commits that only a queue branch shows.
//!
//! Wanted properties, and what gives them:
//!
//! * **The same step gives the same commit**, on any machine and after any crash. Everything that goes into a commit is in
//!   the step (its time too), and commits are written byte for byte by [`crate::commit_object`].
//! * **A candidate holds its pull request's change and nothing else.** Its tree is the merge of `head` into `onto` over
//!   their merge base; a file that `head` does not change since that base is taken from `onto`, by git's own rule. So a
//!   branch cut from an old state cannot bring that state back, and nothing needs to be compared afterwards.
//! * **A replay loses nothing that was resolved by hand.** `rebase` leaves merge commits out; where a branch has some, the
//!   replayed tree must be the one that merging the head gives, else the step is refused with the paths.
//! * **A replay that changes nothing keeps the commits**: a branch that sits on `onto` already is its own candidate, and
//!   what is stacked on it stays.

mod build;
mod replay;
