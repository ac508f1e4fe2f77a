//! Plugins that decide when a pod is scheduled.

use super::Behavior::Queues;
use super::Entry;
use crate::draw::{Draw, pods};

/// The rows that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[
    Entry {
        plugin: "SchedulingGates",
        draw: || Draw { pods: vec![pods::scheduling_gates()], residents: vec![pods::without_gates()], ..Draw::plain() },
        fields: &["pod.spec.schedulingGates[].name"],
        behaviors: &[Queues],
    },
    Entry {
        plugin: "PrioritySort",
        draw: || Draw { pods: vec![pods::priority()], ..Draw::plain() },
        fields: &["pod.spec.priority", "resident.spec.priority"],
        behaviors: &[Queues],
    },
];
