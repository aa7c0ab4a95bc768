//! `required_status_checks`: named checks have passed on the commit that is judged.
//!
//! At a merge that is the pull request's head, at `queue` the candidate. [`reports`] says how several reports of one
//! check add up.

mod reports;
mod say;

use super::rule_type::{Change, RuleType};
use crate::answer;
use crate::extend::Answer;
use crate::fields::Fields;
use crate::limits::{CHECK_NAME_CHARS, REQUIRED_CHECKS};
use crate::pattern::FilePattern;
use crate::types::{Facts, Moment, Target};

pub(crate) struct RequiredStatusChecks;

/// GitHub's parameters; `paths` and `allow_bypass_on_merge` are ours.
pub(crate) struct Parameters {
    checks: Vec<RequiredCheck>,
    /// Whether the head has to contain the base's head. A queue builds on the base by itself, so it is only asked of
    /// merges that land at once.
    strict: bool,
    do_not_enforce_on_create: bool,
    /// False: the ruleset's bypass list does not count for this rule.
    allow_bypass_on_merge: bool,
    /// Holds for each check that has no `paths` of its own.
    paths: Option<Vec<FilePattern>>,
}

/// One check that has to pass.
pub(crate) struct RequiredCheck {
    context: String,
    /// Only this reporter's word counts.
    integration_id: Option<u64>,
    /// Asked for only when a changed file matches.
    paths: Option<Vec<FilePattern>>,
}

impl RuleType for RequiredStatusChecks {
    type Parameters = Parameters;
    const KIND: &'static str = "required_status_checks";
    const MOMENTS: &'static [Moment] = &[Moment::Merge, Moment::Queue];
    const TARGETS: &'static [Target] = &[Target::Branch];

    fn read(fields: &mut Fields<'_>) -> Self::Parameters {
        Parameters {
            checks: fields.items("required_status_checks", REQUIRED_CHECKS, |check| {
                RequiredCheck {
                    context: check.text("context", CHECK_NAME_CHARS),
                    integration_id: check.id("integration_id"),
                    paths: check.file_patterns("paths"),
                }
            }),
            strict: fields.flag("strict_required_status_checks_policy", false),
            do_not_enforce_on_create: fields.flag("do_not_enforce_on_create", false),
            allow_bypass_on_merge: fields.flag("allow_bypass_on_merge", true),
            paths: fields.file_patterns("paths"),
        }
    }

    fn judge(parameters: &Self::Parameters, change: &Change<'_>) -> Answer {
        if parameters.do_not_enforce_on_create && change.creates() {
            return answer::pass();
        }
        let asked = parameters.checks.iter().filter(|check| {
            is_asked(
                check.paths.as_ref().or(parameters.paths.as_ref()),
                change.facts,
            )
        });
        let answer = say::checks(asked, change.facts);
        say::with_base(answer, parameters, change)
    }

    fn bypass_counts(parameters: &Self::Parameters) -> bool {
        parameters.allow_bypass_on_merge
    }
}

/// Whether a check is asked for. Where the files are not known, or not all of them, it is: a check too many costs time,
/// one too few lands something untested.
fn is_asked(paths: Option<&Vec<FilePattern>>, facts: &Facts) -> bool {
    let Some(paths) = paths.filter(|paths| !paths.is_empty()) else {
        return true;
    };
    facts.files_cut
        || facts.files.is_empty()
        || facts
            .files
            .iter()
            .any(|file| paths.iter().any(|path| path.matches(file)))
}
