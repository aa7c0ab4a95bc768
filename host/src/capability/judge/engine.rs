use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, WasmBacktraceDetails,
};

use crate::limits;

/// The engine that judges. Nothing of it is shared with the engine of routes.
pub(super) fn rules_engine() -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(limits::RULES_INSTANCES)
        .total_core_instances(512)
        .total_memories(32)
        .total_tables(64)
        .total_stacks(limits::RULES_INSTANCES)
        .max_core_instances_per_component(64)
        .max_memories_per_component(4)
        .max_tables_per_component(8)
        .max_memory_size(limits::RULES_MEMORY_BYTES)
        .table_elements(limits::TABLE_ELEMENTS)
        .max_unused_warm_slots(8);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .epoch_interruption(true)
        .consume_fuel(true)
        .wasm_component_model_async(false)
        .concurrency_support(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .cranelift_nan_canonicalization(true)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable);
    Engine::new(&config)
}
