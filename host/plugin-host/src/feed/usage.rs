//! The usage of nodes in columns. The usage of a node changes with every pod that is scheduled there, so it is sent as
//! lists of integers, which take little time to copy.

use berth_core::cache::{Cache, NodeId, Usage};
use bumpalo::Bump;

use crate::bindings::v0_2::exports::berth::scheduler::snapshot::{Change, ScalarUsage, Usage as WitUsage};

/// The columns of one change. The memory is kept for the next change.
#[derive(Default)]
pub(super) struct UsageColumns {
    nodes: Vec<u32>,
    milli_cpu: Vec<i64>,
    memory: Vec<i64>,
    ephemeral_storage: Vec<i64>,
    pods: Vec<i64>,
    non_zero_milli_cpu: Vec<i64>,
    non_zero_memory: Vec<i64>,
    scalars: usize,
}

impl UsageColumns {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.scalars = 0;
        for column in [
            &mut self.milli_cpu,
            &mut self.memory,
            &mut self.ephemeral_storage,
            &mut self.pods,
            &mut self.non_zero_milli_cpu,
            &mut self.non_zero_memory,
        ] {
            column.clear();
        }
    }

    pub fn push(&mut self, node: NodeId, usage: &Usage) {
        self.nodes.push(node.0);
        self.milli_cpu.push(usage.requested.milli_cpu);
        self.memory.push(usage.requested.memory);
        self.ephemeral_storage.push(usage.requested.ephemeral_storage);
        self.pods.push(usage.requested.pods);
        self.non_zero_milli_cpu.push(usage.non_zero_milli_cpu);
        self.non_zero_memory.push(usage.non_zero_memory);
        self.scalars += usage.requested.scalars.len();
    }

    /// Returns the change with all rows, or `None` if there are none. A node keeps each scalar resource that was ever
    /// used on it, with 0 after the last pod, so the instance receives the 0 as well.
    pub fn as_change<'a>(&'a self, arena: &'a Bump, cache: &'a Cache) -> Option<Change<'a>> {
        if self.nodes.is_empty() {
            return None;
        }
        let mut scalars = Vec::with_capacity(self.scalars);
        for &node in &self.nodes {
            let usage = cache.node(NodeId(node)).map(|info| info.usage.requested.scalars.iter());
            scalars.extend(usage.into_iter().flatten().map(|(name, quantity)| ScalarUsage {
                node,
                name,
                quantity: *quantity,
            }));
        }
        Some(Change::Usage(WitUsage {
            nodes: &self.nodes,
            milli_cpu: &self.milli_cpu,
            memory: &self.memory,
            ephemeral_storage: &self.ephemeral_storage,
            pods: &self.pods,
            non_zero_milli_cpu: &self.non_zero_milli_cpu,
            non_zero_memory: &self.non_zero_memory,
            scalars: arena.alloc_slice_fill_iter(scalars),
        }))
    }
}
