use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    WasmBacktraceDetails,
};

use crate::limits;

/// How much of a memory or table stays resident in a slot that nobody uses: what a common decision touches.
const KEPT_BYTES: usize = 2 << 20;

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
        .max_unused_warm_slots(8)
        // What a decision wrote is set back in place where the kernel says which pages those are, instead of being taken
        // out and faulted in again by the next: most of the price of a fresh instance.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(KEPT_BYTES)
        .table_keep_resident(KEPT_BYTES);
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
