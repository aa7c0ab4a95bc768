//! `non_fast_forward`: history is added to, never rewritten.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::types::{Moment, Target};

pub(crate) struct NonFastForward;

impl RuleType for NonFastForward {
    type Parameters = ();
    const KIND: &'static str = "non_fast_forward";
    const MOMENTS: &'static [Moment] = &[Moment::Push];
    const TARGETS: &'static [Target] = &[Target::Branch, Target::Tag, Target::Push];

    fn read(_fields: &mut Fields<'_>) {}

    fn judge(_parameters: &(), change: &Change<'_>) -> Answer {
        if change.creates() || change.deletes() || change.reference().fast_forward {
            return answer::pass();
        }
        answer::fail(
            format!(
                "The push would rewrite the history of {}.",
                change.ref_name()
            ),
            "Fetch it, put your commits on top of what is there, and push without force.",
        )
    }
}
