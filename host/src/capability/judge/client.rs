use std::path::Path;
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Engine, Store};

use super::engine::rules_engine;
use crate::bindings::app::g1t::rules::types::{
    Decision, Facts, FieldError, QueueSettings, Repository, Requirement, Rule, Ruleset,
};
use crate::bindings::app::g1t::rules::{judge as wit, preview};
use crate::bindings::judge::exports::g1t::rules::judge::Guest as Exports;
use crate::bindings::judge::g1t::rules::extension;
use crate::bindings::judge::{JudgeComponent, JudgeComponentPre};
use crate::limits;
use crate::runtime::{CacheError, CodeCache, Limiter, MemoryBudget, Ticker, tick};

/// Why nothing was decided. A change that could not be judged does not happen.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error("the judge cannot be loaded")]
    Code(#[from] CacheError),
    #[error("the judge does not fit this host: build it from the same sources")]
    Unfit(#[source] wasmtime::Error),
    #[error("too many decisions at once: try again")]
    Busy,
    #[error("the judge did not decide: {0:#}")]
    Undecided(wasmtime::Error),
}

/// The judge, loaded. Cheap to clone.
#[derive(Clone)]
pub struct Judge {
    loaded: Arc<Loaded>,
}

struct Loaded {
    engine: Engine,
    pre: JudgeComponentPre<Judging>,
    digest: [u8; 32],
    memory: Arc<MemoryBudget>,
    turns: Arc<Semaphore>,
    _ticker: Ticker,
}

/// The state of one decision's store.
struct Judging {
    limiter: Limiter,
}

impl extension::Host for Judging {
    fn evaluate(&mut self, rule: Rule) -> wasmtime::Result<extension::Answer> {
        // No plugin can be uploaded to this host yet: whoever names one gets an answer that refuses and says so.
        Ok(extension::Answer {
            outcome: crate::bindings::app::g1t::rules::types::Outcome::Fail,
            why: format!(
                "'{}' could not be judged: no such plugin is active.",
                rule.kind
            ),
            remedy: "Activate the plugin, or take the rule out of the ruleset.".into(),
        })
    }
}

/// How long a decision waits for its turn.
const TURN_WAIT: std::time::Duration = std::time::Duration::from_secs(5);

impl Judge {
    /// Loads the judge's component.
    pub fn load(cache: &CodeCache, path: &Path) -> Result<Self, JudgeError> {
        let engine = rules_engine().map_err(JudgeError::Unfit)?;
        let (component, digest) = cache.load(&engine, path)?;
        let mut linker = Linker::new(&engine);
        extension::add_to_linker::<_, HasSelf<Judging>>(&mut linker, |state| state)
            .map_err(JudgeError::Unfit)?;
        let pre = linker
            .instantiate_pre(&component)
            .and_then(JudgeComponentPre::new)
            .map_err(JudgeError::Unfit)?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        // A turn without an instance would be an error instead of a wait.
        let turns = cores.min(usize::try_from(limits::RULES_INSTANCES).unwrap_or(usize::MAX));
        Ok(Self {
            loaded: Arc::new(Loaded {
                _ticker: tick(&engine, limits::RULES_TICK),
                memory: MemoryBudget::new(limits::RULES_MEMORY_BYTES.saturating_mul(4)),
                turns: Arc::new(Semaphore::new(turns)),
                engine,
                pre,
                digest,
            }),
        })
    }

    /// SHA-256 of the judge's bytes: kept with every decision.
    pub fn digest(&self) -> [u8; 32] {
        self.loaded.digest
    }

    /// See `g1t:rules/judge.judge`.
    pub async fn judge(
        &self,
        facts: Facts,
        rulesets: Vec<Ruleset>,
    ) -> Result<Decision, JudgeError> {
        self.call(move |judge, store| judge.call_judge(store, &facts, &rulesets))
            .await
    }

    /// See `g1t:rules/judge.requirements`.
    pub async fn requirements(
        &self,
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Result<Vec<Requirement>, JudgeError> {
        self.call(move |judge, store| {
            judge.call_requirements(store, &repository, &ref_name, &rulesets)
        })
        .await
    }

    /// See `g1t:rules/judge.check-ruleset`.
    pub async fn check_ruleset(&self, ruleset: Ruleset) -> Result<Vec<FieldError>, JudgeError> {
        self.call(move |judge, store| judge.call_check_ruleset(store, &ruleset))
            .await
    }

    /// See `g1t:rules/judge.queue`.
    pub async fn queue(
        &self,
        repository: Repository,
        ref_name: String,
        rulesets: Vec<Ruleset>,
    ) -> Result<Option<QueueSettings>, JudgeError> {
        self.call(move |judge, store| judge.call_queue(store, &repository, &ref_name, &rulesets))
            .await
    }

    async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Exports, &mut Store<Judging>) -> wasmtime::Result<R> + Send + 'static,
    ) -> Result<R, JudgeError> {
        let turn = tokio::time::timeout(TURN_WAIT, Arc::clone(&self.loaded.turns).acquire_owned())
            .await
            .map_err(|_| JudgeError::Busy)?
            .map_err(|_| JudgeError::Busy)?;
        let loaded = Arc::clone(&self.loaded);
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            loaded.run(work)
        })
        .await
        .map_err(|_| JudgeError::Busy)?
        .map_err(JudgeError::Undecided)
    }

    /// A decision on this thread, for whoever has one to give: the benchmark.
    pub fn judge_here(&self, facts: &Facts, rulesets: &[Ruleset]) -> Result<Decision, JudgeError> {
        self.loaded
            .run(|judge, store| judge.call_judge(store, facts, rulesets))
            .map_err(JudgeError::Undecided)
    }
}

impl Loaded {
    fn run<R>(
        &self,
        work: impl FnOnce(&Exports, &mut Store<Judging>) -> wasmtime::Result<R>,
    ) -> wasmtime::Result<R> {
        let limiter = Limiter::new(
            Arc::clone(&self.memory),
            limits::RULES_MEMORY_BYTES,
            limits::TABLE_ELEMENTS,
        );
        let mut store = Store::new(&self.engine, Judging { limiter });
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(limits::RULES_HOSTCALL_BYTES);
        // Armed before anything of the component runs, its start included.
        store.set_fuel(limits::RULES_FUEL)?;
        store.set_epoch_deadline(ticks(limits::RULES_DEADLINE));
        store.epoch_deadline_trap();
        let judge: JudgeComponent = self.pre.instantiate(&mut store)?;
        work(judge.g1t_rules_judge(), &mut store)
    }
}

/// Ticks of the rules engine in a duration, rounded up.
fn ticks(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(limits::RULES_TICK.as_nanos())).unwrap_or(1)
}

/// Kept apart so that the traits in scope are the contract's.
pub(super) type Answer<T> = wasmtime::Result<T>;
pub(super) use preview::Host as Preview;
pub(super) use wit::Host as Contract;
