//! What people read.

use super::world::World;
use crate::ids::PullNumber;
use crate::queue::{Ejection, EjectionCode, Note, Obstacle, Removal, VoidReason};

#[test]
fn every_reason_has_a_code_and_a_sentence() {
    let pulls = vec![PullNumber(1), PullNumber(2)];
    let notes = [
        (
            Note::Full(4),
            "full",
            "waits for its turn: 4 entries are tested at once",
        ),
        (Note::Building(None), "building", "is about to be built"),
        (
            Note::Building(Some(VoidReason::HeadMoved)),
            "head_moved",
            "is built again: something was pushed to it",
        ),
        (
            Note::Behind(pulls.clone()),
            "behind",
            "passed; lands after #1, #2",
        ),
        (
            Note::Gathering {
                passed: 1,
                wanted: 3,
            },
            "gathering",
            "passed; waits for others to land with: 1 of 3 have passed",
        ),
        (
            Note::NothingRequired,
            "nothing_required",
            "no check is required",
        ),
        (
            Note::HeldBack {
                ahead: pulls,
                obstacle: Obstacle::NotFastForward,
            },
            "held_not_fast_forward",
            "cannot be fast-forwarded from #1, #2: held until what is ahead lands or leaves",
        ),
    ];
    for (note, code, text) in notes {
        assert_eq!((note.code(), note.text("main").as_str()), (code, text));
    }
    assert_eq!(
        (Note::None.code(), Note::None.text("main").as_str()),
        ("", "")
    );
}

#[test]
fn an_ejection_says_what_brings_it_back() {
    let ejection = |code| Ejection {
        code,
        details: vec!["f".into()],
        candidate: None,
        onto: None,
        ahead: Vec::new(),
    };
    for code in [
        EjectionCode::ChecksFailed,
        EjectionCode::TimedOut,
        EjectionCode::Conflict,
        EjectionCode::NotRebasable,
        EjectionCode::NotFastForward,
        EjectionCode::Unrelated,
        EjectionCode::TooManyCommits,
        EjectionCode::RulesFailed,
    ] {
        assert!(
            ejection(code).remedy("main").contains("queue it again"),
            "{code:?}"
        );
    }
}

#[test]
fn a_removal_names_the_branch() {
    assert_eq!(
        Removal::Retargeted("release".into()).text("main"),
        "the pull request wants to merge into release now"
    );
    assert_eq!(
        Removal::BaseGone.text("main"),
        "the branch main was deleted"
    );
}

#[test]
fn mq_37_a_failure_carries_what_was_tested() {
    let mut world = World::with_queue(&[1, 2]);
    let (base, first, second) = (world.base(), world.candidate(1), world.candidate(2));
    world.report(&second, "ci", false);
    world.report(&first, "ci", true);
    let ejection = world.next_ejection();
    assert_eq!(ejection.candidate, Some(second));
    assert_eq!(ejection.onto, Some(first));
    assert_eq!(ejection.ahead, [PullNumber(1)]);
    assert_eq!(ejection.details, ["ci"]);
    assert_ne!(world.base(), base);
}
