use sha2::{Digest, Sha256};
use sqlx::PgPool;

use super::Judge;
use crate::bindings::app::g1t::rules::types::{
    ActorKind, Decision, Facts, Moment, Outcome, Ruleset,
};
use crate::limits;

/// Why a decision was not kept. It does not count then.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    #[error("the facts name a repository that is not of the workspace this call is for")]
    NoRepository,
    #[error("the facts cannot be written as JSON")]
    Facts(#[from] serde_json::Error),
    #[error("the database could not keep a decision")]
    Database(#[from] sqlx::Error),
}

/// What is kept of a decision beside what was decided.
pub struct Kept {
    repository: i64,
    actor: Option<i64>,
    moment: &'static str,
    ref_name: String,
    old: String,
    new: String,
    facts_digest: [u8; 32],
    /// What the digest is of; none when it is too long to be kept.
    judged: Option<String>,
}

/// Everything that a decision depends on beside the judge: judging it again gives the same verdicts.
#[derive(serde::Serialize)]
struct Judged<'a> {
    facts: &'a Facts,
    rulesets: &'a [Ruleset],
}

impl Kept {
    /// Takes what is kept from the facts, before the judge gets them.
    ///
    /// # Errors
    /// [`KeepError::Facts`] when they cannot be written as JSON.
    pub fn new(facts: &Facts, rulesets: &[Ruleset]) -> Result<Self, KeepError> {
        // Serde writes records in the order of their fields, so equal facts have equal bytes.
        let text = serde_json::to_string(&Judged { facts, rulesets })?;
        Ok(Self {
            repository: i64::try_from(facts.repository.id).unwrap_or_default(),
            actor: match facts.actor.kind {
                ActorKind::System => None,
                ActorKind::Person | ActorKind::Agent => i64::try_from(facts.actor.id).ok(),
            },
            moment: match facts.moment {
                Moment::Push => "push",
                Moment::Merge => "merge",
                Moment::Queue => "queue",
            },
            ref_name: facts.ref_change.name.clone(),
            old: facts.ref_change.old.clone(),
            new: facts.ref_change.new.clone(),
            facts_digest: Sha256::digest(text.as_bytes()).into(),
            judged: (text.len() <= limits::KEPT_FACTS_BYTES).then_some(text),
        })
    }

    /// Writes the row of `rule_evaluations`. Only the host does: a component has no right to, so what is kept is what was
    /// judged.
    pub async fn write(
        &self,
        pool: &PgPool,
        workspace: i64,
        judge: &Judge,
        decision: &Decision,
    ) -> Result<(), KeepError> {
        let outcome = |outcome: Outcome| match outcome {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Waiting => "waiting",
        };
        let told: Vec<_> = decision
            .verdicts
            .iter()
            .filter(|verdict| verdict.outcome != Outcome::Pass)
            .collect();
        let written = sqlx::query(include_str!("../../sql/rule_evaluation_insert.sql"))
            .bind(workspace)
            .bind(self.repository)
            .bind(self.actor)
            .bind(self.moment)
            .bind(&self.ref_name)
            .bind(&self.old)
            .bind(&self.new)
            .bind(outcome(decision.outcome))
            .bind(is_bypass(decision))
            .bind(serde_json::to_value(told).unwrap_or_default())
            .bind(self.facts_digest.as_slice())
            .bind(judge.digest().as_slice())
            .bind(self.judged.as_deref())
            .execute(pool)
            .await?;
        if written.rows_affected() == 0 {
            return Err(KeepError::NoRepository);
        }
        Ok(())
    }
}

/// True when a rule that does not pass is gone past.
fn is_bypass(decision: &Decision) -> bool {
    decision.outcome != Outcome::Pass && decision.outcome_with_bypass == Outcome::Pass
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_happen_by_a_bypass_is_recorded_as_one() {
        let decision = |outcome, outcome_with_bypass| Decision {
            outcome,
            outcome_with_bypass,
            verdicts: Vec::new(),
        };
        assert!(is_bypass(&decision(Outcome::Waiting, Outcome::Pass)));
        assert!(!is_bypass(&decision(Outcome::Pass, Outcome::Pass)));
        assert!(!is_bypass(&decision(Outcome::Fail, Outcome::Waiting)));
    }
}
