//! A lower bound of the free attachments of each node. The bound is sufficient for most nodes, because most nodes
//! are far from their limits.

use std::collections::BTreeMap;

use berth_guest::node;
use berth_guest_volumes::CsiNode;

use crate::uses::Uses;

/// The number of additional volumes that a node accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreeSlots {
    /// The node has no CSINode.
    #[default]
    NoDrivers,
    /// The node accepts at least this number of volumes, of any drivers.
    AtLeast(u32),
    /// The CSINode has a limit, and a pod of the node may have an invalid volume. Each volume has to be checked, even
    /// the volumes of drivers without a limit.
    Unclear,
}

impl FreeSlots {
    /// Returns the bound for a node with these pods and this number of attachments. The bound assumes that all
    /// volumes are distinct and belong to the driver with the lowest limit.
    pub fn of<'a>(csi_node: Option<&CsiNode>, pods: impl Iterator<Item = &'a Uses>, attachments: usize) -> FreeSlots {
        let Some(csi_node) = csi_node else { return FreeSlots::NoDrivers };
        let limits = csi_node.spec.drivers.iter().filter_map(|driver| driver.allocatable.count);
        let Some(limit) = limits.min() else { return FreeSlots::AtLeast(u32::MAX) };
        let mut used = attachments;
        for pod in pods {
            if pod.may_be_invalid() {
                return FreeSlots::Unclear;
            }
            used += pod.volumes.len();
        }
        let additional = i64::try_from(used).map_or(0, |used| limit.saturating_sub(used));
        FreeSlots::AtLeast(u32::try_from(additional).unwrap_or(if additional < 0 { 0 } else { u32::MAX }))
    }

    /// Returns true if this number of additional volumes is certain to fit.
    pub fn allows(self, volumes: usize) -> bool {
        matches!(self, FreeSlots::AtLeast(additional) if u32::try_from(volumes).is_ok_and(|volumes| volumes <= additional))
    }
}

/// The bounds of all nodes, with the number of nodes for each bound, so that questions about all nodes need no loop.
#[derive(Debug, Default)]
pub struct NodeSlots {
    of_nodes: Vec<Option<FreeSlots>>,
    no_drivers: usize,
    unclear: usize,
    /// The number of nodes by the number in [`FreeSlots::AtLeast`]. Most nodes are alike, so there are few distinct
    /// numbers.
    at_least: BTreeMap<u32, usize>,
}

impl NodeSlots {
    /// Returns the bound of a node. An unknown node counts as a node without a CSINode.
    pub fn of(&self, node: node::Id) -> FreeSlots {
        self.known(node).unwrap_or_default()
    }

    /// Returns true if the node is known.
    pub fn has(&self, node: node::Id) -> bool {
        self.known(node).is_some()
    }

    /// Sets the bound of a node.
    pub fn set(&mut self, node: node::Id, free_slots: FreeSlots) {
        self.replace(node, Some(free_slots));
    }

    /// Removes a node.
    pub fn remove(&mut self, node: node::Id) {
        self.replace(node, None);
    }

    /// Returns true if this number of additional volumes is certain to fit on every node that has a CSINode.
    pub fn all_allow(&self, volumes: usize) -> bool {
        let least = self.at_least.first_key_value();
        self.unclear == 0 && least.is_none_or(|(&additional, _)| FreeSlots::AtLeast(additional).allows(volumes))
    }

    /// Returns true if every node has a CSINode.
    pub fn all_have_drivers(&self) -> bool {
        self.no_drivers == 0
    }

    fn known(&self, node: node::Id) -> Option<FreeSlots> {
        self.of_nodes.get(node.at()).copied().flatten()
    }

    fn replace(&mut self, node: node::Id, free_slots: Option<FreeSlots>) {
        if node.at() >= self.of_nodes.len() {
            self.of_nodes.resize(node.at() + 1, None);
        }
        // The list was extended above.
        let before = std::mem::replace(&mut self.of_nodes[node.at()], free_slots);
        if before == free_slots {
            return;
        }
        if let Some(free_slots) = free_slots {
            *self.count(free_slots) += 1;
        }
        if let Some(free_slots) = before {
            let count = self.count(free_slots);
            *count -= 1;
            if let (0, FreeSlots::AtLeast(additional)) = (*count, free_slots) {
                self.at_least.remove(&additional);
            }
        }
    }

    /// Returns the number of nodes with this bound.
    fn count(&mut self, free_slots: FreeSlots) -> &mut usize {
        match free_slots {
            FreeSlots::NoDrivers => &mut self.no_drivers,
            FreeSlots::Unclear => &mut self.unclear,
            FreeSlots::AtLeast(additional) => self.at_least.entry(additional).or_default(),
        }
    }
}
