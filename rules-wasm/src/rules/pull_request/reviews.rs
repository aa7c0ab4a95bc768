//! Which reviews count.
//!
//! | review | counts as |
//! |---|---|
//! | a comment | nothing; the reviewer's earlier verdict stands |
//! | by the author or an agent that acts for them, or by somebody who may not write | nothing |
//! | dismissed | nothing, and takes the reviewer's earlier verdict away |
//! | changes requested | blocks until the same reviewer approves or it is dismissed, pushes or not |
//! | approved, on an older head | an approval, unless stale ones are dismissed |
//! | approved, by an agent | an approval only where the rule counts agents' |

use super::Parameters;
use crate::types::{ActorKind, PullRequest, Review, ReviewState, Role};

/// Each reviewer's verdict, taken together.
pub(super) struct Verdicts<'a> {
    pub(super) approvals: Vec<&'a Review>,
    /// Approvals that would count had nobody pushed since.
    pub(super) stale: usize,
    pub(super) changes_requested: Vec<&'a Review>,
}

/// Sorts out the reviews of a pull request, given oldest first.
pub(super) fn verdicts<'a>(
    parameters: &Parameters,
    pull: &PullRequest,
    reviews: &'a [Review],
) -> Verdicts<'a> {
    let mut verdicts = Verdicts {
        approvals: Vec::new(),
        stale: 0,
        changes_requested: Vec::new(),
    };
    for review in latest(reviews) {
        if review.reviewer_role < Role::Write || is_by(review, pull.author_id) {
            continue;
        }
        match review.state {
            ReviewState::ChangesRequested => verdicts.changes_requested.push(review),
            ReviewState::Approved if !counts_kind(parameters, review) => {}
            ReviewState::Approved
                if parameters.dismiss_stale_reviews_on_push && review.head != pull.head =>
            {
                verdicts.stale += 1;
            }
            ReviewState::Approved => verdicts.approvals.push(review),
            ReviewState::Commented | ReviewState::Dismissed => {}
        }
    }
    verdicts
}

/// Whether an approval is one of the newest push, by somebody else than who pushed it.
pub(super) fn covers_last_push(pull: &PullRequest, approval: &Review) -> bool {
    approval.head == pull.head
        && approval.submitted >= pull.last_push
        && !is_by(approval, pull.last_pusher_id)
}

/// Whether somebody gave a review, themself or through an agent that acts for them.
fn is_by(review: &Review, user: u64) -> bool {
    review.reviewer_id == user || review.reviewer_acts_for == Some(user)
}

/// Logins are one whatever their case.
pub(super) fn is_same_login(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn counts_kind(parameters: &Parameters, review: &Review) -> bool {
    match review.reviewer_kind {
        ActorKind::Person => true,
        ActorKind::Agent => parameters.count_agent_approvals,
        ActorKind::System => false,
    }
}

/// The latest verdict of each reviewer, in the order in which these were given.
fn latest(reviews: &[Review]) -> Vec<&Review> {
    let mut latest: Vec<&Review> = Vec::new();
    for review in reviews {
        match review.state {
            ReviewState::Commented => continue,
            ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed => {}
        }
        latest.retain(|earlier| earlier.reviewer_id != review.reviewer_id);
        latest.push(review);
    }
    latest
}
