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
        queue: None,
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
fn the_queue_is_gone_round_only_where_every_queue_rule_may_be_bypassed() {
    let queue = |bypassable| verdict(MERGE_QUEUE, Outcome::Pass, bypassable);
    assert!(judged(vec![queue(true)]).may_bypass_queue());
    assert!(!judged(vec![queue(true), queue(false)]).may_bypass_queue());
    assert!(!judged(Vec::new()).may_bypass_queue());
}
