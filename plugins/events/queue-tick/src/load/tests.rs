use super::*;
use spin_sdk::pg::DbValue;

fn text(value: &str) -> DbValue {
    DbValue::Str(value.to_owned())
}

fn attempt_row(state: &str, detail: &str) -> Row {
    let sha = "a".repeat(40);
    Row::of(&[
        ("id", text("qa_1")),
        ("head_sha", text(&sha)),
        ("onto_sha", text(&sha)),
        ("onto_base", DbValue::Boolean(true)),
        ("ahead", DbValue::ArrayInt64(vec![Some(4), Some(7)])),
        ("state", text(state)),
        ("candidate_sha", text(&sha)),
        ("built_at_ms", DbValue::Int64(5)),
        ("detail", text(detail)),
        (
            "conflict_files",
            DbValue::ArrayStr(vec![Some("f".to_owned())]),
        ),
    ])
}

#[test]
fn an_attempt_reads_as_it_is_stored() {
    let read = attempt(&attempt_row("built", "")).expect("the row is whole");
    assert_eq!(read.ahead, [PullNumber(4), PullNumber(7)]);
    assert!(matches!(
        read.state,
        AttemptState::Built {
            built_at: Time(5),
            ..
        }
    ));
}

#[test]
fn an_obstacle_is_stored_and_read_as_the_same() {
    let paths = || vec!["f".to_owned()];
    for obstacle in [
        Obstacle::Conflict(paths()),
        Obstacle::NotRebasable(paths()),
        Obstacle::NotFastForward,
        Obstacle::Unrelated,
        Obstacle::TooManyCommits,
        Obstacle::Contained,
    ] {
        let (word, _) = obstacle_columns(&obstacle);
        let read = attempt(&attempt_row("unbuildable", word)).expect("the row is whole");
        assert_eq!(read.state, AttemptState::Unbuildable(obstacle));
    }
}

#[test]
fn a_pull_request_for_another_base_is_none_of_this_queue() {
    let row = |state: &str| Row::of(&[("pull_state", text(state)), ("pull_base", text("release"))]);
    assert_eq!(
        pull_state(&row("open"), "main"),
        Ok(PullState::Retargeted("release".to_owned()))
    );
    assert_eq!(pull_state(&row("merged"), "main"), Ok(PullState::Merged));
    assert_eq!(pull_state(&row("draft"), "release"), Ok(PullState::Draft));
}
