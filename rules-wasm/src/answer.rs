//! What a rule type answers, before it is known whose rule it is.

use crate::extend::Answer;
use crate::types::Outcome;

/// Nothing stands in the way, and there is nothing to tell.
pub(crate) fn pass() -> Answer {
    told(Outcome::Pass, String::new(), String::new())
}

/// Nothing stands in the way, and something is worth knowing.
pub(crate) fn pass_with(why: impl Into<String>) -> Answer {
    told(Outcome::Pass, why.into(), String::new())
}

/// The change may not happen as it is.
pub(crate) fn fail(why: impl Into<String>, remedy: impl Into<String>) -> Answer {
    told(Outcome::Fail, why.into(), remedy.into())
}

/// Something that may still come is missing.
pub(crate) fn waiting(why: impl Into<String>, remedy: impl Into<String>) -> Answer {
    told(Outcome::Waiting, why.into(), remedy.into())
}

/// The rule could not be judged, so it fails: an unread rule protects nothing.
pub(crate) fn unjudged(why: impl Into<String>) -> Answer {
    fail(
        why,
        "Ask somebody who maintains the rulesets to correct the rule, or to set its ruleset to `evaluate` until then.",
    )
}

fn told(outcome: Outcome, why: String, remedy: String) -> Answer {
    Answer {
        outcome,
        why,
        remedy,
    }
}

/// How much an outcome weighs when several are added up: failing beats waiting beats passing.
pub(crate) fn weight(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => 0,
        Outcome::Waiting => 1,
        Outcome::Fail => 2,
    }
}

/// The heaviest outcome; `pass` of nothing.
pub(crate) fn heaviest(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    outcomes
        .into_iter()
        .max_by_key(|outcome| weight(*outcome))
        .unwrap_or(Outcome::Pass)
}
