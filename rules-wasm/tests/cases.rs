//! Every shared case, played on the library.

#[path = "../cases/load.rs"]
mod load;

use std::collections::BTreeSet;
use std::path::Path;

use g1t_rules::types::{Facts, Rule, Ruleset};
use g1t_rules::{Answer, Extend, judge};
use load::{Case, cases};

struct Plugin(Answer);

impl Extend for Plugin {
    fn evaluate(&self, _rule: &Rule) -> Answer {
        self.0.clone()
    }
}

fn all() -> Vec<Case> {
    cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"))
}

fn read(case: &Case) -> (Facts, Vec<Ruleset>, Plugin) {
    (
        typed(&case.name, &case.facts),
        typed(&case.name, &case.rulesets),
        Plugin(typed(&case.name, &case.plugin_says)),
    )
}

fn typed<T: serde::de::DeserializeOwned>(name: &str, value: &serde_json::Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_case_is_decided_as_it_says() {
    let mut wrong = Vec::new();
    for case in all() {
        let (facts, rulesets, plugin) = read(&case);
        let decision = serde_json::to_value(judge(&facts, &rulesets, &plugin)).expect("plain data");
        let differences = case.differences(&decision);
        if !differences.is_empty() {
            wrong.push(format!("{}\n    {}", case.name, differences.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_facts_give_the_same_decision() {
    for case in all() {
        let (facts, rulesets, plugin) = read(&case);
        let once = judge(&facts, &rulesets, &plugin);
        assert_eq!(once, judge(&facts, &rulesets, &plugin), "{}", case.name);
    }
}

#[test]
fn cases_cover_every_rule_and_moment() {
    let mut seen = BTreeSet::new();
    let mut names = BTreeSet::new();
    for case in all() {
        let (facts, rulesets, plugin) = read(&case);
        for verdict in judge(&facts, &rulesets, &plugin).verdicts {
            let said = format!("{} {:?} {:?}", verdict.rule, facts.moment, verdict.outcome);
            seen.insert(said.replace("Moment::", "").replace("Outcome::", ""));
        }
        assert!(
            names.insert(case.name.clone()),
            "{} is there twice",
            case.name
        );
    }
    let wanted = [
        "creation Push Fail",
        "creation Push Pass",
        "deletion Push Fail",
        "deletion Push Pass",
        "file_path_restriction Merge Fail",
        "file_path_restriction Merge Pass",
        "file_path_restriction Push Fail",
        "file_path_restriction Push Pass",
        "merge_queue Merge Fail",
        "merge_queue Merge Pass",
        "non_fast_forward Push Fail",
        "non_fast_forward Push Pass",
        "plugin:house/door Merge Waiting",
        "plugin:house/door Push Fail",
        "plugin:house/door Queue Pass",
        "pull_request Merge Fail",
        "pull_request Merge Pass",
        "pull_request Merge Waiting",
        "pull_request Push Fail",
        "pull_request Push Pass",
        "required_status_checks Merge Fail",
        "required_status_checks Merge Pass",
        "required_status_checks Merge Waiting",
        "required_status_checks Queue Fail",
        "required_status_checks Queue Pass",
        "required_status_checks Queue Waiting",
        "reserved_ref Push Fail",
        "reserved_ref Push Pass",
        "update Merge Fail",
        "update Push Fail",
        "update Push Pass",
    ];
    let missing: Vec<_> = wanted
        .iter()
        .filter(|wanted| !seen.contains(**wanted))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
