//! What is known of a node without a look at the volumes on it: enough to answer for most nodes, as most are far from full.

use std::collections::BTreeMap;

use berth_guest::node;
use berth_guest_volumes::CsiNode;

use crate::uses::Uses;

/// How many volumes more a node takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// No driver has said anything of it: it has no CSINode.
    #[default]
    NoDrivers,
    /// At least so many, of whichever drivers.
    AtLeast(u32),
    /// Something may be wrong with what is there, so that a closer look is needed even where nothing is limited.
    Unclear,
}

impl Room {
    /// Of a node with these pods and so many attachments. Each volume is taken for another one, and for one of the driver that
    /// takes the fewest.
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

    /// Whether so many volumes more are certain to fit.
    pub fn takes(self, volumes: usize) -> bool {
        matches!(self, Room::AtLeast(more) if u32::try_from(volumes).is_ok_and(|volumes| volumes <= more))
    }
}

/// Of every node, with what it takes to know of all of them at once whether they have enough.
#[derive(Debug, Default)]
pub struct Rooms {
    of_nodes: Vec<Option<Room>>,
    no_drivers: usize,
    unclear: usize,
    /// How many nodes have room for at least so many: few different numbers, as most nodes are alike.
    at_least: BTreeMap<u32, usize>,
}

impl Rooms {
    /// Of this node; of one that is not known as of one without a CSINode.
    pub fn of(&self, node: node::Id) -> Room {
        self.known(node).unwrap_or_default()
    }

    /// Whether the node is known.
    pub fn has(&self, node: node::Id) -> bool {
        self.known(node).is_some()
    }

    /// The node has this much.
    pub fn set(&mut self, node: node::Id, room: Room) {
        self.replace(node, Some(room));
    }

    /// The node is gone.
    pub fn remove(&mut self, node: node::Id) {
        self.replace(node, None);
    }

    /// Whether so many volumes more are certain to fit on every node that has a CSINode.
    pub fn all_take(&self, volumes: usize) -> bool {
        let least = self.at_least.first_key_value();
        self.unclear == 0 && least.is_none_or(|(&more, _)| Room::AtLeast(more).takes(volumes))
    }

    /// Whether every node has a CSINode.
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
        // The row was made above.
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

    /// How many nodes have this much.
    fn count(&mut self, room: Room) -> &mut usize {
        match room {
            Room::NoDrivers => &mut self.no_drivers,
            Room::Unclear => &mut self.unclear,
            Room::AtLeast(more) => self.at_least.entry(more).or_default(),
        }
    }
}
