use g1t_kit::types::Rule;

use super::*;

fn judged(verdicts: Vec<Verdict>) -> Judged {
    let heaviest = |counts: &dyn Fn(&Verdict) -> bool| {
        let outcomes = || {
            verdicts
                .iter()
                .filter(|verdict| counts(verdict))
                .map(|verdict| verdict.outcome)
        };
        if outcomes().any(|outcome| outcome == Outcome::Fail) {
            Outcome::Fail
        } else if outcomes().any(|outcome| outcome == Outcome::Waiting) {
            Outcome::Waiting
        } else {
            Outcome::Pass
        }
    };
    let (outcome, outcome_with_bypass) = (
        heaviest(&|_| true),
        heaviest(&|verdict| !verdict.bypassable),
    );
    Judged {
        decision: Decision {
            outcome,
            outcome_with_bypass,
            verdicts,
        },
        method: MergeMethod::Merge,
        is_for_queue: false,
    }
}

fn verdict(rule: &str, outcome: Outcome, bypassable: bool) -> Verdict {
    Verdict {
        ruleset_id: 1,
        ruleset_name: "main".into(),
        rule: rule.into(),
        enforcement: Enforcement::Active,
        outcome,
        why: format!("{rule} is not met."),
        remedy: "Meet it.".into(),
        bypassable,
    }
}

#[test]
fn every_rule_in_the_way_is_named_with_what_to_do() {
    let judged = judged(vec![
        verdict("pull_request", Outcome::Waiting, false),
        verdict("update", Outcome::Pass, false),
        verdict("file_path_restriction", Outcome::Fail, false),
    ]);
    let fault = judged.require().expect_err("two rules are in the way");
    assert_eq!(fault.status().as_u16(), 405);
    let named: Vec<_> = fault
        .errors()
        .iter()
        .map(|error| (error.field.as_str(), error.message.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            ("pull_request", "pull_request is not met. Meet it."),
            (
                "file_path_restriction",
                "file_path_restriction is not met. Meet it."
            ),
        ]
    );
}

#[test]
fn what_is_only_watched_or_may_be_bypassed_is_not_in_the_way() {
    let mut watched = verdict("update", Outcome::Fail, false);
    watched.enforcement = Enforcement::Evaluate;
    let judged = judged(vec![
        watched,
        verdict("pull_request", Outcome::Waiting, true),
    ]);
    assert_eq!(judged.require(), Ok(()));
}

#[test]
fn the_queue_is_gone_round_only_where_every_active_queue_rule_may_be_bypassed() {
    let may = |verdicts| may_bypass_queue(&judged(verdicts).decision);
    let queue = |bypassable| verdict(MERGE_QUEUE, Outcome::Pass, bypassable);
    assert!(may(vec![queue(true)]));
    assert!(!may(vec![queue(true), queue(false)]));
    assert!(!may(Vec::new()));
    let mut tried = queue(false);
    tried.enforcement = Enforcement::Evaluate;
    assert!(may(vec![queue(true), tried.clone()]));
    tried.bypassable = true;
    assert!(!may(vec![tried]));
}

fn rule(kind: &str, parameters: Value) -> Rule {
    Rule {
        kind: kind.into(),
        parameters: parameters.to_string(),
        applies_to: g1t_kit::types::AppliesTo::Everyone,
    }
}

#[test]
fn whoever_goes_round_the_queue_is_judged_as_if_there_were_none() {
    let ruleset = Ruleset {
        id: 1,
        name: "main".into(),
        source: g1t_kit::types::Source::Repository,
        target: g1t_kit::types::Target::Branch,
        enforcement: Enforcement::Active,
        include: Vec::new(),
        exclude: Vec::new(),
        repositories: Vec::new(),
        bypass: Vec::new(),
        rules: vec![
            rule(MERGE_QUEUE, json!({})),
            rule("required_status_checks", json!({})),
        ],
    };
    let left = without_queue(vec![ruleset]);
    let kinds: Vec<_> = left[0]
        .rules
        .iter()
        .map(|rule| rule.kind.as_str())
        .collect();
    assert_eq!(kinds, ["required_status_checks"]);
}

fn repository() -> Repository {
    Repository {
        id: 1,
        workspace_id: 1,
        workspace: "acme".into(),
        name: "site".into(),
        description: String::new(),
        private: true,
        default_branch: "main".into(),
        topics: Vec::new(),
        allow_merge_commit: false,
        allow_squash_merge: true,
        allow_rebase_merge: true,
        created_at_ms: 0,
        updated_at_ms: 0,
        pushed_at_ms: None,
        role: g1t_kit::types::Role::Write,
    }
}

#[test]
fn a_queues_own_method_counts_and_else_the_one_asked_for() {
    let settings = |merge_method: Option<&str>| QueueSettings {
        max_entries_to_build: 4,
        min_entries_to_merge: 1,
        min_entries_to_merge_wait_minutes: 0,
        check_response_timeout_minutes: 45,
        merge_method: merge_method.map(str::to_owned),
    };
    let of = |queue: Option<&QueueSettings>, asked| method(&repository(), queue, asked).ok();
    // The queue's method is its own affair, switched off for people or not.
    let merge = settings(Some("merge"));
    assert_eq!(
        of(Some(&merge), Some(MergeMethod::Squash)),
        Some(MergeMethod::Merge)
    );
    let open = settings(None);
    assert_eq!(
        of(Some(&open), Some(MergeMethod::Squash)),
        Some(MergeMethod::Squash)
    );
    assert_eq!(of(Some(&open), None), None);
    assert_eq!(of(None, Some(MergeMethod::Merge)), None);
}

#[test]
fn what_is_shown_is_judged_with_a_method_that_could_be_used() {
    let requirement = |enforcement, words: Value| Requirement {
        ruleset_id: 1,
        ruleset_name: "main".into(),
        source: g1t_kit::types::Source::Repository,
        enforcement,
        rule: rule(PULL_REQUEST, json!({ "allowed_merge_methods": words })),
    };
    let first = |requirements: &[Requirement]| first_allowed(&repository(), requirements);
    assert_eq!(first(&[]), MergeMethod::Squash);
    let rebase = requirement(Enforcement::Active, json!(["merge", "rebase"]));
    assert_eq!(first(std::slice::from_ref(&rebase)), MergeMethod::Rebase);
    let tried = requirement(Enforcement::Evaluate, json!(["fast-forward"]));
    let silent = requirement(Enforcement::Active, Value::Null);
    assert_eq!(first(&[rebase, tried, silent]), MergeMethod::Rebase);
    assert_eq!(
        first(&[requirement(Enforcement::Active, json!([]))]),
        MergeMethod::Merge
    );
}
