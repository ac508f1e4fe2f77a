//! The limits of an instance's memory and tables.

use wasmtime::ResourceLimiter;

use berth_core::limits::Limits;

/// The plugin asked for more memory than it may have. It is the error of the trap.
#[derive(Debug, thiserror::Error)]
pub(super) enum Excess {
    #[error("wanted more than {} MiB of memory", .0 >> 20)]
    Memory(usize),
    #[error("wanted a table of more than {0} elements")]
    Table(usize),
}

/// Counts the memory of an instance and traps a plugin that exceeds the limit. If growth only failed, most plugins
/// would panic with a message that doesn't name the cause.
#[derive(Debug)]
pub(super) struct MemoryGuard {
    used: usize,
    memory: usize,
    /// The factor of `memory` for the size of the cluster.
    times: u32,
    table_elements: usize,
    items: usize,
}

impl MemoryGuard {
    pub fn new(limits: &Limits) -> Self {
        Self { used: 0, memory: limits.memory, times: 1, table_elements: limits.table_elements, items: limits.items }
    }

    /// Sets the factor of the memory limit.
    pub fn allow(&mut self, times: u32) {
        self.times = times;
    }

    /// Returns the bytes of all linear memories.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl ResourceLimiter for MemoryGuard {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        let most = self.memory.saturating_mul(self.times as usize);
        if used > most {
            return Err(Excess::Memory(most).into());
        }
        self.used = used;
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        if desired > self.table_elements {
            return Err(Excess::Table(self.table_elements).into());
        }
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.items
    }

    fn tables(&self) -> usize {
        self.items
    }

    fn memories(&self) -> usize {
        self.items
    }
}
