//! The decision itself.

use crate::ids::{Oid, PullNumber, Time};

use super::action::{Action, Ejection, EjectionCode, Note, Onto, Removal, Standing, VoidReason};
use super::gather::{Gathering, gathering};
use super::settle::{leave, leaves, settle_landing, void};
use super::snapshot::{
    Admission, Attempt, AttemptState, Entry, EntryState, Obstacle, Snapshot, Verdict,
};

/// What is to be done with the queue now, in the order in which it is to be done.
///
/// The answers to [`questions`](super::questions) have to be in the snapshot: an entry whose question was not answered neither lands nor is
/// built from a new head.
#[must_use]
pub fn decide(snapshot: &Snapshot, now: Time) -> Vec<Action> {
    let Some(base_head) = &snapshot.base_head else {
        return snapshot
            .entries
            .iter()
            .flat_map(|entry| leave(entry, Removal::BaseGone))
            .collect();
    };
    if let Some(action) = settle_landing(snapshot, base_head) {
        return vec![action];
    }
    let mut walk = Walk::new(snapshot, base_head, now);
    for entry in &snapshot.entries {
        if walk.visit(entry) == Turn::Over {
            break;
        }
    }
    walk.finish()
}

#[derive(PartialEq, Eq)]
enum Turn {
    Next,
    Over,
}

/// The way along the entries, from the base branch to the end of the queue.
struct Walk<'a> {
    snapshot: &'a Snapshot,
    now: Time,
    actions: Vec<Action>,
    /// The state the next entry is landed on; none while that is still to be built.
    tip: Option<Onto>,
    /// Entries that the tip holds.
    ahead: Vec<PullNumber>,
    /// Those of them that have not passed.
    undecided: Vec<PullNumber>,
    /// Entries that have a candidate or are about to.
    building: usize,
    /// True once a candidate was void because the base branch moved: it is the reason of all that follow.
    base_moved: bool,
    wake: Option<Time>,
}

impl<'a> Walk<'a> {
    fn new(snapshot: &'a Snapshot, base_head: &Oid, now: Time) -> Self {
        Self {
            snapshot,
            now,
            actions: Vec::new(),
            tip: Some(Onto {
                commit: base_head.clone(),
                attempt: None,
            }),
            ahead: Vec::new(),
            undecided: Vec::new(),
            building: 0,
            base_moved: false,
            wake: None,
        }
    }

    fn finish(mut self) -> Vec<Action> {
        self.actions.extend(self.wake.map(Action::WakeAt));
        self.actions
    }

    fn visit(&mut self, entry: &Entry) -> Turn {
        if let Some(why) = leaves(entry) {
            self.actions.extend(leave(entry, why));
            return Turn::Next;
        }
        match (&entry.head_now, entry.live()) {
            (Some(head), _) if *head != entry.head => self.new_head(entry),
            (_, None) => self.build(entry, None),
            (_, Some(attempt)) if attempt.head != entry.head => {
                self.actions.extend(void(entry, VoidReason::HeadMoved));
                self.build(entry, Some(VoidReason::HeadMoved));
            }
            (_, Some(attempt)) if !self.is_tip(&attempt.onto) => {
                let why = self.why_not_tip(attempt);
                self.actions.extend(void(entry, why));
                self.build(entry, Some(why));
            }
            (_, Some(attempt)) => return self.weigh(entry, attempt),
        }
        Turn::Next
    }

    fn is_tip(&self, commit: &Oid) -> bool {
        self.tip.as_ref().is_some_and(|tip| tip.commit == *commit)
    }

    fn why_not_tip(&mut self, attempt: &Attempt) -> VoidReason {
        let is_first = self.tip.as_ref().is_some_and(|tip| tip.attempt.is_none());
        if self.base_moved || (is_first && attempt.onto_base) {
            self.base_moved = true;
            VoidReason::BaseMoved
        } else {
            VoidReason::AheadChanged
        }
    }

    /// Something was pushed to the pull request while it was queued (MQ-03).
    fn new_head(&mut self, entry: &Entry) {
        self.actions.extend(void(entry, VoidReason::HeadMoved));
        match &entry.admission {
            Admission::Pass => self.build(entry, Some(VoidReason::HeadMoved)),
            Admission::Waiting(why) => {
                self.show(entry, EntryState::Waiting, Note::NewHead(why.clone()))
            }
            Admission::Fail(why) => {
                self.eject(entry, None, EjectionCode::RulesFailed, vec![why.clone()])
            }
            Admission::NotAsked => {}
        }
    }

