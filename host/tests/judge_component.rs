//! The judge's cases, played on the compiled component: the component must decide what the library does.

#[path = "../../rules-wasm/cases/load.rs"]
#[expect(dead_code, reason = "this host has no plugin that could say anything")]
mod load;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use g1t_work::bindings::app::g1t::rules::types::{Decision, Facts, Outcome, Ruleset};
use g1t_work::capability::judge::Judge;
use g1t_work::runtime::CodeCache;
use load::{Case, cases};
use serde_json::Value;

fn components() -> PathBuf {
    std::env::var_os("G1T_COMPONENTS")
        .expect("run the tests by `cargo xtask test`, or set G1T_COMPONENTS")
        .into()
}

fn judge() -> Judge {
    let components = components();
    let cache = CodeCache::open(&components.join("code")).expect("a folder for compiled code");
    Judge::load(&cache, &components.join("judge.wasm")).expect("the judge")
}

fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules-wasm/cases");
    let cases = cases(&folder);
    assert!(cases.len() >= 50, "only {} cases", cases.len());
    cases
}

fn typed<T: serde::de::DeserializeOwned>(case: &Case, value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

fn read(case: &Case) -> (Facts, Vec<Ruleset>) {
    (typed(case, &case.facts), typed(case, &case.rulesets))
}

async fn decide(judge: &Judge, case: &Case) -> Decision {
    let (facts, rulesets) = read(case);
    judge
        .judge(facts, rulesets)
        .await
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// The plugin that the cases ask. This host has none, so only their other rules can be compared.
const PLUGIN: &str = "plugin:house/door";

fn asks_a_plugin(case: &Case) -> bool {
    let (_, rulesets) = read(case);
    rulesets
        .iter()
        .flat_map(|ruleset| &ruleset.rules)
        .any(|rule| rule.kind == PLUGIN)
}

#[tokio::test]
async fn every_case_is_decided_as_it_says() {
    let judge = judge();
    let mut wrong = Vec::new();
    for case in all().iter().filter(|case| !asks_a_plugin(case)) {
        let decision = serde_json::to_value(decide(&judge, case).await).expect("plain data");
        let differences = case.differences(&decision);
        if !differences.is_empty() {
            wrong.push(format!("{}\n    {}", case.name, differences.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_plugin_that_is_not_there_refuses() {
    let judge = judge();
    let all = all();
    let asking: Vec<_> = all.iter().filter(|case| asks_a_plugin(case)).collect();
    assert!(!asking.is_empty(), "no case asks a plugin");
    for case in asking {
        let decision = decide(&judge, case).await;
        let verdict = decision
            .verdicts
            .iter()
            .find(|verdict| verdict.rule == PLUGIN)
            .unwrap_or_else(|| panic!("{}: no verdict of {PLUGIN}", case.name));
        assert_eq!(verdict.outcome, Outcome::Fail, "{}", case.name);
        assert_eq!(
            verdict.why,
            format!("'{PLUGIN}' could not be judged: no such plugin is active."),
            "{}",
            case.name
        );
    }
}

#[tokio::test]
async fn the_same_facts_give_the_same_decision() {
    let judge = judge();
    for case in all() {
        let once = decide(&judge, &case).await;
        assert_eq!(once, decide(&judge, &case).await, "{}", case.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_decide_at_once_and_none_disturbs_another() {
    let judge = judge();
    let all = all();
    let mut alone = Vec::new();
    for case in &all {
        alone.push(decide(&judge, case).await);
    }
    let several: BTreeSet<_> = alone
        .iter()
        .map(|decision| serde_json::to_string(decision).expect("plain data"))
        .collect();
    assert!(several.len() > 1, "cases that are decided in several ways");
    // More than the pool of the engine has instances: those without one wait for their turn.
    let together = all.iter().cycle().take(3 * all.len());
    let together = futures::future::join_all(together.map(|case| decide(&judge, case))).await;
    for (decision, (case, expected)) in together.iter().zip(all.iter().zip(&alone).cycle()) {
        assert_eq!(decision, expected, "{}", case.name);
    }
}
