use super::*;
use g1t_kit::types::Verdict as Said;

fn said(rule: &str, outcome: Outcome, why: &str) -> Said {
    Said {
        ruleset_id: 1,
        ruleset_name: "main".to_owned(),
        rule: rule.to_owned(),
        enforcement: Enforcement::Active,
        outcome,
        why: why.to_owned(),
        remedy: String::new(),
        bypassable: false,
    }
}

fn decision(outcome: Outcome, verdicts: Vec<Said>) -> Decision {
    Decision {
        outcome,
        outcome_with_bypass: outcome,
        verdicts,
    }
}

#[test]
fn a_candidate_that_no_check_is_required_of_says_so() {
    let window = said("merge_window", Outcome::Pass, "");
    assert_eq!(
        verdict(&decision(Outcome::Pass, vec![window.clone()])),
        Verdict::NothingRequired
    );
    let checks = said(CHECKS_RULE, Outcome::Pass, "");
    assert_eq!(
        verdict(&decision(Outcome::Pass, vec![window, checks])),
        Verdict::Pass
    );
}

#[test]
fn a_failed_check_is_told_and_one_that_is_only_tried_out_is_not() {
    let mut tried = said(CHECKS_RULE, Outcome::Fail, "lint failed");
    tried.enforcement = Enforcement::Evaluate;
    let failed = said(CHECKS_RULE, Outcome::Fail, "test failed");
    assert_eq!(
        verdict(&decision(Outcome::Fail, vec![tried, failed])),
        Verdict::Fail(vec!["test failed".to_owned()])
    );
}

#[test]
fn at_landing_the_checks_of_the_head_do_not_count_again() {
    let failed = decision(
        Outcome::Fail,
        vec![said(CHECKS_RULE, Outcome::Fail, "test failed")],
    );
    assert_eq!(admission(&failed, Question::Landing), Admission::Pass);
    assert_eq!(
        admission(&failed, Question::NewHead),
        Admission::Fail("test failed".to_owned())
    );
}

#[test]
fn a_failure_is_told_before_what_may_still_come() {
    let unmet = decision(
        Outcome::Fail,
        vec![
            said("merge_window", Outcome::Waiting, "closed"),
            said("pull_request", Outcome::Fail, "changes are asked for"),
        ],
    );
    assert_eq!(
        admission(&unmet, Question::Landing),
        Admission::Fail("changes are asked for".to_owned())
    );
}

#[test]
fn what_the_asker_may_bypass_does_not_stand_in_the_way() {
    let mut review = said("pull_request", Outcome::Fail, "one approval is missing");
    review.bypassable = true;
    let unmet = decision(Outcome::Fail, vec![review]);
    assert_eq!(admission(&unmet, Question::NewHead), Admission::Pass);
}

#[test]
fn every_setting_of_the_queue_reaches_it() {
    let set = types::QueueSettings {
        max_entries_to_build: 7,
        min_entries_to_merge: 3,
        min_entries_to_merge_wait_minutes: 2,
        check_response_timeout_minutes: 5,
        merge_method: None,
    };
    let expected = Settings {
        max_entries_to_build: 7,
        check_response_timeout: Duration::from_secs(300),
        min_entries_to_merge: 3,
        min_entries_to_merge_wait: Duration::from_secs(120),
    };
    assert_eq!(settings(&set), expected);
}
