//! What comes before the walk along the entries: open questions, a landing under way, entries that are none any more.

use crate::ids::{EntryId, Oid};

use super::action::{Action, Removal, VoidReason};
use super::snapshot::{AttemptState, Entry, PullState, Question, Snapshot, Verdict};

/// For which entries the rules have to be asked before [`decide`](fn@super::decide) can answer, and what.
#[must_use]
pub fn questions(snapshot: &Snapshot) -> Vec<(EntryId, Question)> {
    let about_to_land = |entry: &Entry| {
        entry.live().is_some_and(|attempt| {
            let passed = match &attempt.state {
                AttemptState::Built { verdict, .. } => {
                    matches!(verdict, Verdict::Pass | Verdict::NothingRequired)
                }
                AttemptState::Intended
                | AttemptState::Unbuildable(_)
                | AttemptState::Void
                | AttemptState::Landing { .. }
                | AttemptState::Landed => false,
            };
            passed && snapshot.base_head.as_ref() == Some(&attempt.onto)
        })
    };
    snapshot
        .entries
        .iter()
        .filter(|entry| leaves(entry).is_none())
        .filter_map(|entry| {
            if entry.head_now.as_ref() != Some(&entry.head) {
                Some((entry.id.clone(), Question::NewHead))
            } else {
                about_to_land(entry).then(|| (entry.id.clone(), Question::Landing))
            }
        })
        .collect()
}

/// A landing that was decided and is not recorded comes before everything else.
///
/// | base branch | entry | |
/// |---|---|---|
/// | contains the candidate | any | landed: record it |
/// | still where the candidate was built on | as it was | land it |
/// | still there | left, or has another head | void |
/// | anywhere else | any | void |
pub(super) fn settle_landing(snapshot: &Snapshot, base_head: &Oid) -> Option<Action> {
    let (entry, attempt, in_base) = snapshot.entries.iter().find_map(|entry| {
        let attempt = entry.live()?;
        match attempt.state {
            AttemptState::Landing { in_base, .. } => Some((entry, attempt, in_base)),
            AttemptState::Intended
            | AttemptState::Built { .. }
            | AttemptState::Unbuildable(_)
            | AttemptState::Void
            | AttemptState::Landed => None,
        }
    })?;
    let why = if in_base {
        None
    } else if *base_head != attempt.onto {
        Some(VoidReason::BaseMoved)
    } else if leaves(entry).is_some() {
        Some(VoidReason::EntryLeft)
    } else if entry.head_now.as_ref() != Some(&attempt.head) {
        Some(VoidReason::HeadMoved)
    } else {
        None
    };
    let (entry, attempt) = (entry.id.clone(), attempt.id.clone());
    Some(match why {
        None => Action::Land { entry, attempt },
        Some(why) => Action::Void {
            entry,
            attempt,
            why,
        },
    })
}

/// Why an entry is no longer one for this queue.
pub(super) fn leaves(entry: &Entry) -> Option<Removal> {
    match &entry.pull_state {
        PullState::Merged => Some(Removal::Merged),
        PullState::Closed => Some(Removal::Closed),
        PullState::Retargeted(to) => Some(Removal::Retargeted(to.clone())),
        PullState::Draft => Some(Removal::Draft),
        PullState::Open if entry.head_now.is_none() => Some(Removal::HeadGone),
        PullState::Open => None,
    }
}

/// Ends what is live of an entry and takes it out of the queue.
pub(super) fn leave(entry: &Entry, why: Removal) -> Vec<Action> {
    let mut actions: Vec<Action> = void(entry, VoidReason::EntryLeft).into_iter().collect();
    actions.push(Action::Remove {
        entry: entry.id.clone(),
        why,
    });
    actions
}

/// Ends the live attempt, if there is one that has or will have a candidate.
pub(super) fn void(entry: &Entry, why: VoidReason) -> Option<Action> {
    let attempt = entry.live()?;
    match attempt.state {
        AttemptState::Intended | AttemptState::Built { .. } | AttemptState::Landing { .. } => {
            Some(Action::Void {
                entry: entry.id.clone(),
                attempt: attempt.id.clone(),
                why,
            })
        }
        // Nothing was made, and what stood in the way is worth keeping.
        AttemptState::Unbuildable(_) | AttemptState::Void | AttemptState::Landed => None,
    }
}
