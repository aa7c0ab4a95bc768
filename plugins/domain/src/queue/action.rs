//! What is to be done with a queue, and the words people read about it.

use crate::ids::{AttemptId, EntryId, Oid, PullNumber, Time};

use super::snapshot::{EntryState, Obstacle};

/// One thing to do. Each is written down under the condition that what it changes is still as the snapshot had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Note a new attempt, and then [`Action::Build`] it.
    Intend {
        /// For this entry.
        entry: EntryId,
        /// The head to land; becomes the entry's head.
        head: Oid,
        /// The state to land it on.
        onto: Onto,
    },
    /// Make the candidate of an attempt that was intended and not built: its worker died.
    Build {
        /// Of this entry.
        entry: EntryId,
        /// The attempt.
        attempt: AttemptId,
    },
    /// The attempt is over. Its checks may be called off; reports on its candidate change nothing from here on.
    Void {
        /// Of this entry.
        entry: EntryId,
        /// The attempt.
        attempt: AttemptId,
        /// Why.
        why: VoidReason,
    },
    /// Show people where the entry is.
    Show {
        /// The entry.
        entry: EntryId,
        /// What to show.
        standing: Standing,
    },
    /// Note that these land as one group: none of them waits for others any more.
    Gather {
        /// The entries, nearest to the base first.
        entries: Vec<EntryId>,
    },
    /// Move the base branch from the attempt's state to its candidate and record it. Safe to repeat.
    Land {
        /// The entry.
        entry: EntryId,
        /// Whose candidate it is.
        attempt: AttemptId,
    },
    /// The entry leaves as failed, with a failed check run on its pull request.
    Eject {
        /// The entry.
        entry: EntryId,
        /// What to tell.
        ejection: Ejection,
    },
    /// The entry leaves, and nobody failed.
    Remove {
        /// The entry.
        entry: EntryId,
        /// Why.
        why: Removal,
    },
    /// Look again at this moment: a time limit ends.
    WakeAt(Time),
}

/// The state a candidate is built on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Onto {
    /// Its commit.
    pub commit: Oid,
    /// The attempt whose candidate it is; none for the base branch itself.
    pub attempt: Option<AttemptId>,
}

/// Why an attempt is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoidReason {
    /// Something was pushed to its pull request.
    HeadMoved,
    /// The base branch was moved by somebody else.
    BaseMoved,
    /// What it stood on left, was built again or is in another place.
    AheadChanged,
    /// Its own entry left.
    EntryLeft,
}

impl VoidReason {
    /// The word that is stored.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::HeadMoved => "head_moved",
            Self::BaseMoved => "base_moved",
            Self::AheadChanged => "ahead_changed",
            Self::EntryLeft => "entry_left",
        }
    }
}

/// Where an entry is, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// State of the entry.
    pub state: EntryState,
    /// Why.
    pub note: Note,
}

/// Why an entry is where it is. Nobody is blamed by a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing to tell.
    None,
    /// As many entries as the settings allow are being tested.
    Full(usize),
    /// It is being built, or what it stands on is; after something changed, says what.
    Building(Option<VoidReason>),
    /// Its checks are running: those that are missing.
    Checks(Vec<String>),
    /// Its checks passed; it lands after these.
    Behind(Vec<PullNumber>),
    /// Its checks passed; it lands with others, once as many have passed as are wanted, or its time is over.
    Gathering {
        /// How many have passed.
        passed: usize,
        /// How many are wanted.
        wanted: usize,
    },
    /// No check is required.
    NothingRequired,
    /// It failed, or its time ran out, on top of these, which have not passed: held.
    Held(Vec<PullNumber>),
    /// It cannot be landed on what `ahead` would land: held without a candidate.
    HeldBack {
        /// Entries it would stand on.
        ahead: Vec<PullNumber>,
        /// What is in the way.
        obstacle: Obstacle,
    },
    /// Its new head does not meet the rules yet: out of the others' way until it does.
    NewHead(String),
}

