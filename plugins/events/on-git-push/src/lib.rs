//! A branch moved (`git.push`), or a pull request is new to its base (`pull.opened`, `pull.reopened`, `pull.retargeted`):
//! the pull requests that come from the branch or want to merge into it are brought up to date.
//!
//! What is written down comes from git as it is now, not from the event: events may come late, twice, or in another order
//! than the pushes, and the last one to be handled leaves the truth behind. The event says which branch to look at, and
//! who pushed.

mod handle;
mod look;
mod record;

g1t_kit::event_handler!(handle::handle);