    /// Has a candidate made on the tip, if it is the entry's turn.
    fn build(&mut self, entry: &Entry, why: Option<VoidReason>) {
        let limit = self.snapshot.settings.max_entries_to_build.max(1);
        if self.building >= limit {
            // Nobody behind may overtake it.
            self.tip = None;
            return self.show(entry, EntryState::Waiting, Note::Full(limit));
        }
        self.building += 1;
        self.show(entry, EntryState::Waiting, Note::Building(why));
        let head = entry.head_now.clone().unwrap_or_else(|| entry.head.clone());
        if let Some(onto) = self.tip.take() {
            self.actions.push(Action::Intend {
                entry: entry.id.clone(),
                head,
                onto,
            });
        }
    }

    /// What comes of an attempt that stands on the tip.
    fn weigh(&mut self, entry: &Entry, attempt: &Attempt) -> Turn {
        match &attempt.state {
            AttemptState::Intended => {
                self.building += 1;
                self.tip = None;
                self.actions.push(Action::Build {
                    entry: entry.id.clone(),
                    attempt: attempt.id.clone(),
                });
            }
            AttemptState::Unbuildable(obstacle) => self.obstacle(entry, attempt, obstacle),
            AttemptState::Built {
                candidate,
                built_at,
                verdict,
            } => {
                self.building += 1;
                return self.verdict(entry, attempt, candidate, *built_at, verdict);
            }
            // `live` gives none of these two, and `settle_landing` takes the third.
            AttemptState::Void | AttemptState::Landed | AttemptState::Landing { .. } => {}
        }
        Turn::Next
    }

    /// | stands on | obstacle | |
    /// |---|---|---|
    /// | an entry ahead | any | held without a candidate: that one may never land (MQ-38) |
    /// | the base | contained | removed: nothing to land |
    /// | the base | any other | ejected |
    fn obstacle(&mut self, entry: &Entry, attempt: &Attempt, obstacle: &Obstacle) {
        if !self.ahead.is_empty() {
            let note = Note::HeldBack {
                ahead: self.ahead.clone(),
                obstacle: obstacle.clone(),
            };
            return self.show(entry, EntryState::Waiting, note);
        }
        match obstacle {
            Obstacle::Contained => self.actions.extend(leave(entry, Removal::Contained)),
            Obstacle::Conflict(paths) => {
                self.eject(entry, Some(attempt), EjectionCode::Conflict, paths.clone())
            }
            Obstacle::NotRebasable(paths) => {
                self.eject(
                    entry,
                    Some(attempt),
                    EjectionCode::NotRebasable,
                    paths.clone(),
                );
            }
            Obstacle::NotFastForward => self.eject(
                entry,
                Some(attempt),
                EjectionCode::NotFastForward,
                Vec::new(),
            ),
            Obstacle::Unrelated => {
                self.eject(entry, Some(attempt), EjectionCode::Unrelated, Vec::new())
            }
            Obstacle::TooManyCommits => self.eject(
                entry,
                Some(attempt),
                EjectionCode::TooManyCommits,
                Vec::new(),
            ),
        }
    }

    /// | verdict | time | ahead | rules | |
    /// |---|---|---|---|---|
    /// | pass | any | none | pass | lands, and the turn is over; or waits for others to land with (`gather`) |
    /// | pass | any | none | fail or wait | ejected (MQ-06) |
    /// | pass | any | some | - | passed; waits for its turn |
    /// | waiting | left | any | - | tested on |
    /// | waiting | over | all passed | - | ejected as timed out (MQ-16) |
    /// | waiting | over | one has not passed | - | held |
    /// | fail | any | all passed | - | ejected; narrowing its suspects down comes before this |
    /// | fail | any | one has not passed | - | held, not blamed (MQ-29) |
    fn verdict(
        &mut self,
        entry: &Entry,
        attempt: &Attempt,
        candidate: &Oid,
        built_at: Time,
        verdict: &Verdict,
    ) -> Turn {
        let deadline = built_at.plus(self.snapshot.settings.check_response_timeout);
        let is_blamed = self.undecided.is_empty();
        match verdict {
            Verdict::Pass | Verdict::NothingRequired if self.ahead.is_empty() => {
                if let Some(turn) = self.land(entry, attempt, verdict) {
                    return turn;
                }
            }
            Verdict::Pass | Verdict::NothingRequired => {
                let note = Note::Behind(self.ahead.clone());
                self.show(entry, EntryState::Passed, note);
            }
            Verdict::Waiting(missing) if self.now < deadline => {
                self.show(entry, EntryState::Testing, Note::Checks(missing.clone()));
                self.wake_at(deadline);
            }
            Verdict::Waiting(missing) if is_blamed => {
                self.eject(
                    entry,
                    Some(attempt),
                    EjectionCode::TimedOut,
                    missing.clone(),
                );
                return Turn::Next;
            }
            Verdict::Fail(failing) if is_blamed => {
                self.eject(
                    entry,
                    Some(attempt),
                    EjectionCode::ChecksFailed,
                    failing.clone(),
                );
                return Turn::Next;
            }
            Verdict::Waiting(_) | Verdict::Fail(_) => {
                self.show(
                    entry,
                    EntryState::Testing,
                    Note::Held(self.undecided.clone()),
                );
            }
        }
        if !matches!(verdict, Verdict::Pass | Verdict::NothingRequired) {
            self.undecided.push(entry.pull);
        }
        self.ahead.push(entry.pull);
        self.tip = Some(Onto {
            commit: candidate.clone(),
            attempt: Some(attempt.id.clone()),
        });
        Turn::Next
    }

