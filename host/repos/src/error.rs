//! What can go wrong, grouped by what the caller does about it.

use std::path::PathBuf;

use crate::Oid;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an answer cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such repository.
    #[error("there is no repository {0}")]
    NoRepository(u64),
    /// An object id that is not in the repository.
    #[error("object {0} is not in the repository")]
    NoObject(Oid),
    /// An argument that git cannot take: which and why.
    #[error("{0}")]
    Invalid(String),
    /// Somebody else writes for too long, or git took longer than it may. Try again.
    #[error("{0}: try again")]
    Busy(String),
    /// The library that reads and writes objects failed: a broken repository or a full disk.
    #[error("git could not {doing}")]
    Git {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        #[source]
        source: git2::Error,
    },
    /// A file could not be read or written.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// A git process failed in a way that is not one of its answers.
    #[error("git {command} failed ({status}): {stderr}")]
    Process {
        /// The git command.
        command: &'static str,
        /// How it ended.
        status: String,
        /// The beginning of what it wrote on its error stream.
        stderr: String,
    },
    /// Work was stopped by a panic.
    #[error("git work stopped unexpectedly")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Says what was tried when the library failed.
pub(crate) trait Doing<T> {
    /// Wraps the error. A ref that somebody else writes at this moment is [`Error::Busy`].
    fn doing(self, doing: &'static str) -> Result<T>;
}

impl<T> Doing<T> for std::result::Result<T, git2::Error> {
    fn doing(self, doing: &'static str) -> Result<T> {
        self.map_err(|source| match source.code() {
            git2::ErrorCode::Locked => Error::Busy(format!("the ref is being written ({doing})")),
            _ => Error::Git { doing, source },
        })
    }
}
