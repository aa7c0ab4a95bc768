use super::client::{Answer, Contract, Preview};
use super::record;
use crate::bindings::app::g1t::rules::types::{
    self, Decision, Facts, FieldError, QueueSettings, Repository, Requirement, Ruleset,
};
use crate::runtime::GuestState;

impl types::Host for GuestState {}

/// The contract's functions never fail, so a judge that does not decide ends the guest's call: nothing happens that was
/// not judged.
impl Contract for GuestState {
    async fn requirements(
        &mut self,
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Answer<Vec<Requirement>> {
        Ok(self
            .services
            .judge
            .requirements(repository, ref_name, rulesets)
            .await?)
    }

    async fn judge(&mut self, facts: Facts, rulesets: Vec<Ruleset>) -> Answer<Decision> {
        let kept = record::Kept::new(&facts, &rulesets)?;
        let decision = self.services.judge.judge(facts, rulesets).await?;
        let workspace = self.call.workspace.ok_or(record::KeepError::NoRepository)?;
        let services = &self.services;
        kept.write(&services.pool, workspace, &services.judge, &decision)
            .await?;
        Ok(decision)
    }

    async fn check_ruleset(&mut self, ruleset: Ruleset) -> Answer<Vec<FieldError>> {
        Ok(self.services.judge.check_ruleset(ruleset).await?)
    }

    async fn queue(
        &mut self,
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Answer<Option<QueueSettings>> {
        Ok(self
            .services
            .judge
            .queue(repository, ref_name, rulesets)
            .await?)
    }
}

impl Preview for GuestState {
    async fn judge(&mut self, facts: Facts, rulesets: Vec<Ruleset>) -> Answer<Decision> {
        Ok(self.services.judge.judge(facts, rulesets).await?)
    }
}
