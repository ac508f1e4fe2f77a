//! What is held for the cluster, and how much of it there may be.

use anyhow::{Result, ensure};

/// A look at memory and at the core's tables.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Bytes that are allocated.
    pub heap: u64,
    /// Resident bytes of the process.
    pub resident: u64,
    /// Bytes of linear memory of all components.
    pub components: u64,
    /// Nodes in the cache, and the end of their ids.
    pub nodes: usize,
    /// The end of the nodes' ids.
    pub node_ids: usize,
    /// Pods in the cache.
    pub pods: usize,
    /// The end of the pods' ids.
    pub pod_ids: usize,
    /// Pods that wait.
    pub queued: usize,
    /// Pods between the choice of a node and the end of their binding.
    pub in_flight: usize,
}

/// The most of each that there is in the cluster at one time.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Nodes.
    pub nodes: usize,
    /// Pods.
    pub pods: usize,
    /// Changes after which an id may be used again: the length of the change log.
    pub log: usize,
}

impl Held {
    /// Nothing is held of what is gone. Ids are used again when the change log has forgotten what had them.
    ///
    /// # Errors
    /// Something is.
    pub fn check(&self, most: Most) -> Result<()> {
        ensure!(self.nodes <= most.nodes && self.pods <= most.pods, "more than there is, {most:?}: {self:?}");
        ensure!(self.queued == 0 && self.in_flight == 0, "all pods are bound or gone: {self:?}");
        let ids = most.nodes + most.pods + most.log;
        ensure!(self.node_ids <= ids && self.pod_ids <= ids, "ids are not used again, {most:?}: {self:?}");
        Ok(())
    }
}
