//! Judging a push: from the hook's question to its answer.

use std::collections::HashSet;
use std::sync::Arc;

use g1t_repos::{Oid, Quarantine, RefUpdate, RepoLock};
use tracing::{info, warn};
use uuid::Uuid;

use super::hook::{Question, Reply};
use super::smart::Target;
use super::{facts, rulesets};
use crate::bindings::app::g1t::rules::types::{Decision, Enforcement, Outcome};
use crate::capability::judge::{JudgeError, KeepError, Kept};
use crate::identity::Actor;
use crate::intents::{self, Intent, IntentError};
use crate::runtime::Services;

/// Broken rules that a refusal tells; more are counted.
const TOLD: usize = 20;
/// Refs that one push may move.
const REFS: usize = 1_000;

/// A push that `git receive-pack` is working on.
pub(super) struct Push {
    pub(super) id: Uuid,
    pub(super) actor: Arc<Actor>,
    pub(super) target: Target,
}

/// Why a push could not be judged: nothing is stored, and it may be tried again.
#[derive(Debug, thiserror::Error)]
pub(super) enum PushError {
    #[error("the refs could not be read: {0}")]
    Refs(String),
    #[error("the repository could not be read")]
    Repository(#[from] g1t_repos::Error),
    #[error("the database does not answer")]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    Intent(#[from] IntentError),
}

impl Push {
    /// Judges every ref. An accepted push holds the repository until the lock is dropped.
    pub(super) async fn judge(
        &self,
        services: &Services,
        question: &Question,
    ) -> Result<(Reply, Option<RepoLock>), PushError> {
        let repository = self.target.repository.unsigned_abs();
        let updates = updates(&question.updates)?;
        let elsewhere = elsewhere(&updates);
        if !elsewhere.is_empty() {
            return Ok((refusal(elsewhere), None));
        }
        let lock = services.repos.lock(repository).await?;
        intents::settle_repository(&services.pool, &services.repos, &lock).await?;
        let overtaken = overtaken(services, repository, &updates).await?;
        if !overtaken.is_empty() {
            return Ok((refusal(overtaken), None));
        }
        let quarantine = Quarantine::from_variables(&question.objects, &question.alternates);
        let branch = &self.target.default_branch;
        let found = services
            .repos
            .push_facts(repository, &quarantine, &updates, branch)
            .await?;
        let rulesets = rulesets::of_repository(
            &services.pool,
            self.target.workspace,
            self.target.repository,
        )
        .await?;
        let mut refused = Vec::new();
        let mut intents = Vec::new();
        for (update, found) in updates.iter().zip(found) {
            let forced = !found.fast_forward && !update.old.is_zero() && !update.new.is_zero();
            let facts = facts::of_update(&self.target, &self.actor, update, found);
            let kept = Kept::new(&facts, &rulesets)?;
            let decision = services.judge.judge(facts, rulesets.clone()).await?;
            kept.write(
                &services.pool,
                self.target.workspace,
                &services.judge,
                &decision,
            )
            .await?;
            refused.extend(refusals(&update.name, &decision));
            intents.push(self.intent(update, forced));
        }
        if !refused.is_empty() {
            info!(push = %self.id, rules = refused.len(), "a push was refused");
            return Ok((refusal(refused), None));
        }
        intents::record(&services.pool, &lock, &intents).await?;
        Ok((
            Reply {
                accepted: true,
                lines: Vec::new(),
            },
            Some(lock),
        ))
    }

    fn intent(&self, update: &RefUpdate, forced: bool) -> Intent {
        Intent {
            id: Uuid::now_v7(),
            push: self.id,
            workspace: self.target.workspace,
            repository: self.target.repository,
            actor: Some(self.actor.id),
            ref_name: update.name.clone(),
            old: update.old,
            new: update.new,
            forced,
        }
    }
}

/// What an answer says when judging itself failed: the cause is for the log.
pub(super) fn failed(error: &PushError) -> Reply {
    warn!(
        error = error as &dyn std::error::Error,
        "a push could not be judged"
    );
    let line =
        format!("g1t: the push could not be judged ({error}); nothing was stored, try again");
    Reply {
        accepted: false,
        lines: vec![line],
    }
}

fn updates(text: &str) -> Result<Vec<RefUpdate>, PushError> {
    let wrong = |line: &str| PushError::Refs(line.chars().take(200).collect());
    let mut all = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ' ');
        let (Some(old), Some(new), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(wrong(line));
        };
        let old = old.parse().map_err(|_| wrong(line))?;
        let new = new.parse().map_err(|_| wrong(line))?;
        all.push(RefUpdate {
            name: name.to_owned(),
            old,
            new,
        });
    }
    if all.is_empty() || all.len() > REFS {
        return Err(PushError::Refs(format!(
            "{} refs at once; push at most {REFS}",
            all.len()
        )));
    }
    Ok(all)
}

/// Refs that are neither branches nor tags. Some mean something to git itself (`refs/replace/`, `refs/notes/`), no rule
/// covers any of them, and none is anything to work with here.
fn elsewhere(updates: &[RefUpdate]) -> Vec<String> {
    let kept = ["refs/heads/", "refs/tags/"];
    updates
        .iter()
        .filter(|update| !kept.iter().any(|start| update.name.starts_with(start)))
        .map(|update| {
            format!(
                "g1t: {}: only branches (refs/heads/) and tags (refs/tags/) are kept here. Push to one of those.",
                update.name
            )
        })
        .collect()
}

