//! Building, landing in order, and what voids a candidate.

use super::world::{Dies, World};
use crate::queue::{AttemptState, EntryState};

#[test]
fn four_are_built_each_on_the_one_ahead() {
    let world = World::with_queue(&[1, 2, 3, 4, 5, 6]);
    world.expect_candidate_of(1, &[1]);
    world.expect_candidate_of(2, &[1, 2]);
    world.expect_candidate_of(3, &[1, 2, 3]);
    world.expect_candidate_of(4, &[1, 2, 3, 4]);
    for pull in [5, 6] {
        assert_eq!(world.candidate_if_any(pull), None);
        world.expect_state(pull, EntryState::Waiting, "full");
    }
    world.expect_state(4, EntryState::Testing, "checks");
}

#[test]
fn a_landing_makes_room_for_the_next() {
    let mut world = World::with_queue(&[1, 2, 3, 4, 5]);
    world.ci_passes(1);
    world.expect_log(&["#1 landed"]);
    world.expect_candidate_of(5, &[1, 2, 3, 4, 5]);
}

#[test]
fn the_base_moves_to_the_very_commits_that_were_tested() {
    let mut world = World::with_queue(&[1, 2, 3]);
    let tested = [world.candidate(1), world.candidate(2), world.candidate(3)];
    let start = world.base();
    for pull in [1, 2, 3] {
        world.ci_passes(pull);
    }
    assert_eq!(world.history, [vec![start], tested.to_vec()].concat());
    world.expect_log(&["#1 landed", "#2 landed", "#3 landed"]);
}

#[test]
fn a_pass_waits_for_those_ahead() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_passes(3);
    world.ci_passes(2);
    world.expect_log(&[]);
    world.expect_state(3, EntryState::Passed, "behind");
    assert_eq!(world.entry(3).reason, "passed; lands after #1, #2");
    world.ci_passes(1);
    world.expect_log(&["#1 landed", "#2 landed", "#3 landed"]);
}

#[test]
fn mq_04_the_base_moves_halfway_through_landing_a_group() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_passes(1);
    let outside = world.outside_push();
    for pull in [2, 3] {
        let candidate = world.candidate(pull);
        world.report(&candidate, "ci", true);
    }
    world.tick();
    world.expect_log(&["#1 landed"]);
    assert_eq!(world.base(), outside);
    assert_eq!(
        world.entry(2).live().map(|live| live.onto.clone()),
        Some(outside)
    );
    world.expect_candidate_of(3, &[1, 2, 3]);
    world.ci_passes(2);
    world.ci_passes(3);
    world.expect_log(&["#1 landed", "#2 landed", "#3 landed"]);
}

#[test]
fn mq_04_the_reason_can_be_read_on_all_of_them() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.outside_push();
    world.dies = Some(Dies::BeforeBuilding);
    world.tick();
    // Dead before anything was built; the next look finds the first intended and the others void.
    world.tick();
    assert_eq!(
        world.entry(1).reason,
        "is built again: main moved outside the queue"
    );
    world.dies = None;
    world.tick();
    world.expect_state(3, EntryState::Testing, "checks");
}

#[test]
fn mq_08_red_in_the_middle_green_at_the_end() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_passes(3);
    world.ci_passes(2);
    world.ci_fails(1);
    world.expect_log(&["#1 ejected: required checks failed on the candidate: ci"]);
    world.expect_candidate_of(2, &[2]);
    world.expect_candidate_of(3, &[2, 3]);
    world.expect_state(2, EntryState::Testing, "checks");
    world.ci_passes(2);
    world.ci_passes(3);
    assert_eq!(world.landed(), [2, 3]);
}

#[test]
fn mq_30_passed_on_top_of_something_that_failed() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_passes(2);
    world.ci_fails(1);
    world.expect_candidate_of(2, &[2]);
    world.expect_candidate_of(3, &[2, 3]);
    world.ci_passes(3);
    world.ci_passes(2);
    world.expect_log(&[
        "#1 ejected: required checks failed on the candidate: ci",
        "#2 landed",
        "#3 landed",
    ]);
}

#[test]
fn mq_29_the_third_one_fails_first() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_fails(3);
    world.expect_state(3, EntryState::Testing, "held");
    world.ci_fails(2);
    world.expect_state(2, EntryState::Testing, "held");
    assert_eq!(
        world.entry(3).reason,
        "did not pass on top of #1, #2, not decided yet: held, and not blamed"
    );
    world.ci_passes(1);
    world.expect_log(&[
        "#1 landed",
        "#2 ejected: required checks failed on the candidate: ci",
    ]);
    world.expect_candidate_of(3, &[1, 3]);
    world.ci_passes(3);
    assert_eq!(world.landed(), [1, 3]);
}

