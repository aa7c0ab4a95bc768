//! `deletion`: only those on the bypass list delete such refs.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::types::{Moment, Target};

pub(crate) struct Deletion;

impl RuleType for Deletion {
    type Parameters = ();
    const KIND: &'static str = "deletion";
    const MOMENTS: &'static [Moment] = &[Moment::Push];
    const TARGETS: &'static [Target] = &[Target::Branch, Target::Tag, Target::Push];

    fn read(_fields: &mut Fields<'_>) {}

    fn judge(_parameters: &(), change: &Change<'_>) -> Answer {
        if !change.deletes() {
            return answer::pass();
        }
        answer::fail(
            format!(
                "Only those on the ruleset's bypass list may delete {}.",
                change.ref_name()
            ),
            "Leave it where it is, or ask somebody on the bypass list to delete it.",
        )
    }
}
