//! Which rules hold for a ref.

use crate::coverage;
use crate::types::{Repository, Requirement, Ruleset};

/// Every rule of every ruleset that covers the ref, in the order given; rulesets that are tried out (`evaluate`) too.
pub fn requirements(
    repository: &Repository,
    ref_name: &str,
    rulesets: &[Ruleset],
) -> Vec<Requirement> {
    rulesets
        .iter()
        .filter(|ruleset| coverage::covers(ruleset, repository, ref_name))
        .flat_map(|ruleset| {
            ruleset.rules.iter().map(|rule| Requirement {
                ruleset_id: ruleset.id,
                ruleset_name: ruleset.name.clone(),
                source: ruleset.source,
                enforcement: ruleset.enforcement,
                rule: rule.clone(),
            })
        })
        .collect()
}
