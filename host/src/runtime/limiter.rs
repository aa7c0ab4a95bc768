use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wasmtime::{ResourceLimiter, Result};

/// All wasm memory of an engine together.
#[derive(Debug)]
pub struct MemoryBudget {
    left: AtomicUsize,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicUsize::new(bytes),
        })
    }

    fn take(&self, bytes: usize) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            })
            .is_ok()
    }

    fn give(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes that nobody has.
    pub fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }
}

/// A guest wanted more memory than it may have: ends the call as a trap with this cause.
#[derive(Debug, thiserror::Error)]
#[error("out of memory: {wanted} bytes wanted, {limit} allowed")]
pub struct OutOfMemory {
    /// Bytes that all memories of the store would have had.
    pub wanted: usize,
    /// Bytes that it may have; 0 when the process has none left.
    pub limit: usize,
}

/// Bounds the memories and tables of one store, summed, and takes them from the process's budget.
#[derive(Debug)]
pub struct Limiter {
    budget: Arc<MemoryBudget>,
    limit: usize,
    used: usize,
    table_elements: usize,
}

impl Limiter {
    /// A store that may have `limit` bytes in all.
    pub fn new(budget: Arc<MemoryBudget>, limit: usize, table_elements: usize) -> Self {
        Self {
            budget,
            limit,
            used: 0,
            table_elements,
        }
    }

    /// Bytes the store's memories have. They never shrink while the store lives.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl Drop for Limiter {
    fn drop(&mut self) {
        self.budget.give(self.used);
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        let more = desired.saturating_sub(current);
        let wanted = self.used.saturating_add(more);
        if wanted > self.limit {
            return Err(OutOfMemory {
                wanted,
                limit: self.limit,
            }
            .into());
        }
        if !self.budget.take(more) {
            return Err(OutOfMemory { wanted, limit: 0 }.into());
        }
        self.used = wanted;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        // Our own refusal comes back here and must go on as the trap it is; the system's is the guest's to deal with.
        if error.is::<OutOfMemory>() {
            Err(error)
        } else {
            Ok(())
        }
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> Result<bool> {
        Ok(desired <= self.table_elements)
    }
}

#[cfg(test)]
mod tests {
    use super::{Limiter, MemoryBudget, OutOfMemory};
    use wasmtime::ResourceLimiter;

    #[test]
    fn memories_of_a_store_count_together() {
        let budget = MemoryBudget::new(1_000);
        let mut store = Limiter::new(budget.clone(), 300, 10);
        assert!(store.memory_growing(0, 200, None).unwrap());
        assert!(store.memory_growing(0, 100, None).unwrap());
        let refused = store.memory_growing(100, 101, None).unwrap_err();
        assert_eq!(refused.downcast_ref::<OutOfMemory>().unwrap().limit, 300);
        assert_eq!(budget.left(), 700);
    }

    #[test]
    fn the_process_budget_is_shared_and_given_back() {
        let budget = MemoryBudget::new(500);
        let mut first = Limiter::new(budget.clone(), 400, 10);
        let mut second = Limiter::new(budget.clone(), 400, 10);
        assert!(first.memory_growing(0, 400, None).unwrap());
        assert_eq!(
            second
                .memory_growing(0, 200, None)
                .unwrap_err()
                .downcast_ref::<OutOfMemory>()
                .unwrap()
                .limit,
            0
        );
        drop(first);
        assert!(second.memory_growing(0, 200, None).unwrap());
    }
}