impl Note {
    /// The word that is stored; empty for [`Note::None`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::None => "",
            Self::Full(_) => "full",
            Self::Building(None) => "building",
            Self::Building(Some(why)) => why.code(),
            Self::Checks(_) => "checks",
            Self::Behind(_) => "behind",
            Self::Gathering { .. } => "gathering",
            Self::NothingRequired => "nothing_required",
            Self::Held(_) => "held",
            Self::HeldBack { obstacle, .. } => match obstacle {
                Obstacle::Conflict(_) => "held_conflict",
                Obstacle::NotRebasable(_) => "held_not_rebasable",
                Obstacle::NotFastForward => "held_not_fast_forward",
                Obstacle::Unrelated => "held_unrelated",
                Obstacle::TooManyCommits => "held_too_many_commits",
                Obstacle::Contained => "held_contained",
            },
            Self::NewHead(_) => "new_head",
        }
    }

    /// One sentence for people; empty for [`Note::None`].
    #[must_use]
    pub fn text(&self, base: &str) -> String {
        match self {
            Self::None => String::new(),
            Self::Full(limit) => format!("waits for its turn: {limit} entries are tested at once"),
            Self::Building(None) => "is about to be built".to_owned(),
            Self::Building(Some(VoidReason::HeadMoved)) => {
                "is built again: something was pushed to it".to_owned()
            }
            Self::Building(Some(VoidReason::BaseMoved)) => {
                format!("is built again: {base} moved outside the queue")
            }
            Self::Building(Some(VoidReason::AheadChanged | VoidReason::EntryLeft)) => {
                "is built again: what it stood on has left the queue or was built again".to_owned()
            }
            Self::Checks(missing) => format!("waits for checks: {}", missing.join("; ")),
            Self::Behind(ahead) => format!("passed; lands after {}", list(ahead)),
            Self::Gathering { passed, wanted } => {
                format!("passed; waits for others to land with: {passed} of {wanted} have passed")
            }
            Self::NothingRequired => "no check is required".to_owned(),
            Self::Held(ahead) => {
                format!(
                    "did not pass on top of {}, not decided yet: held, and not blamed",
                    list(ahead)
                )
            }
            Self::HeldBack { ahead, obstacle } => {
                let ahead = list(ahead);
                let what = match obstacle {
                    Obstacle::Conflict(paths) => {
                        format!("conflicts with {ahead} in {}", paths.join(", "))
                    }
                    Obstacle::NotRebasable(paths) => {
                        format!("cannot be rebased onto {ahead}: {}", paths.join(", "))
                    }
                    Obstacle::NotFastForward => format!("cannot be fast-forwarded from {ahead}"),
                    Obstacle::Unrelated => format!("has no commit in common with {ahead}"),
                    Obstacle::TooManyCommits => {
                        format!("has more commits than can be rebased onto {ahead}")
                    }
                    Obstacle::Contained => format!("adds nothing to {ahead}"),
                };
                format!("{what}: held until what is ahead lands or leaves")
            }
            Self::NewHead(why) => format!("has a new head that the rules do not let in yet: {why}"),
        }
    }
}

/// Why an entry leaves as failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ejection {
    /// What went wrong.
    pub code: EjectionCode,
    /// Failing checks, missing checks, conflicting paths, or the rule's own words, as the code says.
    pub details: Vec<String>,
    /// The commit that was tested; none when nothing was built.
    pub candidate: Option<Oid>,
    /// The state it was landed on.
    pub onto: Option<Oid>,
    /// Pull requests that were part of that state, nearest to the base first.
    pub ahead: Vec<PullNumber>,
}

/// What went wrong with an entry.
///
/// An entry whose own checks pass and whose combination fails is narrowed down to suspects before it leaves; that
/// outcome will be a code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EjectionCode {
    /// Required checks failed.
    ChecksFailed,
    /// Required checks did not pass in time.
    TimedOut,
    /// It conflicts with the base branch.
    Conflict,
    /// It cannot be rebased without losing what a merge resolved by hand.
    NotRebasable,
    /// It cannot be landed by fast-forward: the base branch has moved on.
    NotFastForward,
    /// It has no commit in common with the base branch.
    Unrelated,
    /// It has more commits than are rebased.
    TooManyCommits,
    /// The rules do not let it in any more.
    RulesFailed,
}

