//! Pull requests that change, go away, or are looked at twice while they are queued.

use super::world::World;
use crate::queue::{Action, Admission, EntryState, PullState, decide};

#[test]
fn mq_03_the_push_nobody_told_the_queue_about() {
    let mut world = World::with_queue(&[1, 2]);
    let stale = world.candidate(1);
    let head = world.push(1);
    world
        .admission
        .insert(1, Admission::Waiting("ci has not passed".to_owned()));
    for pull in [1, 2] {
        let candidate = world.candidate(pull);
        world.report(&candidate, "ci", true);
    }
    world.tick();
    world.expect_log(&[]);
    world.expect_state(1, EntryState::Waiting, "new_head");
    world.expect_candidate_of(2, &[2]);

    // Its checks pass: it is built again, from the new head, and keeps its place.
    world.admission.clear();
    world.tick();
    world.expect_candidate_of(1, &[1]);
    assert_ne!(world.candidate(1), stale);
    assert_eq!(world.entry(1).head, head);
    world.expect_candidate_of(2, &[1, 2]);
}

#[test]
fn mq_03_those_behind_do_not_wait_for_a_new_head() {
    let mut world = World::with_queue(&[1, 2]);
    world.push(1);
    world
        .admission
        .insert(1, Admission::Waiting("ci has not passed".to_owned()));
    world.tick();
    world.ci_passes(2);
    world.expect_log(&["#2 landed"]);
    world.expect_state(1, EntryState::Waiting, "new_head");
}

#[test]
fn a_new_head_that_the_rules_refuse_leaves() {
    let mut world = World::with_queue(&[1, 2]);
    world.push(1);
    world
        .admission
        .insert(1, Admission::Fail("lint failed".to_owned()));
    world.tick();
    world.expect_log(&["#1 ejected: the rules do not let it in any more: lint failed"]);
    world.expect_candidate_of(2, &[2]);
}

#[test]
fn a_push_before_the_first_build_is_asked_about() {
    let mut world = World::new();
    world.enqueue(1);
    let head = world.push(1);
    world.tick();
    world.expect_candidate_of(1, &[1]);
    assert_eq!(world.entry(1).head, head);
}

#[test]
fn mq_10_merged_by_hand_while_waiting() {
    for by_hand in [1, 2] {
        let mut world = World::with_queue(&[1, 2, 3]);
        world.set_pull(by_hand, PullState::Merged);
        let moved = world.outside_push();
        world.tick();
        world.expect_log(&[&format!("#{by_hand} removed: merged")]);
        let others: Vec<u64> = [1, 2, 3]
            .into_iter()
            .filter(|pull| *pull != by_hand)
            .collect();
        assert_eq!(
            world.entry(others[0]).live().map(|live| live.onto.clone()),
            Some(moved)
        );
        world.expect_candidate_of(others[1], &others);
    }
}

#[test]
fn mq_43_the_head_of_the_queue_is_closed() {
    let mut world = World::with_queue(&[1, 2, 3]);
    let closed = world.candidate(1);
    world.set_pull(1, PullState::Closed);
    world.report(&closed, "ci", true);
    world.tick();
    world.expect_log(&["#1 removed: closed"]);
    world.expect_candidate_of(2, &[2]);
    world.expect_candidate_of(3, &[2, 3]);
    // Reopening does not give the place back.
    world.enqueue(1);
    world.tick();
    world.expect_candidate_of(1, &[2, 3, 1]);
}

#[test]
fn mq_43_its_branch_is_deleted_and_the_event_is_lost() {
    let mut world = World::with_queue(&[1, 2]);
    world.delete_branch(1);
    world.tick();
    world.expect_log(&["#1 removed: head_gone"]);
    world.expect_candidate_of(2, &[2]);
}

#[test]
fn a_draft_leaves() {
    let mut world = World::with_queue(&[1]);
    world.set_pull(1, PullState::Draft);
    world.tick();
    world.expect_log(&["#1 removed: draft"]);
}

#[test]
fn mq_45_another_target_branch_while_queued() {
    let mut world = World::with_queue(&[1, 2]);
    world.set_pull(1, PullState::Retargeted("release".to_owned()));
    let candidate = world.candidate(1);
    world.report(&candidate, "ci", true);
    world.tick();
    world.expect_log(&["#1 removed: retargeted"]);
    world.expect_candidate_of(2, &[2]);
    // Pointed back, it can be queued again; the old pass does not count.
    world.enqueue(1);
    world.tick();
    world.expect_candidate_of(1, &[2, 1]);
    world.expect_state(1, EntryState::Testing, "checks");
}

#[test]
fn the_base_branch_is_deleted() {
    let mut world = World::with_queue(&[1, 2]);
    world.delete_base();
    world.tick();
    world.expect_log(&["#1 removed: base_gone", "#2 removed: base_gone"]);
}

#[test]
fn mq_40_everything_comes_twice() {
    let mut world = World::new();
    world.enqueue(1);
    world.enqueue(1);
    world.tick();
    world.tick();
    assert_eq!(world.entries.len(), 1);
    assert_eq!(world.entry(1).attempts.len(), 1);
    world.ci_passes(1);
    world.tick();
    world.expect_log(&["#1 landed"]);
}

#[test]
fn mq_40_a_queue_at_rest_has_nothing_to_do() {
    let mut world = World::with_queue(&[1, 2, 3, 4, 5]);
    world.conflict(5, 1);
    world.ci_fails(2);
    world.ci_passes(3);
    let left = decide(&world.snapshot(), world.now);
    assert!(matches!(left.as_slice(), [Action::WakeAt(_)]), "{left:?}");
}

#[test]
fn mq_41_results_that_came_in_while_the_queue_was_down() {
    let mut world = World::with_queue(&[1, 2]);
    let (first, second) = (world.candidate(1), world.candidate(2));
    world.report(&first, "ci", true);
    world.report(&second, "ci", false);
    world.tick();
    world.expect_log(&[
        "#1 landed",
        "#2 ejected: required checks failed on the candidate: ci",
    ]);
}

#[test]
fn an_unanswered_question_neither_lands_nor_blames() {
    let mut world = World::with_queue(&[1, 2]);
    let (first, second) = (world.candidate(1), world.candidate(2));
    world.report(&first, "ci", true);
    world.report(&second, "ci", false);
    world.push(2);
    let mut snapshot = world.snapshot();
    for entry in &mut snapshot.entries {
        entry.admission = Admission::NotAsked;
    }
    assert_eq!(decide(&snapshot, world.now), []);
}
