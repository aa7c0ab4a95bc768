//! Settings of a ref's merge queue.

use crate::coverage;
use crate::rules::RuleType;
use crate::rules::merge_queue::{self, MergeQueue};
use crate::types::{Enforcement, QueueSettings, Repository, Ruleset};

/// What every active `merge_queue` rule that covers the ref says, taken together; `None` when none does.
///
/// The smallest batch, the smallest time-out and the longest wait win; of several merge methods the first. A field that
/// does not read counts as left out: the rule itself then fails at `merge`, so nothing new joins by it.
pub fn queue(
    repository: &Repository,
    ref_name: &str,
    rulesets: &[Ruleset],
) -> Option<QueueSettings> {
    rulesets
        .iter()
        .filter(|ruleset| ruleset.enforcement == Enforcement::Active)
        .filter(|ruleset| coverage::covers(ruleset, repository, ref_name))
        .flat_map(|ruleset| &ruleset.rules)
        .filter(|rule| rule.kind == MergeQueue::KIND)
        .map(|rule| merge_queue::settings(&rule.parameters))
        .reduce(together)
}

fn together(one: QueueSettings, other: QueueSettings) -> QueueSettings {
    QueueSettings {
        max_entries_to_build: one.max_entries_to_build.min(other.max_entries_to_build),
        min_entries_to_merge: one.min_entries_to_merge.min(other.min_entries_to_merge),
        min_entries_to_merge_wait_minutes: one
            .min_entries_to_merge_wait_minutes
            .max(other.min_entries_to_merge_wait_minutes),
        check_response_timeout_minutes: one
            .check_response_timeout_minutes
            .min(other.check_response_timeout_minutes),
        merge_method: one.merge_method.or(other.merge_method),
    }
}
