use sha2::{Digest, Sha256};
use sqlx::PgPool;

use super::Judge;
use crate::bindings::app::g1t::rules::types::{
    ActorKind, Decision, Facts, Moment, Outcome, Ruleset,
};

/// What is kept of a decision beside what was decided.
pub struct Kept {
    repository: i64,
    actor: Option<i64>,
    moment: &'static str,
    ref_name: String,
    old: String,
    new: String,
    facts_digest: [u8; 32],
}

impl Kept {
    /// Takes what is kept from the facts, before the judge gets them.
    pub fn new(facts: &Facts, rulesets: &[Ruleset]) -> Self {
        let mut hasher = Sha256::new();
        // Serde writes records in the order of their fields, so equal facts have equal bytes.
        serde_json::to_writer(HashWriter(&mut hasher), &(facts, rulesets)).ok();
        Self {
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
            facts_digest: hasher.finalize().into(),
        }
    }

    /// Writes the row of `rule_evaluations`.
    pub async fn write(
        &self,
        pool: &PgPool,
        workspace: i64,
        judge: &Judge,
        decision: &Decision,
    ) -> Result<(), sqlx::Error> {
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
        sqlx::query(include_str!("../../sql/rule_evaluation_insert.sql"))
            .bind(workspace)
            .bind(self.repository)
            .bind(self.actor)
            .bind(self.moment)
            .bind(&self.ref_name)
            .bind(&self.old)
            .bind(&self.new)
            .bind(outcome(decision.outcome))
            .bind(decision.outcome != decision.outcome_with_bypass)
            .bind(serde_json::to_value(told).unwrap_or_default())
            .bind(self.facts_digest.as_slice())
            .bind(judge.digest().as_slice())
            .execute(pool)
            .await?;
        Ok(())
    }
}

struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
