//! What the rules say about merging a pull request now.

use g1t_domain::MergeMethod;
use g1t_kit::db::Db;
use g1t_kit::facts::{self, Merge};
use g1t_kit::pulls::Pull;
use g1t_kit::types::{Decision, Enforcement, Facts, Outcome, QueueSettings, Verdict};
use g1t_kit::{Fault, FieldError, Repository, Request, judge, preview, time};
use serde_json::{Value, json};

use crate::head::branch_ref;

const MERGE_QUEUE: &str = "merge_queue";

/// Two commits that are to become one history.
pub struct Heads {
    /// Head of the pull request, as git has it now.
    pub head: String,
    /// Head of the base branch, as git has it now.
    pub base: String,
}

/// The rules of a base branch, and what they say.
pub struct Judged {
    /// As the judge gave it.
    pub decision: Decision,
    /// Settings of the merge queue; none when merging lands at once.
    pub queue: Option<QueueSettings>,
}

/// Judges a merge by whoever asks. The host keeps the decision.
pub async fn judge_merge(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    heads: &Heads,
    method: MergeMethod,
) -> Result<Judged, Fault> {
    let rulesets = facts::rulesets(db, repository).await?;
    let facts = facts_of(db, request, repository, pull, heads, method).await?;
    let base = branch_ref(&pull.base_branch);
    Ok(Judged {
        queue: judge::queue(&facts.repository, &base, &rulesets),
        decision: judge::judge(&facts, &rulesets),
    })
}

/// The rules that would stand in the way of a merge by whoever asks, for showing them: nothing is decided.
pub async fn show_unmet(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    heads: &Heads,
) -> Result<Vec<Value>, Fault> {
    let rulesets = facts::rulesets(db, repository).await?;
    let facts = facts_of(db, request, repository, pull, heads, MergeMethod::Merge).await?;
    let decision = preview::judge(&facts, &rulesets);
    Ok(unmet(&decision).map(verdict_json).collect())
}

async fn facts_of(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    heads: &Heads,
    method: MergeMethod,
) -> Result<Facts, Fault> {
    let asker = request.actor();
    let merge = Merge {
        repository,
        actor: facts::actor(db, asker.id, asker.token.clone(), repository).await?,
        pull,
        head: &heads.head,
        base_head: &heads.base,
        method: method.word(),
        now_ms: time::now_ms(),
    };
    facts::merge(db, merge).await
}

/// Rules that stand in the way of the asker.
fn unmet(decision: &Decision) -> impl Iterator<Item = &Verdict> {
    decision.verdicts.iter().filter(|verdict| {
        verdict.enforcement == Enforcement::Active
            && verdict.outcome != Outcome::Pass
            && !verdict.bypassable
    })
}

impl Judged {
    /// True when the asker may land without the queue.
    pub fn may_bypass_queue(&self) -> bool {
        let mut queues = self
            .decision
            .verdicts
            .iter()
            .filter(|verdict| verdict.rule == MERGE_QUEUE)
            .peekable();
        queues.peek().is_some() && queues.all(|verdict| verdict.bypassable)
    }

    /// 405 with every rule that stands in the way, or nothing.
    pub fn require(&self) -> Result<(), Fault> {
        let errors: Vec<FieldError> = unmet(&self.decision)
            .map(|verdict| {
                let message = format!("{} {}", verdict.why, verdict.remedy);
                FieldError::new(
                    "PullRequest",
                    &verdict.rule,
                    outcome_word(verdict.outcome),
                    message.trim(),
                )
            })
            .collect();
        if errors.is_empty() {
            return Ok(());
        }
        let whys: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        let detail = format!(
            "The rules of the base branch do not let it be merged yet: {}",
            whys.join(" ")
        );
        Err(Fault::NotMergeable { detail, errors })
    }
}

/// A verdict as people see it.
fn verdict_json(verdict: &Verdict) -> Value {
    json!({
        "ruleset_id": verdict.ruleset_id,
        "ruleset_name": verdict.ruleset_name,
        "rule": verdict.rule,
        "outcome": outcome_word(verdict.outcome),
        "why": verdict.why,
        "remedy": verdict.remedy,
        "bypassable": verdict.bypassable,
    })
}

/// The stored word of an outcome.
fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Waiting => "waiting",
    }
}

#[cfg(test)]
mod tests;
