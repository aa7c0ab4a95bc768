//! `update`: only those on the bypass list move such refs, by a push or by a merge.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::types::{Moment, Target};

pub(crate) struct Update;

impl RuleType for Update {
    type Parameters = ();
    const KIND: &'static str = "update";
    const MOMENTS: &'static [Moment] = &[Moment::Push, Moment::Merge];
    const TARGETS: &'static [Target] = &[Target::Branch, Target::Tag, Target::Push];

    fn read(fields: &mut Fields<'_>) {
        // GitHub's leave for forks to fetch from upstream: nothing here fetches by itself, so there is nothing to allow.
        fields.flag("update_allows_fetch_and_merge", false);
    }

    fn judge(_parameters: &(), change: &Change<'_>) -> Answer {
        let moves = match change.facts.moment {
            Moment::Push => !change.creates() && !change.deletes(),
            Moment::Merge | Moment::Queue => true,
        };
        if !moves {
            return answer::pass();
        }
        answer::fail(
            format!(
                "Only those on the ruleset's bypass list may change {}.",
                change.ref_name()
            ),
            "Use another branch, or ask somebody on the bypass list to make the change.",
        )
    }
}
