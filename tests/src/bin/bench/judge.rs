//! A decision of the judge in a fresh instance of its component, against the same function called natively.
//!
//! The instance is made, limited, given the facts and thrown away each time: that is what keeps decisions apart.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use g1t_rules::{Answer, Extend};
use g1t_work::bindings::app::g1t::rules::types as hosted;
use g1t_work::capability::judge::Judge;
use g1t_work::runtime::CodeCache;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::environment;
use crate::measure::{Effort, Pairs, Side, in_turns, median};
use crate::table::{Aim, Row, Unit};

#[path = "../../../../rules-wasm/cases/load.rs"]
mod load;

/// Cases that stand for what is judged all day, and what they are called in the table.
const CASES: [(&str, &str); 2] = [
    (
        "push: several rulesets hold together",
        "Judging a push, in a fresh instance",
    ),
    (
        "queue: joining needs every rule but strict",
        "Judging a merge, in a fresh instance",
    ),
];

/// Native decisions that are timed as one: one alone takes little longer than reading the clock.
const BATCH: u32 = 50;

/// Measures decisions.
///
/// # Errors
/// When the component decides otherwise than the library.
pub async fn measure(effort: Effort) -> Result<Vec<Row>> {
    let components = environment::path(environment::COMPONENTS)?;
    let cache = CodeCache::open(&components.join("code"))?;
    let judge = Judge::load(&cache, &components.join("judge.wasm"))?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules-wasm/cases");
    let cases = load::cases(&folder);
    let mut rows = Vec::new();
    for (name, what) in CASES {
        println!("==> judge: {name}");
        let case = cases
            .iter()
            .find(|case| case.name == name)
            .with_context(|| format!("there is no case '{name}' any more"))?;
        rows.push(Row {
            what,
            against: "the library, native",
            unit: Unit::Microseconds,
            pairs: of_case(&judge, case, effort).await?,
            aim: Aim::OursBelow(50.0),
        });
    }
    Ok(rows)
}

async fn of_case(judge: &Judge, case: &load::Case, effort: Effort) -> Result<Pairs> {
    let in_component = Component {
        judge,
        facts: typed(&case.facts)?,
        rulesets: typed(&case.rulesets)?,
    };
    let native = Native {
        facts: typed(&case.facts)?,
        rulesets: typed(&case.rulesets)?,
        plugin: Plugin(typed(&case.plugin_says)?),
    };
    let decision = serde_json::to_value(in_component.decide()?)?;
    ensure!(
        decision == serde_json::to_value(native.decide())?,
        "the component and the library decide otherwise: build both from the same sources"
    );
    let differences = case.differences(&decision);
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    let samples = effort.pick(2_000, 200);
    in_turns(effort.pick(9, 2), async |side, _| {
        let mut times = Vec::with_capacity(samples);
        for _ in 0..samples {
            times.push(match side {
                Side::Ours => {
                    let since = Instant::now();
                    black_box(in_component.decide()?);
                    microseconds(since.elapsed())
                }
                Side::Peer => {
                    let since = Instant::now();
                    for _ in 0..BATCH {
                        black_box(native.decide());
                    }
                    microseconds(since.elapsed() / BATCH)
                }
            });
        }
        anyhow::Ok(median(&times))
    })
    .await
}

struct Component<'a> {
    judge: &'a Judge,
    facts: hosted::Facts,
    rulesets: Vec<hosted::Ruleset>,
}

impl Component<'_> {
    fn decide(&self) -> Result<hosted::Decision> {
        Ok(self
            .judge
            .judge_here(black_box(&self.facts), black_box(&self.rulesets))?)
    }
}

struct Native {
    facts: g1t_rules::types::Facts,
    rulesets: Vec<g1t_rules::types::Ruleset>,
    plugin: Plugin,
}

impl Native {
    fn decide(&self) -> g1t_rules::types::Decision {
        g1t_rules::judge(
            black_box(&self.facts),
            black_box(&self.rulesets),
            &self.plugin,
        )
    }
}

/// Says what the case lets a plugin say.
struct Plugin(Answer);

impl Extend for Plugin {
    fn evaluate(&self, _rule: &g1t_rules::types::Rule) -> Answer {
        self.0.clone()
    }
}

fn typed<T: DeserializeOwned>(value: &Value) -> Result<T> {
    serde_json::from_value(value.clone()).context("a case that does not fit the contract")
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
