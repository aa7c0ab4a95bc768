//! Which reports count, and how long they may take.

use super::world::World;
use crate::ids::{Oid, Time};
use crate::queue::{Action, Admission, EntryState, Obstacle, decide};

const LIMIT_MS: i64 = 45 * 60 * 1_000;

#[test]
fn mq_16_a_required_check_that_never_reports() {
    let mut world = World::new();
    world.required = ["unit", "lint", "docs"].map(str::to_owned).into();
    world.enqueue(1);
    world.enqueue(2);
    world.tick();
    let candidate = world.candidate(1);
    world.report(&candidate, "unit", true);
    world.report(&candidate, "lint", true);
    world.tick();
    assert_eq!(world.entry(1).reason, "waits for checks: docs");
    assert_eq!(
        world.wake,
        Some(Time(LIMIT_MS)),
        "the queue looks again when the time is over"
    );

    world.minutes_pass(44);
    world.tick();
    world.expect_log(&[]);
    world.minutes_pass(1);
    world.tick();
    world.expect_log(&["#1 ejected: required checks did not pass in time: docs"]);
    world.expect_candidate_of(2, &[2]);
    assert_eq!(
        world.wake,
        Some(Time(2 * LIMIT_MS)),
        "the candidate built anew has its own time"
    );
}

#[test]
fn mq_16_time_running_out_behind_an_undecided_one_is_held() {
    let mut world = World::new();
    world.enqueue(1);
    world.tick();
    world.enqueue(2);
    world.tick();
    let snapshot = {
        let mut snapshot = world.snapshot();
        // As if #2 had been built long before #1.
        if let Some(attempt) = snapshot.entries[1].attempts.first_mut()
            && let crate::queue::AttemptState::Built { built_at, .. } = &mut attempt.state
        {
            *built_at = Time(-10 * LIMIT_MS);
        }
        snapshot
    };
    let actions = decide(&snapshot, world.now);
    assert!(
        actions
            .iter()
            .all(|action| !matches!(action, Action::Eject { .. })),
        "nobody is blamed behind an undecided one: {actions:?}"
    );
    assert!(matches!(
        actions.as_slice(),
        [Action::Show { standing, .. }, Action::WakeAt(_)] if standing.note.code() == "held"
    ));
}

#[test]
fn mq_17_looking_before_there_is_anything_to_see() {
    let mut world = World::with_queue(&[1]);
    world.tick();
    world.expect_log(&[]);
    world.expect_state(1, EntryState::Testing, "checks");
    world.ci_fails(1);
    world.expect_log(&["#1 ejected: required checks failed on the candidate: ci"]);
}

#[test]
fn mq_17_nothing_required_lands_once_built_and_says_so() {
    let mut world = World::new();
    world.required.clear();
    world.enqueue(1);
    world.enqueue(2);
    world.tick();
    world.expect_log(&["#1 landed", "#2 landed"]);
    assert_eq!(
        world.shown,
        ["#1: no check is required", "#2: no check is required"]
    );
}

#[test]
fn mq_23_the_required_set_in_force_now_decides() {
    let mut world = World::new();
    world.required = vec!["lint".to_owned()];
    world.enqueue(1);
    world.enqueue(2);
    world.tick();
    let candidate = world.candidate(1);
    world.report(&candidate, "lint", true);
    world.required = vec!["@scope/pkg (a, b)".to_owned()];
    world.tick();
    world.expect_log(&[]);
    assert_eq!(world.entry(1).reason, "waits for checks: @scope/pkg (a, b)");
    world.report(&candidate, "@scope/pkg (a, b)", true);
    world.tick();
    world.expect_log(&["#1 landed"]);
}

#[test]
fn mq_25_a_pass_for_some_other_commit() {
    let mut world = World::with_queue(&[1]);
    let previous = world.candidate(1);
    world.outside_push();
    world.tick();
    let head = world.entry(1).head.clone();
    let unknown = Oid::parse(&"f".repeat(40)).expect("an id");
    for commit in [head, previous, unknown] {
        world.report(&commit, "ci", true);
    }
    world.tick();
    world.expect_log(&[]);
    world.expect_state(1, EntryState::Testing, "checks");
    world.ci_passes(1);
    world.expect_log(&["#1 landed"]);
}

#[test]
fn mq_26_the_pass_that_comes_after_the_time_limit() {
    let mut world = World::with_queue(&[1, 2]);
    let late = world.candidate(1);
    world.minutes_pass(45);
    world.tick();
    world.report(&late, "ci", true);
    world.tick();
    world.expect_log(&["#1 ejected: required checks did not pass in time: ci"]);
    world.ci_passes(2);
    assert_eq!(world.landed(), [2]);
}

#[test]
fn mq_38_a_conflict_with_one_that_lands() {
    let mut world = World::new();
    world.conflict(1, 2);
    for pull in [1, 2, 3] {
        world.enqueue(pull);
    }
    world.tick();
    world.expect_state(2, EntryState::Waiting, "held_conflict");
    assert_eq!(
        world.entry(2).reason,
        "conflicts with #1 in f: held until what is ahead lands or leaves"
    );
    world.expect_candidate_of(3, &[1, 3]);
    world.ci_passes(3);
    world.ci_passes(1);
    world.expect_log(&[
        "#1 landed",
        "#2 ejected: conflicts with main since #1 landed in f",
        "#3 landed",
    ]);
}

#[test]
fn mq_38_a_conflict_with_one_that_leaves() {
    let mut world = World::new();
    world.conflict(1, 2);
    for pull in [1, 2, 3] {
        world.enqueue(pull);
    }
    world.tick();
    world.ci_fails(1);
    world.expect_log(&["#1 ejected: required checks failed on the candidate: ci"]);
    world.expect_candidate_of(2, &[2]);
    world.expect_candidate_of(3, &[2, 3]);
}

#[test]
fn what_cannot_be_built_on_the_base_leaves_and_takes_no_time_of_others() {
    for (obstacle, left) in [
        (
            Obstacle::Conflict(vec!["a".into(), "b".into()]),
            "#1 ejected: conflicts with main in a, b",
        ),
        (
            Obstacle::NotRebasable(vec!["f".into()]),
            "#1 ejected: cannot be rebased onto main without losing a resolution in f",
        ),
        (
            Obstacle::NotFastForward,
            "#1 ejected: cannot be fast-forwarded: main has commits that it lacks",
        ),
        (
            Obstacle::Unrelated,
            "#1 ejected: has no commit in common with main",
        ),
        (
            Obstacle::TooManyCommits,
            "#1 ejected: has more commits than can be rebased onto main one by one",
        ),
        (Obstacle::Contained, "#1 removed: contained"),
    ] {
        let mut world = World::new();
        world.obstruct(1, obstacle);
        world.enqueue(1);
        world.enqueue(2);
        world.tick();
        world.expect_log(&[left]);
        world.expect_candidate_of(2, &[2]);
    }
}

#[test]
fn mq_06_the_rules_refuse_the_landing() {
    let mut world = World::with_queue(&[1, 2]);
    world
        .admission
        .insert(1, Admission::Fail("needs 1 more approval".to_owned()));
    world.ci_passes(1);
    world.expect_log(&["#1 ejected: the rules do not let it in any more: needs 1 more approval"]);
    world.ci_passes(2);
    assert_eq!(world.landed(), [2]);
    // Asked for again, it goes the whole way again.
    world.admission.clear();
    world.enqueue(1);
    world.tick();
    world.expect_candidate_of(1, &[2, 1]);
    world.ci_passes(1);
    assert_eq!(world.landed(), [2, 1]);
}
