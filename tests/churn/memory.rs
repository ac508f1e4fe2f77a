//! The amount of state that the scheduler keeps for the cluster, and its upper bounds.

use anyhow::{Result, ensure};

/// A sample of memory and of the sizes of the core's tables.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUse {
    /// Bytes allocated on the heap.
    pub heap: u64,
    /// Resident bytes of the process.
    pub resident: u64,
    /// Bytes of linear memory of all components.
    pub components: u64,
    /// The number of nodes in the cache.
    pub nodes: usize,
    /// The end of the range of node ids.
    pub node_ids: usize,
    /// The number of pods in the cache.
    pub pods: usize,
    /// The end of the range of pod ids.
    pub pod_ids: usize,
    /// The number of pods in the queue.
    pub queued: usize,
    /// The number of pods between the choice of a node and the end of their binding.
    pub in_flight: usize,
}

/// The maximum number of objects that exist in the cluster at one time.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// The number of nodes.
    pub nodes: usize,
    /// The number of pods.
    pub pods: usize,
    /// The length of the change log, in changes: a removed object's id is used again once the log has passed its
    /// removal.
    pub log: usize,
}

impl MemoryUse {
    /// Checks that nothing is held for removed objects, and that their ids are used again once the change log has
    /// passed their removal.
    ///
    /// # Errors
    /// Returns an error that shows what is still held.
    pub fn check(&self, most: Most) -> Result<()> {
        ensure!(
            self.nodes <= most.nodes && self.pods <= most.pods,
            "the cache has more nodes or pods than the cluster, {most:?}: {self:?}"
        );
        ensure!(
            self.queued == 0 && self.in_flight == 0,
            "pods are queued or in flight, although all are bound or deleted: {self:?}"
        );
        let ids = most.nodes + most.pods + most.log;
        ensure!(
            self.node_ids <= ids && self.pod_ids <= ids,
            "the ids of removed objects are not used again, {most:?}: {self:?}"
        );
        Ok(())
    }
}
