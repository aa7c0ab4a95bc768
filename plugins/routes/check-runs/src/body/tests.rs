use g1t_kit::testing::request;
use serde_json::{Value, json};

use super::*;

const NOW: i64 = 1_700_000_000_000;

fn over(json: &Value, before: Run) -> Result<Run, Fault> {
    request("POST", "/x")
        .json(&json.to_string())
        .build()
        .github_json::<Body>()?
        .over(before, NOW)
}

#[track_caller]
fn made(json: &Value) -> Run {
    over(json, Run::blank()).expect("it is right")
}

#[track_caller]
fn expect_fields(json: &Value, fields: &[&str]) {
    let fault = over(json, Run::blank()).expect_err("it is wrong");
    let found: Vec<_> = fault.errors().iter().map(|e| e.field.as_str()).collect();
    assert_eq!(found, fields, "{fault}");
}

fn annotation(end_line: i64) -> Value {
    json!({ "path": "a.rs", "start_line": 2, "end_line": end_line, "annotation_level": "notice", "message": "m" })
}

#[test]
fn a_run_is_queued_until_more_is_said() {
    let run = made(&json!({ "name": "build", "head_sha": "x", "unheard": 1 }));
    assert_eq!(
        (run.status.as_str(), run.conclusion, run.completed_at_ms),
        ("queued", None, None)
    );
}

#[test]
fn a_conclusion_completes_a_run() {
    let run = made(&json!({ "name": "build", "status": "in_progress", "conclusion": "success" }));
    assert!(run.is_completed());
    assert_eq!(run.completed_at_ms, Some(NOW));
}

#[test]
fn a_run_has_not_begun_later_than_now() {
    let ahead = made(&json!({ "name": "build", "started_at": "2033-01-01T00:00:00Z" }));
    assert_eq!(ahead.started_at_ms, Some(NOW));
    let behind = made(&json!({ "name": "build", "started_at": "2001-09-09T01:46:40Z" }));
    assert_eq!(behind.started_at_ms, Some(1_000_000_000_000));
}

#[test]
fn a_completed_run_needs_a_conclusion() {
    expect_fields(
        &json!({ "name": "build", "status": "completed" }),
        &["conclusion"],
    );
    let done = made(&json!({ "name": "build", "conclusion": "failure" }));
    let again = over(&json!({ "status": "completed" }), done).expect("it has one");
    assert_eq!(again.conclusion.as_deref(), Some("failure"));
}

#[test]
fn a_run_that_begins_again_loses_its_conclusion() {
    let done = made(
        &json!({ "name": "build", "conclusion": "failure", "started_at": "2023-01-01T00:00:00Z" }),
    );
    let run = over(&json!({ "status": "in_progress" }), done).expect("it may");
    assert_eq!((run.conclusion, run.completed_at_ms), (None, None));
    assert_eq!(run.started_at_ms, Some(NOW));
}

#[test]
fn every_wrong_field_is_named_at_once() {
    expect_fields(
        &json!({
            "status": "done", "conclusion": "stale", "started_at": "yesterday", "details_url": "file:///x",
            "external_id": "x".repeat(201),
        }),
        &[
            "name",
            "external_id",
            "details_url",
            "started_at",
            "status",
            "conclusion",
        ],
    );
}

#[test]
fn texts_have_a_length_in_characters() {
    let output = |text: String| json!({ "name": "b", "output": { "title": "t", "summary": "s", "text": text } });
    assert!(over(&output("é".repeat(65_535)), Run::blank()).is_ok());
    expect_fields(&output("é".repeat(65_536)), &["output.text"]);
    expect_fields(&output("a\0".to_owned()), &["output.text"]);
    expect_fields(
        &json!({ "name": "b", "output": {} }),
        &["output.title", "output.summary"],
    );
}

#[test]
fn annotations_are_added_fifty_at_a_time_up_to_a_thousand() {
    let of = |count: usize| json!({ "name": "b", "output": { "title": "t", "summary": "s", "annotations": vec![annotation(2); count] } });
    expect_fields(&of(51), &["output.annotations"]);
    let mut run = Run::blank();
    for _ in 0..20 {
        run = over(&of(50), run).expect("there is room");
    }
    assert_eq!(run.output.annotations.len(), 1_000);
    assert!(over(&of(1), run).is_err());
}

#[test]
fn an_annotation_ends_where_it_begins_or_later() {
    let of = |end: i64| json!({ "name": "b", "output": { "title": "t", "summary": "s", "annotations": [annotation(end)] } });
    assert!(over(&of(2), Run::blank()).is_ok());
    expect_fields(&of(1), &["output.annotations[0].end_line"]);
    let none =
        json!({ "name": "b", "output": { "title": "t", "summary": "s", "annotations": null } });
    assert!(over(&none, Run::blank()).is_ok());
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let run = made(&json!({
        "name": "build", "details_url": "https://ci.example/1", "output": { "title": "t", "summary": "s" },
    }));
    let after = over(&json!({ "output": { "summary": "more" } }), run).expect("it is right");
    assert_eq!(after.output.title.as_deref(), Some("t"));
    assert_eq!(after.output.summary.as_deref(), Some("more"));
    assert_eq!(after.details_url, "https://ci.example/1");
}
