//! Keeps what was decided about a merge.

use g1t_kit::digest::sha256;
use g1t_kit::types::Outcome;
use g1t_kit::{Fault, Transaction, params};
use serde_json::Value;

use super::Asked;
use crate::head::branch_ref;
use crate::rules::{Judged, outcome_word, verdict_json};

/// The judge is part of the host; which bytes it has is the host's to say, and no component is told.
const NO_DIGEST: [u8; 32] = [0; 32];

/// Writes the decision: who wanted what, what did not pass, and a digest of everything it was judged by.
pub async fn keep(tx: &Transaction, asked: &Asked<'_>, judged: &Judged) -> Result<(), Fault> {
    let verdicts: Vec<Value> = judged
        .decision
        .verdicts
        .iter()
        .filter(|verdict| verdict.outcome != Outcome::Pass)
        .map(verdict_json)
        .collect();
    let digested = serde_json::to_vec(&(&judged.facts, &judged.rulesets))
        .map_err(|error| Fault::internal(format!("facts as JSON: {error}")))?;
    let params = params![
        asked.repository.workspace_id,
        asked.repository.id,
        asked.request.actor().id,
        branch_ref(&asked.pull.base_branch),
        asked.heads.base,
        asked.heads.head,
        outcome_word(judged.decision.outcome),
        judged.is_bypass(),
        Value::from(verdicts),
        sha256(&digested),
        NO_DIGEST,
    ];
    tx.execute(include_str!("../sql/evaluation.sql"), params)
        .await?;
    Ok(())
}