/// Refs that are not where the push believes, or that it does not move. Git would refuse the one and store nothing for the
/// other, but only after the hook: then a ref at its new value would not tell that this push moved it.
async fn overtaken(
    services: &Services,
    repository: u64,
    updates: &[RefUpdate],
) -> Result<Vec<String>, PushError> {
    let names = updates.iter().map(|update| update.name.clone()).collect();
    let heads = services.repos.ref_heads(repository, names).await?;
    Ok(unmoved(updates, &heads))
}

fn unmoved(updates: &[RefUpdate], heads: &[Oid]) -> Vec<String> {
    let mut seen = HashSet::new();
    let why = |(update, head): (&RefUpdate, &Oid)| {
        let name = &update.name;
        if !seen.insert(name.clone()) {
            Some(format!(
                "g1t: {name}: it is in this push twice. Push it once."
            ))
        } else if update.old == update.new {
            Some(format!("g1t: {name}: it is at {} already.", update.new))
        } else if update.old != *head {
            Some(format!(
                "g1t: {name}: it was moved to {head} meanwhile. Fetch, and push again."
            ))
        } else {
            None
        }
    };
    updates.iter().zip(heads).filter_map(why).collect()
}

/// The rules that refuse, each as what git shows.
fn refusals(ref_name: &str, decision: &Decision) -> Vec<String> {
    decision
        .verdicts
        .iter()
        .filter(|verdict| {
            verdict.outcome != Outcome::Pass && verdict.enforcement == Enforcement::Active
        })
        .filter(|verdict| !verdict.bypassable)
        .map(|verdict| {
            format!(
                "g1t: {ref_name}: rule '{}' of ruleset '{}': {} {}",
                verdict.rule, verdict.ruleset_name, verdict.why, verdict.remedy
            )
        })
        .collect()
}

fn refusal(refused: Vec<String>) -> Reply {
    Reply {
        accepted: false,
        lines: told(refused),
    }
}

fn told(refused: Vec<String>) -> Vec<String> {
    let more = refused.len().saturating_sub(TOLD);
    let mut lines: Vec<String> = refused.into_iter().take(TOLD).collect();
    if more > 0 {
        lines.push(format!("g1t: and {more} more broken rules"));
    }
    lines.push("g1t: nothing was stored".to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use g1t_repos::Oid;

    use super::{TOLD, elsewhere, told, unmoved, updates};

    #[test]
    fn a_refusal_tells_twenty_rules_and_counts_the_rest() {
        let lines = told((0..25).map(|n| format!("rule {n}")).collect());
        assert_eq!(lines.len(), TOLD + 2);
        assert_eq!(lines[TOLD], "g1t: and 5 more broken rules");
        assert_eq!(lines[TOLD + 1], "g1t: nothing was stored");
    }

    #[test]
    fn only_branches_and_tags_are_kept() {
        let (zero, one) = ("0".repeat(40), "1".repeat(40));
        let of = |name: &str| elsewhere(&updates(&format!("{zero} {one} {name}\n")).unwrap());
        for name in [
            "refs/heads/main",
            "refs/heads/refs/replace/x",
            "refs/tags/v1",
        ] {
            assert!(of(name).is_empty(), "{name}");
        }
        for name in [
            &format!("refs/replace/{one}") as &str,
            "refs/notes/commits",
            "refs/pull/1/head",
            "refs/headsup",
            "HEAD",
        ] {
            assert!(of(name)[0].contains(name), "{name}");
        }
    }

    #[test]
    fn a_push_moves_each_of_its_refs_once_from_where_it_is() {
        let (zero, one, two) = ("0".repeat(40), "1".repeat(40), "2".repeat(40));
        let of = |text: &str, heads: &[&String]| {
            let heads: Vec<Oid> = heads.iter().map(|head| head.parse().unwrap()).collect();
            unmoved(&updates(text).unwrap(), &heads).join("\n")
        };
        assert_eq!(of(&format!("{one} {two} refs/heads/a"), &[&one]), "");
        assert_eq!(of(&format!("{zero} {two} refs/heads/a"), &[&zero]), "");
        assert_eq!(of(&format!("{one} {zero} refs/heads/a"), &[&one]), "");
        let overtaken = of(&format!("{one} {two} refs/heads/a"), &[&two]);
        assert!(overtaken.contains("meanwhile"), "{overtaken}");
        let nothing = of(&format!("{zero} {zero} refs/heads/a"), &[&zero]);
        assert!(nothing.contains("already"), "{nothing}");
        let twice = format!("{one} {two} refs/heads/a\n{one} {two} refs/heads/a");
        assert!(of(&twice, &[&one, &one]).contains("twice"));
    }

    #[test]
    fn what_git_did_not_write_is_refused() {
        assert!(updates("").is_err());
        assert!(updates("abc def refs/heads/x\n").is_err());
        let zero = "0".repeat(40);
        let one = "1".repeat(40);
        let read = updates(&format!("{zero} {one} refs/heads/a b\n")).unwrap();
        assert_eq!(read[0].name, "refs/heads/a b");
        assert!(read[0].old.is_zero());
    }
}