    fn wake_at(&mut self, moment: Time) {
        self.wake = Some(self.wake.map_or(moment, |wake| wake.min(moment)));
    }

    /// The entry in front has passed; none when it waits for others to land with.
    fn land(&mut self, entry: &Entry, attempt: &Attempt, verdict: &Verdict) -> Option<Turn> {
        match &entry.admission {
            Admission::Pass => {
                let group = match gathering(self.snapshot, entry, self.now) {
                    Gathering::Done(group) => group,
                    Gathering::Waits {
                        passed,
                        wanted,
                        until,
                    } => {
                        let note = Note::Gathering { passed, wanted };
                        self.show(entry, EntryState::Passed, note);
                        self.wake_at(until);
                        return None;
                    }
                };
                if !group.is_empty() {
                    self.actions.push(Action::Gather { entries: group });
                }
                let note = if *verdict == Verdict::NothingRequired {
                    Note::NothingRequired
                } else {
                    Note::None
                };
                self.show(entry, EntryState::Passed, note);
                self.actions.push(Action::Land {
                    entry: entry.id.clone(),
                    attempt: attempt.id.clone(),
                });
                Some(Turn::Over)
            }
            Admission::Waiting(why) | Admission::Fail(why) => {
                self.eject(
                    entry,
                    Some(attempt),
                    EjectionCode::RulesFailed,
                    vec![why.clone()],
                );
                Some(Turn::Next)
            }
            // Nothing can be said of it or of those behind.
            Admission::NotAsked => Some(Turn::Over),
        }
    }

    fn eject(
        &mut self,
        entry: &Entry,
        attempt: Option<&Attempt>,
        code: EjectionCode,
        details: Vec<String>,
    ) {
        let candidate = attempt.and_then(|attempt| match &attempt.state {
            AttemptState::Built { candidate, .. } | AttemptState::Landing { candidate, .. } => {
                Some(candidate.clone())
            }
            AttemptState::Intended
            | AttemptState::Unbuildable(_)
            | AttemptState::Void
            | AttemptState::Landed => None,
        });
        let ejection = Ejection {
            code,
            details,
            candidate,
            onto: attempt.map(|attempt| attempt.onto.clone()),
            ahead: attempt
                .map(|attempt| attempt.ahead.clone())
                .unwrap_or_default(),
        };
        if attempt.is_some() {
            self.actions.extend(void(entry, VoidReason::EntryLeft));
        }
        self.actions.push(Action::Eject {
            entry: entry.id.clone(),
            ejection,
        });
    }

    /// Shows people what they are not shown yet.
    fn show(&mut self, entry: &Entry, state: EntryState, note: Note) {
        let shown = (entry.state, entry.reason_code.as_str());
        // Why it is built again stays to be read until it is built.
        let is_better_known = note == Note::Building(None)
            && entry.state == EntryState::Waiting
            && [
                VoidReason::HeadMoved,
                VoidReason::BaseMoved,
                VoidReason::AheadChanged,
            ]
            .iter()
            .any(|why| why.code() == entry.reason_code);
        let is_shown =
            shown == (state, note.code()) && entry.reason == note.text(&self.snapshot.base);
        if !is_shown && !is_better_known {
            self.actions.push(Action::Show {
                entry: entry.id.clone(),
                standing: Standing { state, note },
            });
        }
    }
}
