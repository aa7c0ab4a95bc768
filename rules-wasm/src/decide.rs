//! A decision: every rule that applies, asked in order, and what they say together.

use crate::answer;
use crate::bypass;
use crate::coverage;
use crate::extend::{Answer, Extend};
use crate::queue::queue;
use crate::rules::{self, Change, Kind, reserved_ref};
use crate::types::{
    ActorKind, AppliesTo, Decision, Enforcement, Facts, Moment, Rule, Ruleset, Verdict,
};

/// Judges a change by every rule that applies at its moment.
///
/// Never fails: a rule that cannot be judged (a type nobody knows, parameters that do not read) fails closed, with a
/// verdict that says so.
pub fn judge(facts: &Facts, rulesets: &[Ruleset], extend: &dyn Extend) -> Decision {
    let ref_name = &facts.ref_change.name;
    let change = Change {
        facts,
        queued: queue(&facts.repository, ref_name, rulesets).is_some(),
    };
    let mut verdicts = Vec::from_iter(reserved_ref::judge(&change));
    for ruleset in rulesets {
        if !coverage::covers(ruleset, &facts.repository, ref_name) {
            continue;
        }
        let asked = ruleset.rules.iter().filter(|rule| concerns(rule, facts));
        verdicts.extend(asked.filter_map(|rule| verdict(ruleset, rule, &change, extend)));
    }
    Decision {
        outcome: together(&verdicts, |_| true),
        outcome_with_bypass: together(&verdicts, |verdict| !verdict.bypassable),
        verdicts,
    }
}

fn together(verdicts: &[Verdict], counts: impl Fn(&Verdict) -> bool) -> crate::types::Outcome {
    let counted = verdicts
        .iter()
        .filter(|verdict| verdict.enforcement == Enforcement::Active && counts(verdict));
    answer::heaviest(counted.map(|verdict| verdict.outcome))
}

/// Whether the rule is for this kind of actor. At a merge its author counts too: an agent's change stays an agent's when
/// a person merges or queues it.
fn concerns(rule: &Rule, facts: &Facts) -> bool {
    let wanted = match rule.applies_to {
        AppliesTo::Everyone => return true,
        AppliesTo::People => ActorKind::Person,
        AppliesTo::Agents => ActorKind::Agent,
    };
    let author = match facts.moment {
        Moment::Push => None,
        Moment::Merge | Moment::Queue => facts.pull_request.as_ref(),
    };
    facts.actor.kind == wanted || author.is_some_and(|author| author.author_kind == wanted)
}

/// One rule's verdict; `None` when the rule has no say at this moment.
fn verdict(
    ruleset: &Ruleset,
    rule: &Rule,
    change: &Change<'_>,
    extend: &dyn Extend,
) -> Option<Verdict> {
    let facts = change.facts;
    let mut bypassable = bypass::allows(ruleset, &facts.actor, facts.moment);
    let said = match Kind::of(&rule.kind) {
        Kind::Known(entry) if !entry.moments.contains(&facts.moment) => return None,
        Kind::Known(entry) if lands_what_was_judged(change, entry.moments) => answer::pass(),
        Kind::Known(entry) => {
            let judged = (entry.judge)(&rule.parameters, change);
            bypassable &= judged.bypass_counts;
            judged.answer
        }
        Kind::Plugin => extend.evaluate(rule),
        Kind::Unknown => rules::unknown(&rule.kind),
    };
    Some(given(ruleset, rule, said, bypassable))
}

/// What g1t itself pushes is what a merge was allowed to land: a rule that was asked then is not asked again.
fn lands_what_was_judged(change: &Change<'_>, moments: &[Moment]) -> bool {
    change.facts.moment == Moment::Push
        && change.facts.actor.kind == ActorKind::System
        && moments.contains(&Moment::Merge)
        && change.facts.ref_change.fast_forward
}

fn given(ruleset: &Ruleset, rule: &Rule, said: Answer, bypassable: bool) -> Verdict {
    Verdict {
        ruleset_id: ruleset.id,
        ruleset_name: ruleset.name.clone(),
        rule: rule.kind.clone(),
        enforcement: ruleset.enforcement,
        outcome: said.outcome,
        why: said.why,
        remedy: said.remedy,
        bypassable,
    }
}
