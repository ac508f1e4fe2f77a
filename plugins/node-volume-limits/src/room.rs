//! What is known of a node without a look at the volumes on it: enough to answer for most nodes, as most are far from full.

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
