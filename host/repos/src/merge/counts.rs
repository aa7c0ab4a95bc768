//! How often git had to be asked.

use std::sync::atomic::{AtomicU64, Ordering};

/// Merges since the start, by who worked them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    /// In process.
    pub trivial: u64,
    /// By a git process.
    pub by_git: u64,
}

#[derive(Default)]
pub(crate) struct MergeCounters {
    trivial: AtomicU64,
    by_git: AtomicU64,
}

impl MergeCounters {
    pub(crate) fn count_trivial(&self) {
        self.trivial.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_by_git(&self) {
        self.by_git.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> MergeCounts {
        MergeCounts {
            trivial: self.trivial.load(Ordering::Relaxed),
            by_git: self.by_git.load(Ordering::Relaxed),
        }
    }
}
