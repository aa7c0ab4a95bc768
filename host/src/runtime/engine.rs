use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits;

/// An engine that could not be made.
#[derive(Debug, thiserror::Error)]
#[error(
    "the pool for components needs {address_space_gib} GiB of address space, which this machine does not give: \
     raise the limit on virtual memory (ulimit -v) or vm.max_map_count"
)]
pub struct EngineError {
    address_space_gib: u64,
    #[source]
    source: wasmtime::Error,
}

/// The engine of routes and handlers: async, WASI 0.2 and 0.3, epochs as the only interruption.
pub fn app_engine() -> Result<Engine, EngineError> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(limits::APP_INSTANCES)
        .total_core_instances(limits::APP_CORE_INSTANCES)
        .total_memories(limits::APP_MEMORIES)
        .total_tables(limits::APP_TABLES)
        .total_stacks(limits::APP_STACKS)
        .max_memories_per_component(8)
        .max_tables_per_component(32)
        .max_core_instances_per_component(200)
        .max_memory_size(limits::APP_MEMORY_BYTES_MOST)
        .table_elements(limits::TABLE_ELEMENTS)
        .max_unused_warm_slots(32);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true)
        .wasm_component_model(true)
        .wasm_component_model_async(true);
    Engine::new(&config).map_err(|source| EngineError {
        address_space_gib: u64::from(limits::APP_MEMORIES) * 4,
        source,
    })
}

/// The thread that moves an engine's epoch; ends when this is dropped or the engine is gone.
pub struct Ticker {
    stop: Arc<AtomicBool>,
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Moves the epoch of an engine every `period`, on a thread of the system: a busy runtime must not stop it.
pub fn tick(engine: &Engine, period: Duration) -> Ticker {
    let stop = Arc::new(AtomicBool::new(false));
    let weak = engine.weak();
    let stopped = Arc::clone(&stop);
    std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            std::thread::sleep(period);
            let Some(engine) = weak.upgrade() else { return };
            engine.increment_epoch();
        }
    });
    Ticker { stop }
}
