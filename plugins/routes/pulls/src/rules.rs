//! What the rules say about merging a pull request now.

use g1t_domain::MergeMethod;
use g1t_kit::db::Db;
use g1t_kit::facts::{self, Merge};
use g1t_kit::pulls::Pull;
use g1t_kit::types::{
    Decision, Enforcement, Facts, Outcome, QueueSettings, Requirement, Ruleset, Verdict,
};
use g1t_kit::{Fault, FieldError, Repository, Request, judge, preview, time};
use serde_json::{Value, json};

use crate::head::branch_ref;

const MERGE_QUEUE: &str = "merge_queue";
const PULL_REQUEST: &str = "pull_request";

/// Two commits that are to become one history.
pub struct Heads {
    /// Head of the pull request, as git has it now.
    pub head: String,
    /// Head of the base branch, as git has it now.
    pub base: String,
}

/// How somebody wants to merge.
#[derive(Clone, Copy)]
pub struct Wish {
    /// The method that was named.
    pub method: Option<MergeMethod>,
    /// Land at once although there is a queue.
    pub bypass_queue: bool,
}

/// What the rules of a base branch say, and what follows when they let it be.
pub struct Judged {
    /// As the judge gave it.
    pub decision: Decision,
    /// The method it was judged with, and lands by.
    pub method: MergeMethod,
    /// True when it joins the queue, false when it lands at once.
    pub is_for_queue: bool,
}

/// Judges a merge by whoever asks. The host keeps the decision.
///
/// Whoever goes round the queue lands without its test on top of the base's head, so the rules that a queue answers for
/// (`strict`) are judged as if there were none. Whether they may go round it is asked with the queue, before that.
pub async fn judge_merge(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    heads: &Heads,
    wish: Wish,
) -> Result<Judged, Fault> {
    let mut rulesets = facts::rulesets(db, repository).await?;
    let base = branch_ref(&pull.base_branch);
    let queue = judge::queue(&facts::repository(repository), &base, &rulesets);
    let own = queue.as_ref().filter(|_| !wish.bypass_queue);
    let method = method(repository, own, wish.method)?;
    let facts = facts_of(db, request, repository, pull, heads, method).await?;
    if wish.bypass_queue && queue.is_some() {
        if !may_bypass_queue(&preview::judge(&facts, &rulesets)) {
            return Err(no_queue_bypass());
        }
        rulesets = without_queue(rulesets);
    }
    Ok(Judged {
        decision: judge::judge(&facts, &rulesets),
        method,
        is_for_queue: queue.is_some() && !wish.bypass_queue,
    })
}

/// The rules that would stand in the way of a merge by whoever asks, for showing them: nothing is decided. Judged with the
/// queue's method, else the first that is allowed.
pub async fn show_unmet(
    db: &Db,
    request: &Request,
    repository: &Repository,
    pull: &Pull,
    heads: &Heads,
) -> Result<Vec<Value>, Fault> {
    let rulesets = facts::rulesets(db, repository).await?;
    let (of, base) = (facts::repository(repository), branch_ref(&pull.base_branch));
    let queue = judge::queue(&of, &base, &rulesets);
    let method = match queue
        .as_ref()
        .and_then(|queue| queue.merge_method.as_deref())
    {
        Some(word) => queue_method(word)?,
        None => first_allowed(repository, &judge::requirements(&of, &base, &rulesets)),
    };
    let facts = facts_of(db, request, repository, pull, heads, method).await?;
    let decision = preview::judge(&facts, &rulesets);
    Ok(unmet(&decision).map(verdict_json).collect())
}

/// The queue's own method, where its settings name one; else the one asked for, `merge` when none was.
fn method(
    repository: &Repository,
    queue: Option<&QueueSettings>,
    asked: Option<MergeMethod>,
) -> Result<MergeMethod, Fault> {
    if let Some(word) = queue.and_then(|queue| queue.merge_method.as_deref()) {
        return queue_method(word);
    }
    let method = asked.unwrap_or(MergeMethod::Merge);
    if is_switched_on(repository, method) {
        return Ok(method);
    }
    Err(Fault::not_mergeable(format!(
        "The merge method {method} is switched off for {}.",
        repository.full_name()
    )))
}

fn queue_method(word: &str) -> Result<MergeMethod, Fault> {
    MergeMethod::parse(word)
        .map_err(|error| Fault::internal(format!("settings of the queue: {error}")))
}

fn is_switched_on(repository: &Repository, method: MergeMethod) -> bool {
    match method {
        MergeMethod::Merge => repository.allow_merge_commit,
        MergeMethod::Squash => repository.allow_squash_merge,
        MergeMethod::Rebase => repository.allow_rebase_merge,
        // Makes no commit of its own, so there is nothing to disallow.
        MergeMethod::FastForward => true,
    }
}

/// The first method that the repository and every active rule allow; `merge` when none is.
fn first_allowed(repository: &Repository, requirements: &[Requirement]) -> MergeMethod {
    let lists: Vec<Value> = requirements
        .iter()
        .filter(|requirement| {
            requirement.enforcement == Enforcement::Active && requirement.rule.kind == PULL_REQUEST
        })
        .filter_map(|requirement| serde_json::from_str::<Value>(&requirement.rule.parameters).ok())
        .filter_map(
            |mut parameters| match parameters["allowed_merge_methods"].take() {
                Value::Array(words) => Some(Value::Array(words)),
                _ => None,
            },
        )
        .collect();
    let is_allowed = |method: &MergeMethod| {
        let word = json!(method.word());
        let names = |list: &Value| list.as_array().is_some_and(|words| words.contains(&word));
        is_switched_on(repository, *method) && lists.iter().all(names)
    };
    let first = MergeMethod::ALL.into_iter().find(is_allowed);
    first.unwrap_or(MergeMethod::Merge)
}

/// True when the asker may land without the queue.
fn may_bypass_queue(decision: &Decision) -> bool {
    let mut queues = decision
        .verdicts
        .iter()
        .filter(|verdict| verdict.enforcement == Enforcement::Active && verdict.rule == MERGE_QUEUE)
        .peekable();
    queues.peek().is_some() && queues.all(|verdict| verdict.bypassable)
}

fn no_queue_bypass() -> Fault {
    Fault::forbidden(
        "you are not on the bypass list of the merge queue: leave `bypass_queue` out to join it",
    )
}

fn without_queue(mut rulesets: Vec<Ruleset>) -> Vec<Ruleset> {
    for ruleset in &mut rulesets {
        ruleset.rules.retain(|rule| rule.kind != MERGE_QUEUE);
    }
    rulesets
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
