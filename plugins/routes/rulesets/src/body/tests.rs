use g1t_kit::testing::request;

use super::*;

fn over(json: &str, stored: Stored) -> Result<Stored, Fault> {
    request("POST", "/x")
        .json(json)
        .build()
        .github_json::<Body>()?
        .over(stored)
}

#[track_caller]
fn expect_fields(json: &str, fields: &[&str]) {
    let fault = over(json, blank(false)).expect_err("it is wrong");
    let found: Vec<_> = fault.errors().iter().map(|e| e.field.as_str()).collect();
    assert_eq!(found, fields, "{fault}");
}

/// As GitHub exports one.
const EXPORTED: &str = r#"{
    "id": 21, "name": "main", "target": "branch", "source_type": "Repository", "source": "octo/hello",
    "enforcement": "active",
    "conditions": { "ref_name": { "exclude": [], "include": ["~DEFAULT_BRANCH"] } },
    "rules": [
        { "type": "deletion" },
        { "type": "pull_request", "parameters": { "required_approving_review_count": 1, "later_thing": true } }
    ],
    "bypass_actors": [
        { "actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always" },
        { "actor_id": null, "actor_type": "DeployKey", "bypass_mode": "always" }
    ]
}"#;

#[test]
fn a_ruleset_exported_from_github_is_taken_as_it_is() {
    let stored = over(EXPORTED, blank(false)).expect("it is right");
    assert_eq!(stored.id, 0, "the number is given here");
    assert_eq!(stored.include, ["~DEFAULT_BRANCH"]);
    assert_eq!(stored.rules[1]["parameters"]["later_thing"], true);
    assert_eq!(stored.bypass.as_array().map(Vec::len), Some(2));
    assert_eq!(
        stored.ruleset().bypass.len(),
        1,
        "a deploy key bypasses nothing"
    );
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let before = over(EXPORTED, blank(false)).expect("it is right");
    let after = over(r#"{"enforcement":"disabled"}"#, before).expect("it is right");
    assert_eq!(after.enforcement, "disabled");
    assert_eq!(after.name, "main");
    assert_eq!(after.include, ["~DEFAULT_BRANCH"]);
    assert_eq!(after.rules.as_array().map(Vec::len), Some(2));
}

#[test]
fn words_that_nobody_knows_are_named() {
    expect_fields(r#"{"name":"a"}"#, &["enforcement"]);
    expect_fields(
        r#"{"name":"a","enforcement":"on","target":"file",
            "bypass_actors":[{"actor_type":"usr"},{"actor_type":"user","actor_id":1,"bypass_mode":"never"}],
            "rules":[{"parameters":{}},{"type":"deletion","applies_to":"agent"}]}"#,
        &[
            "target",
            "enforcement",
            "bypass_actors[0].actor_type",
            "bypass_actors[1].bypass_mode",
            "rules[0].type",
            "rules[1].applies_to",
        ],
    );
}

#[test]
fn a_bypass_that_names_nobody_is_refused() {
    expect_fields(
        r#"{"name":"a","enforcement":"active","bypass_actors":[
            {"actor_type":"user","actor_id":"ada"},{"actor_type":"user","actor_id":7},{"actor_type":"role","actor_id":"boss"},
            {"actor_type":"token"},{"actor_type":"Integration","actor_id":7},{"actor_type":"RepositoryRole","actor_id":99}]}"#,
        &[
            "bypass_actors[0].actor_id",
            "bypass_actors[2].actor_id",
            "bypass_actors[3].actor_id",
        ],
    );
}

#[test]
fn an_exempt_bypass_is_shown_as_what_it_does() {
    let json = r#"{"name":"a","enforcement":"active","bypass_actors":[{"actor_type":"owner","bypass_mode":"exempt"}]}"#;
    let stored = over(json, blank(false)).expect("GitHub's word is taken");
    assert_eq!(stored.bypass[0]["bypass_mode"], "always");
}

#[test]
fn a_condition_that_would_not_hold_is_refused() {
    expect_fields(
        r#"{"name":"a","enforcement":"active","conditions":{
            "repository_name":{"include":["~ALL"],"exclude":["secret"]},"repository_id":{"repository_ids":[1]}}}"#,
        &[
            "conditions.repository_name.exclude",
            "conditions.repository_id",
        ],
    );
}

#[test]
fn a_ruleset_has_a_size() {
    let long = "x".repeat(MAX_BYTES);
    expect_fields(
        &format!(
            r#"{{"name":"a","enforcement":"active","rules":[{{"type":"deletion","note":"{long}"}}]}}"#
        ),
        &["rules"],
    );
}
