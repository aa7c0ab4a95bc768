//! What rulesets are taken in, what they require, and how they set the queue.

use g1t_rules::types::{
    AppliesTo, Bypass, BypassActor, BypassMode, Enforcement, QueueSettings, Repository, Role, Rule,
    Ruleset, Source, Target,
};
use g1t_rules::{check_ruleset, queue, requirements};

fn ruleset(rules: Vec<Rule>) -> Ruleset {
    Ruleset {
        id: 1,
        name: "protect main".into(),
        source: Source::Repository,
        target: Target::Branch,
        enforcement: Enforcement::Active,
        include: vec!["~DEFAULT_BRANCH".into()],
        exclude: Vec::new(),
        repositories: Vec::new(),
        bypass: Vec::new(),
        rules,
    }
}

fn rule(kind: &str, parameters: &str) -> Rule {
    Rule {
        kind: kind.into(),
        parameters: parameters.into(),
        applies_to: AppliesTo::Everyone,
    }
}

fn repository() -> Repository {
    Repository {
        id: 1,
        workspace: "acme".into(),
        name: "api".into(),
        default_branch: "main".into(),
        private: true,
        topics: Vec::new(),
    }
}

#[track_caller]
fn expect_errors(ruleset: &Ruleset, expected: &[(&str, &str, &str)]) {
    let errors = check_ruleset(ruleset);
    let found: Vec<_> = errors
        .iter()
        .map(|error| {
            (
                error.field.as_str(),
                error.code.as_str(),
                error.message.as_str(),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_ruleset_exported_from_github_is_taken_in() {
    let rules = vec![
        rule("deletion", "{}"),
        rule("non_fast_forward", "{}"),
        rule("update", r#"{"update_allows_fetch_and_merge":true}"#),
        rule(
            "pull_request",
            r#"{"required_approving_review_count":1,"dismiss_stale_reviews_on_push":true,"required_reviewers":[],
                "require_code_owner_review":true,"require_last_push_approval":false,
                "required_review_thread_resolution":true,"allowed_merge_methods":["merge","squash","rebase"]}"#,
        ),
        rule(
            "required_status_checks",
            r#"{"strict_required_status_checks_policy":true,"do_not_enforce_on_create":false,
                "required_status_checks":[{"context":"ci","integration_id":15368},{"context":"lint","integration_id":null}]}"#,
        ),
        rule(
            "merge_queue",
            r#"{"merge_method":"SQUASH","max_entries_to_build":5,"min_entries_to_merge":1,"max_entries_to_merge":5,
                "min_entries_to_merge_wait_minutes":5,"grouping_strategy":"HEADGREEN","check_response_timeout_minutes":60}"#,
        ),
        rule(
            "file_path_restriction",
            r#"{"restricted_file_paths":[".github/**","*.pem"]}"#,
        ),
        rule("plugin:house/door", r#"{"anything":[1]}"#),
    ];
    expect_errors(&ruleset(rules), &[]);
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one ruleset with every error, and the list of them"
)]
fn every_error_is_told_at_once_and_where_it_is() {
    let rules = vec![
        rule(
            "pull_request",
            r#"{"required_approving_review_count":11,"require_code_owner_review":"yes","allowed_merge_methods":["octopus"]}"#,
        ),
        rule(
            "required_status_checks",
            r#"{"required_status_checks":[{"context":"ci","integration_id":0,"paths":["a["]},{"integration_id":1},"ci"]}"#,
        ),
        rule("required_status_checks", "{}"),
        rule(
            "file_path_restriction",
            r#"{"restricted_file_paths":["ok",7]}"#,
        ),
        rule(
            "merge_queue",
            r#"{"max_entries_to_build":0,"check_response_timeout_minutes":4,"merge_method":"octopus","grouping_strategy":"x"}"#,
        ),
        rule("creation", "[]"),
        rule("no_such_rule", "{}"),
        rule("plugin:house/door", "nonsense"),
    ];
    expect_errors(
        &ruleset(rules),
        &[
            (
                "rules[0].parameters.required_approving_review_count",
                "invalid",
                "must be a whole number from 0 to 10",
            ),
            (
                "rules[0].parameters.require_code_owner_review",
                "invalid",
                "must be true or false",
            ),
            (
                "rules[0].parameters.allowed_merge_methods[0]",
                "invalid",
                "must be `merge`, `squash`, `rebase` or `fast-forward`",
            ),
            (
                "rules[1].parameters.required_status_checks[0].integration_id",
                "invalid",
                "must be a whole number above 0",
            ),
            (
                "rules[1].parameters.required_status_checks[0].paths[0]",
                "invalid",
                "has a `[` without its `]`; close it, or write `\\[` for the character itself",
            ),
            (
                "rules[1].parameters.required_status_checks[1].context",
                "missing",
                "must be given",
            ),
            (
                "rules[1].parameters.required_status_checks[2]",
                "invalid",
                "must be an object",
            ),
            (
                "rules[2].parameters.required_status_checks",
                "missing",
                "must be given",
            ),
            (
                "rules[3].parameters.restricted_file_paths[1]",
                "invalid",
                "must be a text",
            ),
            (
                "rules[4].parameters.grouping_strategy",
                "invalid",
                "must be `ALLGREEN` or `HEADGREEN`",
            ),
            (
                "rules[4].parameters.max_entries_to_build",
                "invalid",
                "must be a whole number from 1 to 20",
            ),
            (
                "rules[4].parameters.check_response_timeout_minutes",
                "invalid",
                "must be a whole number from 5 to 360",
            ),
            (
                "rules[4].parameters.merge_method",
                "invalid",
                "must be `MERGE`, `SQUASH`, `REBASE` or `FAST_FORWARD`",
            ),
            ("rules[5].parameters", "invalid", "must be a JSON object"),
            (
                "rules[6].type",
                "invalid",
                "`no_such_rule` is no rule type known here",
            ),
            ("rules[7].parameters", "invalid", "must be a JSON object"),
        ],
    );
}

#[test]
fn names_patterns_and_bypass_entries_are_checked() {
    let entry = |actor| Bypass {
        actor,
        mode: BypassMode::Always,
    };
    let wrong = Ruleset {
        name: " ".into(),
        include: vec!["~MAIN".into(), "a".repeat(256)],
        exclude: vec![String::new(), "release/**".into()],
        repositories: vec!["api".into()],
        bypass: vec![
            entry(BypassActor::Role(Role::None)),
            entry(BypassActor::Role(Role::Admin)),
            entry(BypassActor::Team(String::new())),
            entry(BypassActor::User(0)),
        ],
        ..ruleset(Vec::new())
    };
    let fields: Vec<_> = check_ruleset(&wrong)
        .into_iter()
        .map(|error| error.field)
        .collect();
    assert_eq!(
        fields,
        [
            "name",
            "conditions.ref_name.include[0]",
            "conditions.ref_name.include[1]",
            "conditions.ref_name.exclude[0]",
            "conditions.repository_name.include",
            "bypass_actors[0]",
            "bypass_actors[2]",
            "bypass_actors[3]",
        ]
    );
}

#[test]
fn rules_that_could_never_be_judged_where_they_are_written_are_refused() {
    let tags = Ruleset {
        target: Target::Tag,
        ..ruleset(vec![
            rule("pull_request", "{}"),
            rule("merge_queue", "{}"),
            rule("creation", "{}"),
        ])
    };
    let message = "holds only in a ruleset whose target is `branch`; move it to one";
    expect_errors(
        &tags,
        &[
            ("rules[0].type", "unprocessable", message),
            ("rules[1].type", "unprocessable", message),
        ],
    );
}

#[test]
fn a_queue_is_for_everyone_and_no_rule_is_written_twice() {
    let for_agents = Rule {
        applies_to: AppliesTo::Agents,
        ..rule("merge_queue", "{}")
    };
    let rules = vec![for_agents, rule("deletion", "{}"), rule("deletion", "{}")];
    let fields: Vec<_> = check_ruleset(&ruleset(rules))
        .into_iter()
        .map(|error| error.field)
        .collect();
    assert_eq!(fields, ["rules[0].applies_to", "rules[2]"]);
}

#[test]
fn limits_hold_at_their_edge() {
    let plugins = |count: usize| {
        let rules = (0..count).map(|number| rule(&format!("plugin:house/r{number}"), "{}"));
        ruleset(rules.collect())
    };
    expect_errors(&plugins(100), &[]);
    expect_errors(
        &plugins(101),
        &[(
            "rules",
            "unprocessable",
            "must be a list of at most 100 entries",
        )],
    );
    let padded = |bytes: usize| {
        let padding = "x".repeat(bytes - r#"{"a":""}"#.len());
        ruleset(vec![rule("deletion", &format!(r#"{{"a":"{padding}"}}"#))])
    };
    expect_errors(&padded(64 * 1024), &[]);
    expect_errors(
        &padded(64 * 1024 + 1),
        &[(
            "rules[0].parameters",
            "invalid",
            "must be at most 65536 bytes of JSON",
        )],
    );
}

#[test]
fn requirements_are_every_rule_that_covers_the_ref_in_order() {
    let other = |id: u64, enforcement| Ruleset {
        id,
        enforcement,
        ..ruleset(vec![rule("deletion", "{}"), rule("update", "{}")])
    };
    let rulesets = [
        other(4, Enforcement::Evaluate),
        other(2, Enforcement::Disabled),
        other(3, Enforcement::Active),
    ];
    let listed: Vec<_> = requirements(&repository(), "refs/heads/main", &rulesets)
        .into_iter()
        .map(|one| (one.ruleset_id, one.rule.kind))
        .collect();
    let expected = [
        (4, "deletion"),
        (4, "update"),
        (3, "deletion"),
        (3, "update"),
    ];
    assert_eq!(listed, expected.map(|(id, kind)| (id, kind.to_owned())));
    assert_eq!(
        requirements(&repository(), "refs/heads/topic", &rulesets),
        []
    );
    let all = Ruleset {
        include: vec!["~ALL".into()],
        ..other(5, Enforcement::Active)
    };
    assert_eq!(
        requirements(&repository(), "refs/heads/g1t-queue/e1-1", &[all]),
        []
    );
}

#[test]
fn a_pattern_that_does_not_read_errs_on_the_strict_side() {
    let broken = Ruleset {
        include: vec!["a[".into()],
        exclude: vec!["b[".into()],
        ..ruleset(vec![rule("update", "{}")])
    };
    assert_eq!(
        requirements(&repository(), "refs/heads/main", &[broken]).len(),
        1
    );
}

#[test]
fn the_strictest_settings_of_several_queues_win() {
    let with = |parameters: &str| ruleset(vec![rule("merge_queue", parameters)]);
    let rulesets = [
        with(
            r#"{"max_entries_to_build":6,"min_entries_to_merge":3,"check_response_timeout_minutes":30}"#,
        ),
        with(
            r#"{"max_entries_to_build":8,"min_entries_to_merge_wait_minutes":9,"merge_method":"SQUASH"}"#,
        ),
        with(r#"{"merge_method":"REBASE","max_entries_to_build":7,"min_entries_to_merge":0}"#),
        Ruleset {
            enforcement: Enforcement::Evaluate,
            ..with(r#"{"max_entries_to_build":1}"#)
        },
    ];
    assert_eq!(
        queue(&repository(), "refs/heads/main", &rulesets),
        Some(QueueSettings {
            max_entries_to_build: 6,
            min_entries_to_merge: 1,
            min_entries_to_merge_wait_minutes: 9,
            check_response_timeout_minutes: 30,
            merge_method: Some("squash".into()),
        })
    );
    assert_eq!(queue(&repository(), "refs/heads/topic", &rulesets), None);
    assert_eq!(
        queue(&repository(), "refs/heads/main", &rulesets[3..]),
        None
    );
}

#[test]
fn a_queue_without_parameters_has_the_defaults() {
    let rulesets = [ruleset(vec![rule("merge_queue", "{}")])];
    assert_eq!(
        queue(&repository(), "refs/heads/main", &rulesets),
        Some(QueueSettings {
            max_entries_to_build: 4,
            min_entries_to_merge: 1,
            min_entries_to_merge_wait_minutes: 0,
            check_response_timeout_minutes: 45,
            merge_method: None,
        })
    );
}
