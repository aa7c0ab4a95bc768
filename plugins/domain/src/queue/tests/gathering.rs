//! `min_entries_to_merge` and its longest wait: landing in groups.

use std::time::Duration;

use super::world::World;
use crate::ids::Time;
use crate::queue::{Admission, EntryState};

const MINUTE_MS: i64 = 60_000;

/// A queue that wants `min` entries to have passed, for at most `minutes`.
fn queue_of(pulls: &[u64], min: usize, minutes: u64) -> World {
    let mut world = World::new();
    world.settings.min_entries_to_merge = min;
    world.settings.min_entries_to_merge_wait = Duration::from_secs(minutes * 60);
    for pull in pulls {
        world.enqueue(*pull);
    }
    world.tick();
    world
}

#[test]
fn the_first_waits_until_enough_have_passed_and_they_land_together() {
    let mut world = queue_of(&[1, 2, 3], 3, 30);
    world.ci_passes(1);
    world.expect_log(&[]);
    world.expect_state(1, EntryState::Passed, "gathering");
    assert_eq!(
        world.entry(1).reason,
        "passed; waits for others to land with: 1 of 3 have passed"
    );
    // What is behind one that failed or runs does not count.
    world.ci_passes(3);
    world.expect_log(&[]);
    world.expect_state(3, EntryState::Passed, "behind");
    world.ci_passes(2);
    world.expect_log(&["#1 landed", "#2 landed", "#3 landed"]);
}

/// What has landed of five when `passed` have, `min` are wanted for at most `waits` minutes, and `after` have gone by.
#[track_caller]
fn expect_landed(passed: &[u64], min: usize, (after, waits): (u64, u64), landed: &[u64]) {
    let mut world = queue_of(&[1, 2, 3, 4, 5], min, waits);
    for pull in passed {
        let candidate = world.candidate(*pull);
        world.report(&candidate, "ci", true);
    }
    world.minutes_pass(after);
    world.tick();
    assert_eq!(world.landed(), landed);
}

#[test]
fn a_group_lands_when_it_is_large_enough_or_has_waited_long_enough() {
    expect_landed(&[1], 1, (0, 30), &[1]);
    expect_landed(&[1], 2, (0, 0), &[1]);
    expect_landed(&[1], 2, (29, 30), &[]);
    expect_landed(&[1], 2, (30, 30), &[1]);
    expect_landed(&[1, 2], 2, (0, 30), &[1, 2]);
    expect_landed(&[1, 2], 3, (30, 30), &[1, 2]);
    expect_landed(&[2, 3], 2, (30, 30), &[]);
    // No more are tested at once, so no more can be waited for.
    expect_landed(&[1, 2, 3, 4], 9, (0, 30), &[1, 2, 3, 4]);
}

#[test]
fn it_is_looked_at_again_when_the_wait_is_over() {
    let mut world = queue_of(&[1], 2, 10);
    world.ci_passes(1);
    assert_eq!(world.wake, Some(Time(10 * MINUTE_MS)));
}

#[test]
fn the_next_entry_gathers_a_group_of_its_own() {
    let mut world = queue_of(&[1, 2, 3, 4], 2, 30);
    world.ci_passes(1);
    world.ci_passes(2);
    world.expect_log(&["#1 landed", "#2 landed"]);
    world.ci_passes(3);
    world.expect_state(3, EntryState::Passed, "gathering");
    world.ci_passes(4);
    world.expect_log(&["#1 landed", "#2 landed", "#3 landed", "#4 landed"]);
}

#[test]
fn one_that_cannot_be_built_on_those_ahead_does_not_stop_the_count() {
    let mut world = World::new();
    world.settings.min_entries_to_merge = 2;
    world.settings.min_entries_to_merge_wait = Duration::from_secs(600);
    world.conflict(1, 2);
    for pull in [1, 2, 3] {
        world.enqueue(pull);
    }
    world.tick();
    world.ci_passes(1);
    world.ci_passes(3);
    assert_eq!(world.landed(), [1, 3]);
}

#[test]
fn a_failure_in_the_group_leaves_and_the_others_gather_on() {
    let mut world = queue_of(&[1, 2, 3], 2, 30);
    world.ci_passes(1);
    world.ci_fails(2);
    world.expect_log(&["#2 ejected: required checks failed on the candidate: ci"]);
    world.ci_passes(3);
    assert_eq!(world.landed(), [1, 3]);
}

#[test]
fn the_rules_are_asked_while_it_waits() {
    let mut world = queue_of(&[1], 2, 30);
    world.ci_passes(1);
    let refused = Admission::Fail("needs 1 more approval".to_owned());
    world.admission.insert(1, refused);
    world.tick();
    world.expect_log(&["#1 ejected: the rules do not let it in any more: needs 1 more approval"]);
}
