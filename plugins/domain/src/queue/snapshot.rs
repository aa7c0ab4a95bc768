//! What is known of a queue when it is decided about.

use std::time::Duration;

use crate::ids::{AttemptId, EntryId, Oid, PullNumber, Time};
use crate::merge_method::MergeMethod;

/// One queue: a base branch and the entries that want to land on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Name of the base branch, for people.
    pub base: String,
    /// Head of the base branch as git has it; none when the branch is gone.
    pub base_head: Option<Oid>,
    /// Settings in force now.
    pub settings: Settings,
    /// Live entries, the one nearest to landing first.
    pub entries: Vec<Entry>,
}

/// Settings of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many entries are tested at once.
    pub max_entries_to_build: usize,
    /// How long a candidate's required checks may take.
    pub check_response_timeout: Duration,
    /// How many entries have to have passed before the first of them lands.
    pub min_entries_to_merge: usize,
    /// How long after it was queued the entry in front waits for that many.
    pub min_entries_to_merge_wait: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_entries_to_build: 4,
            check_response_timeout: Duration::from_secs(45 * 60),
            min_entries_to_merge: 1,
            min_entries_to_merge_wait: Duration::ZERO,
        }
    }
}

/// A pull request that is to land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry.
    pub id: EntryId,
    /// Its pull request.
    pub pull: PullNumber,
    /// The head that the entry was queued with, or that it was built from last.
    pub head: Oid,
    /// The head as git has it; none when the branch is gone.
    pub head_now: Option<Oid>,
    /// What has become of the pull request.
    pub pull_state: PullState,
    /// How it lands.
    pub method: MergeMethod,
    /// When it was queued.
    pub queued_at: Time,
    /// True once it is of a group that is large enough, or has waited long enough, to land.
    pub is_gathered: bool,
    /// What people are shown.
    pub state: EntryState,
    /// The reason people are shown, as [`Note::code`](super::Note::code) and [`Note::text`](super::Note::text).
    pub reason_code: String,
    /// See `reason_code`.
    pub reason: String,
    /// What the rules say, where [`questions`](super::questions) asked.
    pub admission: Admission,
    /// Builds, newest first. Only the newest can be live.
    pub attempts: Vec<Attempt>,
}

/// What has become of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullState {
    /// It can land.
    Open,
    /// Turned into a draft: its author does not want it to land yet.
    Draft,
    /// Closed without merging.
    Closed,
    /// Merged, not by this queue.
    Merged,
    /// It wants to merge into another branch now.
    Retargeted(String),
}

/// State of an entry that has not left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// In the queue, not yet being built.
    Waiting,
    /// Built, its checks running.
    Testing,
    /// Its checks passed; it lands when those ahead have.
    Passed,
}

/// Why the rules for the pull request are asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A new head was pushed while it was queued: every rule but the queue itself and `strict` has to pass before it is
    /// built.
    NewHead,
    /// It is about to land: as for a new head, but the checks that count are the candidate's, so the checks of the pull
    /// request's head are left out.
    Landing,
}

/// What the rules for the pull request say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Not asked.
    NotAsked,
    /// None fails or waits.
    Pass,
    /// Something that may still come is missing.
    Waiting(String),
    /// A rule fails.
    Fail(String),
}

/// One build of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The attempt.
    pub id: AttemptId,
    /// The head it lands.
    pub head: Oid,
    /// The state it is landed on.
    pub onto: Oid,
    /// True when `onto` was the base branch's head: a head from outside, or a candidate that has landed.
    pub onto_base: bool,
    /// Pull requests whose candidates `onto` was made of, nearest to the base first; those that landed since included.
    pub ahead: Vec<PullNumber>,
    /// How far it is.
    pub state: AttemptState,
}

/// How far a build is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptState {
    /// To be built.
    Intended,
    /// There to be tested.
    Built {
        /// The commit to test and to land.
        candidate: Oid,
        /// When it was made: only checks that started later count.
        built_at: Time,
        /// What its required checks say.
        verdict: Verdict,
    },
    /// Nothing was made.
    Unbuildable(Obstacle),
    /// Something it stood on changed.
    Void,
    /// Decided to land.
    Landing {
        /// The commit that the base branch is moved to.
        candidate: Oid,
        /// True when the base branch contains the candidate already.
        in_base: bool,
    },
    /// Landed and recorded.
    Landed,
}

/// Why a candidate cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// These paths conflict.
    Conflict(Vec<String>),
    /// Replaying the commits one by one would lose what a merge resolved by hand in these paths (MQ-13).
    NotRebasable(Vec<String>),
    /// Fast-forward was asked for, and the state is not contained in the head.
    NotFastForward,
    /// The state and the head have no commit in common.
    Unrelated,
    /// Rebase was asked for, and the head has more commits than are replayed.
    TooManyCommits,
    /// The state contains the head already.
    Contained,
}

/// What the required checks in force now say about a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No check is required (MQ-17).
    NothingRequired,
    /// All passed.
    Pass,
    /// These have not passed yet, and may: names, or sentences that hold them.
    Waiting(Vec<String>),
    /// These failed.
    Fail(Vec<String>),
}

impl Entry {
    /// The newest build, unless it is over.
    #[must_use]
    pub fn live(&self) -> Option<&Attempt> {
        self.attempts.first().filter(|attempt| match attempt.state {
            AttemptState::Intended
            | AttemptState::Built { .. }
            | AttemptState::Unbuildable(_)
            | AttemptState::Landing { .. } => true,
            AttemptState::Void | AttemptState::Landed => false,
        })
    }
}