#[test]
fn mq_47_going_round_the_queue_twice() {
    let mut world = World::with_queue(&[1, 2, 3, 4]);
    let first: Vec<_> = [1, 2, 3, 4].map(|pull| world.candidate(pull)).into();
    world.outside_push();
    world.tick();
    world.expect_candidate_of(4, &[1, 2, 3, 4]);
    world.outside_push();
    for old in &first {
        world.report(old, "ci", true);
    }
    world.tick();
    world.expect_log(&[]);
    for (pull, old) in [1, 2, 3, 4].into_iter().zip(first) {
        assert_ne!(world.candidate(pull), old);
        let voided = world
            .entry(pull)
            .attempts
            .iter()
            .filter(|attempt| attempt.state == AttemptState::Void)
            .count();
        assert_eq!(voided, 2, "#{pull}");
        world.expect_state(pull, EntryState::Testing, "checks");
    }
    world.ci_passes(1);
    world.expect_log(&["#1 landed"]);
}

#[test]
fn an_entry_put_first_has_everything_behind_it_built_again() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.ci_passes(2);
    world.put_first(3);
    world.tick();
    world.expect_candidate_of(3, &[3]);
    world.expect_candidate_of(1, &[3, 1]);
    world.expect_candidate_of(2, &[3, 1, 2]);
    world.expect_state(2, EntryState::Testing, "checks");
}

#[test]
fn fewer_at_once_still_lands_in_order() {
    let mut world = World::with_queue(&[1, 2, 3]);
    world.settings.max_entries_to_build = 1;
    world.tick();
    world.expect_state(1, EntryState::Testing, "checks");
    for pull in [1, 2, 3] {
        world.ci_passes(pull);
    }
    assert_eq!(world.landed(), [1, 2, 3]);
}

#[test]
fn a_setting_of_none_at_once_still_moves() {
    let mut world = World::new();
    world.settings.max_entries_to_build = 0;
    world.enqueue(1);
    world.tick();
    world.ci_passes(1);
    assert_eq!(world.landed(), [1]);
}

#[test]
fn dying_before_a_build_builds_it_next_time() {
    let mut world = World::new();
    world.enqueue(1);
    world.enqueue(2);
    world.dies = Some(Dies::BeforeBuilding);
    world.tick();
    assert_eq!(world.candidate_if_any(1), None);
    world.dies = None;
    world.tick();
    world.expect_candidate_of(2, &[1, 2]);
    assert_eq!(
        world.entry(1).attempts.len(),
        1,
        "the intent is carried out, not written again"
    );
}

#[test]
fn dying_before_a_landing_lands_it_next_time() {
    let mut world = World::with_queue(&[1, 2]);
    world.dies = Some(Dies::BeforeLanding);
    world.ci_passes(1);
    world.expect_log(&[]);
    world.dies = None;
    world.tick();
    world.expect_log(&["#1 landed"]);
}

#[test]
fn dying_after_a_landing_records_it_next_time() {
    let mut world = World::with_queue(&[1, 2]);
    world.dies = Some(Dies::AfterLanding);
    world.ci_passes(1);
    let moved = world.history.len();
    world.dies = None;
    // Whatever happens to the pull request now, git has landed it.
    world.set_pull(1, crate::queue::PullState::Closed);
    world.outside_push();
    world.tick();
    world.expect_log(&["#1 landed"]);
    assert_eq!(world.history.len(), moved + 1, "not landed a second time");
}

#[test]
fn dying_before_a_landing_that_the_base_overtakes_tests_again() {
    let mut world = World::with_queue(&[1]);
    world.dies = Some(Dies::BeforeLanding);
    world.ci_passes(1);
    world.dies = None;
    let outside = world.outside_push();
    world.tick();
    world.expect_log(&[]);
    assert_eq!(world.base(), outside);
    world.expect_state(1, EntryState::Testing, "checks");
}

#[test]
fn dying_before_a_landing_lets_a_closed_one_go() {
    let mut world = World::with_queue(&[1, 2]);
    world.dies = Some(Dies::BeforeLanding);
    world.ci_passes(1);
    world.dies = None;
    world.set_pull(1, crate::queue::PullState::Closed);
    world.tick();
    world.expect_log(&["#1 removed: closed"]);
    world.expect_candidate_of(2, &[2]);
}

#[test]
fn a_full_entry_is_not_overtaken() {
    let mut world = World::with_queue(&[1, 2, 3, 4]);
    world.enqueue(5);
    world.put_first(5);
    world.settings.max_entries_to_build = 2;
    world.tick();
    for pull in [5, 1] {
        world.ci_passes(pull);
    }
    assert_eq!(world.landed(), [5, 1]);
    world.ci_passes(2);
    world.ci_passes(3);
    assert_eq!(world.landed(), [5, 1, 2, 3]);
}
