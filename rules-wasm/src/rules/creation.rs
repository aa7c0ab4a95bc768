//! `creation`: only those on the bypass list create such refs.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::types::{Moment, Target};

pub(crate) struct Creation;

impl RuleType for Creation {
    type Parameters = ();
    const KIND: &'static str = "creation";
    const MOMENTS: &'static [Moment] = &[Moment::Push];
    const TARGETS: &'static [Target] = &[Target::Branch, Target::Tag, Target::Push];

    fn read(_fields: &mut Fields<'_>) {}

    fn judge(_parameters: &(), change: &Change<'_>) -> Answer {
        if !change.creates() || change.deletes() {
            return answer::pass();
        }
        answer::fail(
            format!(
                "Only those on the ruleset's bypass list may create {}.",
                change.ref_name()
            ),
            "Push to another name, or ask somebody on the bypass list to create it.",
        )
    }
}
