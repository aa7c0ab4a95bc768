//! The exported functions, and the host as the one who answers for plugins.

use g1t_rules::bindings::exports::g1t::rules::judge::Guest;
use g1t_rules::bindings::g1t::rules::extension;
use g1t_rules::types::{
    Decision, Facts, FieldError, QueueSettings, Repository, Requirement, Rule, Ruleset,
};
use g1t_rules::{Answer, Extend};

struct Judge;

struct Host;

impl Extend for Host {
    fn evaluate(&self, rule: &Rule) -> Answer {
        extension::evaluate(rule)
    }
}

impl Guest for Judge {
    fn requirements(
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Vec<Requirement> {
        g1t_rules::requirements(&repository, &ref_name, &rulesets)
    }

    fn judge(facts: Facts, rulesets: Vec<Ruleset>) -> Decision {
        g1t_rules::judge(&facts, &rulesets, &Host)
    }

    fn check_ruleset(ruleset: Ruleset) -> Vec<FieldError> {
        g1t_rules::check_ruleset(&ruleset)
    }

    fn queue(
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Option<QueueSettings> {
        g1t_rules::queue(&repository, &ref_name, &rulesets)
    }
}

g1t_rules::bindings::export_judge!(Judge);
