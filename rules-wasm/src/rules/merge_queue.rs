//! `merge_queue`: merging puts the change into the queue, which tests it with those ahead of it.

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::{Fields, object};
use crate::types::{Moment, QueueSettings, Target};

pub(crate) struct MergeQueue;

/// What the rule says, and what is worth telling about it.
pub(crate) struct Parameters {
    settings: QueueSettings,
    asks_for_headgreen: bool,
}

const METHODS: [&str; 4] = ["MERGE", "SQUASH", "REBASE", "FAST_FORWARD"];

impl RuleType for MergeQueue {
    type Parameters = Parameters;
    const KIND: &'static str = "merge_queue";
    const MOMENTS: &'static [Moment] = &[Moment::Merge];
    const TARGETS: &'static [Target] = &[Target::Branch];

    fn read(fields: &mut Fields<'_>) -> Self::Parameters {
        // Accepted as GitHub has it, without effect: entries land one by one, each at the commit that was tested.
        fields.whole("max_entries_to_merge", 0..=100, 5);
        let strategy =
            fields.word(
                "grouping_strategy",
                &["ALLGREEN", "HEADGREEN"],
                |word| match word {
                    "ALLGREEN" => Some(false),
                    "HEADGREEN" => Some(true),
                    _ => None,
                },
            );
        Parameters {
            settings: QueueSettings {
                max_entries_to_build: fields.whole("max_entries_to_build", 1..=20, 4),
                // GitHub's files may say 0, which asks for no more than 1 does.
                min_entries_to_merge: fields.whole("min_entries_to_merge", 0..=100, 1).max(1),
                min_entries_to_merge_wait_minutes: fields.whole(
                    "min_entries_to_merge_wait_minutes",
                    0..=360,
                    0,
                ),
                check_response_timeout_minutes: fields.whole(
                    "check_response_timeout_minutes",
                    5..=360,
                    45,
                ),
                merge_method: fields.word("merge_method", &METHODS, merge_method),
            },
            asks_for_headgreen: strategy.unwrap_or(false),
        }
    }

    fn judge(parameters: &Self::Parameters, _change: &Change<'_>) -> Answer {
        if parameters.asks_for_headgreen {
            return answer::pass_with(
                "Merging goes through the merge queue, which tests every entry: `HEADGREEN` is read as `ALLGREEN`.",
            );
        }
        answer::pass()
    }
}

/// Settings of a rule as it is stored; defaults for what does not read.
pub(crate) fn settings(parameters: &str) -> QueueSettings {
    let object = object(parameters, "parameters").unwrap_or_default();
    MergeQueue::read(&mut Fields::new(&object, "parameters")).settings
}

/// GitHub writes methods of a queue in capitals and those of pull requests in small letters; both are taken.
fn merge_method(word: &str) -> Option<String> {
    match word {
        "MERGE" | "merge" => Some("merge".to_owned()),
        "SQUASH" | "squash" => Some("squash".to_owned()),
        "REBASE" | "rebase" => Some("rebase".to_owned()),
        "FAST_FORWARD" | "fast-forward" => Some("fast-forward".to_owned()),
        _ => None,
    }
}
