//! `pull_request`: changes come by pull request, reviewed as the rule asks.
//!
//! At a push it keeps direct pushes out. At a merge it looks at the reviews ([`reviews`] says which of them count), at
//! code owners, at open threads and at the method asked for.

mod owners;
mod reviews;
mod say;

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::types::{Moment, Target};

pub(crate) struct PullRequest;

/// GitHub's parameters; the last two are ours.
pub(crate) struct Parameters {
    required_approving_review_count: u32,
    dismiss_stale_reviews_on_push: bool,
    require_code_owner_review: bool,
    require_last_push_approval: bool,
    required_review_thread_resolution: bool,
    /// `None`: every method.
    allowed_merge_methods: Option<Vec<String>>,
    allow_direct_pushes: bool,
    count_agent_approvals: bool,
}

const METHODS: [&str; 4] = ["merge", "squash", "rebase", "fast-forward"];

impl RuleType for PullRequest {
    type Parameters = Parameters;
    const KIND: &'static str = "pull_request";
    const MOMENTS: &'static [Moment] = &[Moment::Push, Moment::Merge];
    const TARGETS: &'static [Target] = &[Target::Branch];

    fn read(fields: &mut Fields<'_>) -> Self::Parameters {
        Parameters {
            required_approving_review_count: fields.whole(
                "required_approving_review_count",
                0..=10,
                0,
            ),
            dismiss_stale_reviews_on_push: fields.flag("dismiss_stale_reviews_on_push", false),
            require_code_owner_review: fields.flag("require_code_owner_review", false),
            require_last_push_approval: fields.flag("require_last_push_approval", false),
            required_review_thread_resolution: fields
                .flag("required_review_thread_resolution", false),
            allowed_merge_methods: fields.words("allowed_merge_methods", &METHODS, |word| {
                METHODS.contains(&word).then(|| word.to_owned())
            }),
            allow_direct_pushes: fields.flag("allow_direct_pushes", false),
            count_agent_approvals: fields.flag("count_agent_approvals", false),
        }
    }

    fn judge(parameters: &Self::Parameters, change: &Change<'_>) -> Answer {
        match change.facts.moment {
            Moment::Push => push(parameters, change),
            Moment::Merge | Moment::Queue => say::merge(parameters, change),
        }
    }
}

/// Deleting the branch is no change to what is on it: the rule `deletion` is there for that.
fn push(parameters: &Parameters, change: &Change<'_>) -> Answer {
    if parameters.allow_direct_pushes || change.deletes() {
        return answer::pass();
    }
    answer::fail(
        format!(
            "Changes to {} come by pull request only.",
            change.ref_name()
        ),
        "Push to another branch and open a pull request from it.",
    )
}
