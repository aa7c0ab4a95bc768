//! What is said about required checks.

use super::reports::{Standing, standing};
use super::{Parameters, RequiredCheck};
use crate::answer;
use crate::extend::Answer;
use crate::rules::rule_type::Change;
use crate::sentence;
use crate::types::{Facts, Moment, Outcome};

/// What the checks that are asked for say together.
pub(super) fn checks<'a>(asked: impl Iterator<Item = &'a RequiredCheck>, facts: &Facts) -> Answer {
    let mut failed = Vec::new();
    let mut running = Vec::new();
    let mut silent = Vec::new();
    for check in asked {
        match standing(check, &facts.checks) {
            Standing::Passed => {}
            Standing::Failed => failed.push(check.context.as_str()),
            Standing::Running => running.push(check.context.as_str()),
            Standing::NeverReported => silent.push(check.context.as_str()),
        }
    }
    if !failed.is_empty() {
        return failing(&failed, facts);
    }
    waiting_for(&running, &silent)
}

fn failing(failed: &[&str], facts: &Facts) -> Answer {
    let names = sentence::list(failed.iter().copied());
    let noun = noun(failed.len());
    let remedy = match facts.moment {
        Moment::Push | Moment::Merge => format!(
            "See what {names} reported, push a fix, and merge again once {} passed.",
            have(failed.len())
        ),
        Moment::Queue => format!("See what {names} reported on this combination, and push a fix."),
    };
    answer::fail(format!("The required {noun} {names} failed."), remedy)
}

fn waiting_for(running: &[&str], silent: &[&str]) -> Answer {
    let names = |checks: &[&str]| sentence::list(checks.iter().copied());
    let why = match (running, silent) {
        ([], []) => return answer::pass(),
        (running, []) => format!(
            "The required {} {} {} no result yet.",
            noun(running.len()),
            names(running),
            has(running.len())
        ),
        ([], silent) => format!(
            "The required {} {} {} not reported yet.",
            noun(silent.len()),
            names(silent),
            has(silent.len())
        ),
        (running, silent) => format!(
            "The required {} {} {} no result yet, and {} {} not reported yet.",
            noun(running.len()),
            names(running),
            has(running.len()),
            names(silent),
            has(silent.len())
        ),
    };
    let remedy = if silent.is_empty() {
        "Wait until they are done, or start again what was cancelled."
    } else {
        "Wait for them, and see that something reports under exactly these names on this commit."
    };
    answer::waiting(why, remedy)
}

/// Adds whether the head contains its base, where that is asked.
pub(super) fn with_base(checks: Answer, parameters: &Parameters, change: &Change<'_>) -> Answer {
    let asked = parameters.strict && change.facts.moment == Moment::Merge && !change.queued;
    if !asked || checks.outcome == Outcome::Fail {
        return checks;
    }
    match &change.facts.pull_request {
        Some(pull) if pull.up_to_date => checks,
        Some(pull) => {
            let base = sentence::quote(&pull.base);
            answer::fail(
                format!("The newest commit of {base} is not contained in the pull request."),
                format!("Update the branch from {base} and let the checks run again."),
            )
        }
        None => answer::fail(
            "The facts name no pull request, so it could not be judged whether it contains its base.",
            "Open a pull request and merge that.",
        ),
    }
}

fn noun(number: usize) -> &'static str {
    if number == 1 { "check" } else { "checks" }
}

fn has(number: usize) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

fn have(number: usize) -> &'static str {
    if number == 1 { "it has" } else { "they have" }
}
