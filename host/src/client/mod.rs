//! A client of the API, as the runner and the demo need one: what any CI system or script could do as well.

mod api;
mod git;
mod job;

pub use api::{Client, ClientError};
pub use git::{Clone, GitError};
pub use job::{Job, Verdict};