impl EjectionCode {
    /// The word that is stored.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ChecksFailed => "checks_failed",
            Self::TimedOut => "timed_out",
            Self::Conflict => "conflict",
            Self::NotRebasable => "not_rebasable",
            Self::NotFastForward => "not_fast_forward",
            Self::Unrelated => "unrelated",
            Self::TooManyCommits => "too_many_commits",
            Self::RulesFailed => "rules_failed",
        }
    }
}

impl Ejection {
    /// One sentence for people: what went wrong.
    #[must_use]
    pub fn text(&self, base: &str) -> String {
        let details = self.details.join("; ");
        let since = if self.ahead.is_empty() {
            String::new()
        } else {
            format!(" since {} landed", list(&self.ahead))
        };
        match self.code {
            EjectionCode::ChecksFailed => {
                format!("required checks failed on the candidate: {details}")
            }
            EjectionCode::TimedOut => format!("required checks did not pass in time: {details}"),
            EjectionCode::Conflict => format!(
                "conflicts with {base}{since} in {}",
                self.details.join(", ")
            ),
            EjectionCode::NotRebasable => {
                format!(
                    "cannot be rebased onto {base} without losing a resolution in {}",
                    self.details.join(", ")
                )
            }
            EjectionCode::NotFastForward => {
                format!("cannot be fast-forwarded: {base} has commits that it lacks")
            }
            EjectionCode::Unrelated => format!("has no commit in common with {base}"),
            EjectionCode::TooManyCommits => {
                format!("has more commits than can be rebased onto {base} one by one")
            }
            EjectionCode::RulesFailed => format!("the rules do not let it in any more: {details}"),
        }
    }

    /// One sentence for people: what brings it back.
    #[must_use]
    pub fn remedy(&self, base: &str) -> String {
        match self.code {
            EjectionCode::ChecksFailed => "Push a commit that passes and queue it again.".to_owned(),
            EjectionCode::TimedOut => {
                "See that the named checks run on queue branches (event merge_group), then queue it again.".to_owned()
            }
            EjectionCode::Conflict => format!("Merge or rebase onto {base}, resolve the conflict, and queue it again."),
            EjectionCode::NotRebasable => {
                "Rebase it by hand, or queue it again with the method merge or squash.".to_owned()
            }
            EjectionCode::NotFastForward => format!("Rebase it onto {base} and queue it again."),
            EjectionCode::Unrelated => {
                format!("Make the change on a branch of {base} and queue it again.")
            }
            EjectionCode::TooManyCommits => {
                "Squash some of its commits, or queue it again with the method merge or squash.".to_owned()
            }
            EjectionCode::RulesFailed => "Meet the named rules and queue it again.".to_owned(),
        }
    }
}

/// Why an entry leaves without having failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Its pull request was closed.
    Closed,
    /// Its pull request was merged outside the queue.
    Merged,
    /// Its pull request was turned into a draft.
    Draft,
    /// Its pull request wants to merge into this branch now.
    Retargeted(String),
    /// The branch it comes from is gone.
    HeadGone,
    /// The base branch is gone.
    BaseGone,
    /// The base branch contains all of it already.
    Contained,
}

impl Removal {
    /// The word that is stored.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Merged => "merged",
            Self::Draft => "draft",
            Self::Retargeted(_) => "retargeted",
            Self::HeadGone => "head_gone",
            Self::BaseGone => "base_gone",
            Self::Contained => "contained",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub fn text(&self, base: &str) -> String {
        match self {
            Self::Closed => "the pull request was closed".to_owned(),
            Self::Merged => "the pull request was merged outside the queue".to_owned(),
            Self::Draft => "the pull request was turned into a draft".to_owned(),
            Self::Retargeted(to) => format!("the pull request wants to merge into {to} now"),
            Self::HeadGone => "the branch of the pull request was deleted".to_owned(),
            Self::BaseGone => format!("the branch {base} was deleted"),
            Self::Contained => {
                format!("{base} contains all of it already: there is nothing to land")
            }
        }
    }
}

fn list(pulls: &[PullNumber]) -> String {
    pulls
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
