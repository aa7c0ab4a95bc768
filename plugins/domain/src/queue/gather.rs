//! Gathering: the entry in front waits until enough have passed to land as one group, or has waited long enough.

use crate::ids::{EntryId, Time};

use super::settle::leaves;
use super::snapshot::{AttemptState, Entry, Snapshot, Verdict};

/// Whether the entry in front, which has passed, lands now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Gathering {
    /// It does; these are of its group and not noted as such yet.
    Done(Vec<EntryId>),
    /// It waits: so many have passed, so many are wanted, and it waits until then at the longest.
    Waits {
        passed: usize,
        wanted: usize,
        until: Time,
    },
}

/// | group | passed in front | waited since it was queued | |
/// |---|---|---|---|
/// | noted before | any | any | lands |
/// | not noted | enough | any | lands, and so do the others that passed |
/// | not noted | too few | long enough | lands, and so do the others that passed |
/// | not noted | too few | less | waits |
///
/// More than are tested at once can never have passed together, so no more are wanted.
pub(super) fn gathering(snapshot: &Snapshot, first: &Entry, now: Time) -> Gathering {
    let settings = &snapshot.settings;
    let wanted = settings
        .min_entries_to_merge
        .min(settings.max_entries_to_build);
    if wanted <= 1 || first.is_gathered {
        return Gathering::Done(Vec::new());
    }
    let group = passed_in_front(snapshot);
    let until = first.queued_at.plus(settings.min_entries_to_merge_wait);
    if group.len() < wanted && now < until {
        return Gathering::Waits {
            passed: group.len(),
            wanted,
            until,
        };
    }
    let new = group.into_iter().filter(|entry| !entry.is_gathered);
    Gathering::Done(new.map(|entry| entry.id.clone()).collect())
}

/// Entries that have passed on top of each other, from the base branch on. One that cannot be built on those ahead is
/// passed over, as it is when candidates are made.
fn passed_in_front(snapshot: &Snapshot) -> Vec<&Entry> {
    let mut tip = snapshot.base_head.as_ref();
    let mut passed = Vec::new();
    for entry in snapshot
        .entries
        .iter()
        .filter(|entry| leaves(entry).is_none())
    {
        let Some(attempt) = entry.live() else { break };
        let is_current =
            entry.head_now.as_ref() == Some(&attempt.head) && tip == Some(&attempt.onto);
        match &attempt.state {
            AttemptState::Built {
                candidate,
                verdict: Verdict::Pass | Verdict::NothingRequired,
                ..
            } if is_current => {
                tip = Some(candidate);
                passed.push(entry);
            }
            AttemptState::Unbuildable(_) => {}
            AttemptState::Built { .. }
            | AttemptState::Intended
            | AttemptState::Void
            | AttemptState::Landing { .. }
            | AttemptState::Landed => break,
        }
    }
    passed
}
