//! A lower bound of the free attachments of each node. The bound is sufficient for most nodes, because most nodes
//! are far from their limits.

use std::collections::BTreeMap;

use berth_guest::node;
use berth_guest_volumes::CsiNode;

use crate::uses::Uses;

/// The number of additional volumes that a node accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// The node has no CSINode.
    #[default]
    NoDrivers,
    /// The node accepts at least this number of volumes, of any drivers.
    AtLeast(u32),
    /// The node's pods may have invalid volumes, so each volume has to be checked even without limits.
    Unclear,
}

impl Room {
    /// Returns the bound for a node with these pods and this number of attachments. The bound assumes that all
    /// volumes are distinct and belong to the driver with the lowest limit.
    pub fn of<'a>(csi_node: Option<&CsiNode>, pods: impl Iterator<Item = &'a Uses>, attachments: usize) -> Room {
        let Some(csi_node) = csi_node else { return Room::NoDrivers };
        let limits = csi_node.spec.drivers.iter().filter_map(|driver| driver.allocatable.count);
        let Some(limit) = limits.min() else { return Room::AtLeast(u32::MAX) };
        let mut there = attachments;
        for pod in pods {
            if pod.may_be_wrong() {
                return Room::Unclear;
            }
            there += pod.volumes.len();
        }
        let more = i64::try_from(there).map_or(0, |there| limit.saturating_sub(there));
        Room::AtLeast(u32::try_from(more).unwrap_or(if more < 0 { 0 } else { u32::MAX }))
    }

    /// Returns true if this number of additional volumes is certain to fit.
    pub fn takes(self, volumes: usize) -> bool {
        matches!(self, Room::AtLeast(more) if u32::try_from(volumes).is_ok_and(|volumes| volumes <= more))
    }
}

/// The bounds of all nodes, with counts that answer questions about all nodes at once.
#[derive(Debug, Default)]
pub struct Rooms {
    of_nodes: Vec<Option<Room>>,
    no_drivers: usize,
    unclear: usize,
    /// The number of nodes by their bound. Most nodes are alike, so there are few distinct bounds.
    at_least: BTreeMap<u32, usize>,
}

impl Rooms {
    /// Returns the bound of a node. An unknown node counts as a node without a CSINode.
    pub fn of(&self, node: node::Id) -> Room {
        self.known(node).unwrap_or_default()
    }

    /// Returns true if the node is known.
    pub fn has(&self, node: node::Id) -> bool {
        self.known(node).is_some()
    }

    /// Sets the bound of a node.
    pub fn set(&mut self, node: node::Id, room: Room) {
        self.replace(node, Some(room));
    }

    /// Removes a node.
    pub fn remove(&mut self, node: node::Id) {
        self.replace(node, None);
    }

    /// Returns true if this number of additional volumes is certain to fit on every node that has a CSINode.
    pub fn all_take(&self, volumes: usize) -> bool {
        let least = self.at_least.first_key_value();
        self.unclear == 0 && least.is_none_or(|(&more, _)| Room::AtLeast(more).takes(volumes))
    }

    /// Returns true if every node has a CSINode.
    pub fn all_have_drivers(&self) -> bool {
        self.no_drivers == 0
    }

    fn known(&self, node: node::Id) -> Option<Room> {
        self.of_nodes.get(node.at()).copied().flatten()
    }

    fn replace(&mut self, node: node::Id, room: Option<Room>) {
        if node.at() >= self.of_nodes.len() {
            self.of_nodes.resize(node.at() + 1, None);
        }
        // The list was extended above.
        let before = std::mem::replace(&mut self.of_nodes[node.at()], room);
        if before == room {
            return;
        }
        if let Some(room) = room {
            *self.count(room) += 1;
        }
        if let Some(room) = before {
            let count = self.count(room);
            *count -= 1;
            if let (0, Room::AtLeast(more)) = (*count, room) {
                self.at_least.remove(&more);
            }
        }
    }

    /// Returns the number of nodes with this bound.
    fn count(&mut self, room: Room) -> &mut usize {
        match room {
            Room::NoDrivers => &mut self.no_drivers,
            Room::Unclear => &mut self.unclear,
            Room::AtLeast(more) => self.at_least.entry(more).or_default(),
        }
    }
}
