//! `reserved_ref`: built in, always active. `refs/heads/g1t-queue/**` belongs to g1t: a commit that somebody else put
//! there could pass for a tested state.

use super::rule_type::Change;
use crate::coverage;
use crate::types::{Enforcement, Moment, Outcome, Verdict};

/// What the rule is called in verdicts.
pub(crate) const KIND: &str = "reserved_ref";

/// The verdict, where a reserved ref wants to move.
pub(crate) fn judge(change: &Change<'_>) -> Option<Verdict> {
    if change.facts.moment != Moment::Push || !coverage::is_reserved(&change.reference().name) {
        return None;
    }
    let (outcome, why, remedy) = if change.is_by_system() {
        (Outcome::Pass, String::new(), String::new())
    } else {
        let why = format!(
            "The branch {} is kept for states that the merge queue tests.",
            change.ref_name()
        );
        let remedy = "Push to a branch whose name does not start with `g1t-queue/`.";
        (Outcome::Fail, why, remedy.to_owned())
    };
    Some(Verdict {
        ruleset_id: 0,
        ruleset_name: "g1t".to_owned(),
        rule: KIND.to_owned(),
        enforcement: Enforcement::Active,
        outcome,
        why,
        remedy,
        bypassable: false,
    })
}
