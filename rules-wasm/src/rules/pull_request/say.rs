//! What is said about a pull request that somebody asks to merge.

use super::reviews::{Verdicts, covers_last_push, verdicts};
use super::{Parameters, owners};
use crate::answer;
use crate::extend::Answer;
use crate::rules::rule_type::Change;
use crate::sentence;
use crate::types::{CodeOwner, Facts, PullRequest};

/// The first thing that stands in the way, what fails before what waits.
pub(super) fn merge(parameters: &Parameters, change: &Change<'_>) -> Answer {
    let facts = change.facts;
    let Some(pull) = &facts.pull_request else {
        return answer::fail(
            "The facts name no pull request, so its reviews could not be judged.",
            "Open a pull request and merge that.",
        );
    };
    let verdicts = verdicts(parameters, pull, &facts.reviews);
    changes_requested(&verdicts)
        .or_else(|| method(parameters, pull))
        .or_else(|| owners_unknown(parameters, facts))
        .or_else(|| approvals(parameters, &verdicts))
        .or_else(|| code_owners(parameters, facts, &verdicts))
        .or_else(|| last_push(parameters, pull, &verdicts))
        .or_else(|| threads(parameters, pull))
        .unwrap_or_else(answer::pass)
}

fn changes_requested(verdicts: &Verdicts<'_>) -> Option<Answer> {
    let reviewers = || {
        verdicts
            .changes_requested
            .iter()
            .map(|review| review.reviewer.as_str())
    };
    reviewers().next()?;
    let names = sentence::list(reviewers());
    Some(answer::fail(
        format!("Changes were requested by {names}."),
        format!("Make the changes and ask {names} to review again, or have the review dismissed."),
    ))
}

fn method(parameters: &Parameters, pull: &PullRequest) -> Option<Answer> {
    let allowed = parameters.allowed_merge_methods.as_ref()?;
    if allowed.contains(&pull.merge_method) {
        return None;
    }
    let choice = sentence::choice(allowed.iter().map(String::as_str));
    Some(answer::fail(
        format!(
            "The merge method {} is not allowed here.",
            sentence::quote(&pull.merge_method)
        ),
        format!("Merge with {choice}."),
    ))
}

fn approvals(parameters: &Parameters, verdicts: &Verdicts<'_>) -> Option<Answer> {
    let needed = usize::try_from(parameters.required_approving_review_count).ok()?;
    let given = verdicts.approvals.len();
    if given >= needed {
        return None;
    }
    let why = match verdicts.stale {
        0 => format!("{} needed, and {given} given.", are(needed, "approval")),
        stale => format!(
            "{} needed, and {given} given for the newest push ({stale} for an older one).",
            are(needed, "approval")
        ),
    };
    let who = if parameters.count_agent_approvals {
        "somebody"
    } else {
        "a person"
    };
    let remedy = format!(
        "Ask for {} by {who} with the role write who is not the author.",
        sentence::count(needed - given, "more approval")
    );
    Some(answer::waiting(why, remedy))
}

fn are(number: usize, one: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", sentence::count(number, one))
}

/// Not given is not none: nothing passes for approved because nobody looked.
fn owners_unknown(parameters: &Parameters, facts: &Facts) -> Option<Answer> {
    if !parameters.require_code_owner_review || facts.given.code_owners {
        return None;
    }
    Some(answer::unjudged(
        "A code owner's review is required, and the code owners of the changed files are not known here.",
    ))
}

fn code_owners(parameters: &Parameters, facts: &Facts, verdicts: &Verdicts<'_>) -> Option<Answer> {
    if !parameters.require_code_owner_review {
        return None;
    }
    let lacking = owners::lacking(&facts.code_owners, &verdicts.approvals);
    let CodeOwner { owners, .. } = lacking.first()?;
    let files = sentence::list(lacking.iter().map(|file| file.path.as_str()));
    let spoken: Vec<String> = owners.iter().map(|owner| owners::spoken(owner)).collect();
    let first = lacking.first().map(|file| sentence::quote(&file.path))?;
    Some(answer::waiting(
        format!("Code owners have yet to approve the changes to {files}."),
        format!(
            "Ask a code owner to approve: for {first} that is {}.",
            sentence::choice(spoken.iter().map(String::as_str))
        ),
    ))
}

fn last_push(
    parameters: &Parameters,
    pull: &PullRequest,
    verdicts: &Verdicts<'_>,
) -> Option<Answer> {
    let approved = || {
        verdicts
            .approvals
            .iter()
            .any(|approval| covers_last_push(pull, approval))
    };
    if !parameters.require_last_push_approval || approved() {
        return None;
    }
    Some(answer::waiting(
        "The newest push has not been approved by anybody but whoever pushed it.",
        format!(
            "Ask somebody other than {} to approve what was pushed last.",
            sentence::quote(&pull.last_pusher)
        ),
    ))
}

fn threads(parameters: &Parameters, pull: &PullRequest) -> Option<Answer> {
    let open = pull.open_threads;
    if !parameters.required_review_thread_resolution || open == 0 {
        return None;
    }
    let threads = sentence::count(usize::try_from(open).ok()?, "review thread");
    let verb = if open == 1 { "is" } else { "are" };
    Some(answer::waiting(
        format!("{threads} {verb} not resolved."),
        "Answer them and mark them as resolved.",
    ))
}
