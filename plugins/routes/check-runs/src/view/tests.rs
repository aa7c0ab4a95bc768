use g1t_kit::testing::request;
use g1t_kit::types::Role;
use spin_sdk::pg::DbValue;

use super::*;

fn repository() -> Repository {
    Repository {
        id: 3,
        workspace_id: 1,
        workspace: "acme".into(),
        name: "app".into(),
        description: String::new(),
        private: true,
        default_branch: "main".into(),
        topics: Vec::new(),
        allow_merge_commit: true,
        allow_squash_merge: true,
        allow_rebase_merge: true,
        created_at_ms: 0,
        updated_at_ms: 0,
        pushed_at_ms: None,
        role: Role::Read,
    }
}

fn text(text: &str) -> DbValue {
    DbValue::Str(text.to_owned())
}

fn row(output: &str) -> Row {
    Row::of(&[
        ("id", DbValue::Int64(5)),
        ("sha", text(&"a".repeat(40))),
        ("name", text("build")),
        ("status", text("in_progress")),
        ("conclusion", DbValue::DbNull),
        ("external_id", text("")),
        ("details_url", text("")),
        ("output", DbValue::Jsonb(output.as_bytes().to_vec())),
        ("reporter_id", DbValue::Int64(9)),
        ("reporter_login", text("ci")),
        ("reporter_name", text("")),
        ("suite_id", DbValue::Int64(4)),
        ("started_at_ms", DbValue::Int64(1_700_000_000_000)),
        ("completed_at_ms", DbValue::DbNull),
    ])
}

#[test]
fn a_run_has_the_fields_that_clients_read() {
    let request = request("GET", "/repos/acme/app/check-runs/5").build();
    let output = r#"{"title":"t","summary":"s","text":null,"annotations":[
        {"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}]}"#;
    let json = json_of(&request, &repository(), &row(output)).expect("it is right");
    assert_eq!(json["output"]["annotations_count"], 1);
    assert_eq!(json["app"]["slug"], "ci");
    assert_eq!(
        json["app"]["name"], "ci",
        "a reporter without a name goes by the login"
    );
    assert_eq!(json["check_suite"]["id"], 4);
    assert_eq!(json["details_url"], Value::Null);
    assert_eq!(json["started_at"], "2023-11-14T22:13:20Z");
    let url = "http://127.0.0.1:8080/api/v3/repos/acme/app/check-runs/5/annotations";
    assert_eq!(json["output"]["annotations_url"], url);
}

#[test]
fn a_run_that_has_said_nothing_reads_too() {
    let run = run_of(&row("{}")).expect("it is right");
    assert_eq!(run.output, Output::default());
}
