//! DefaultPreemption, the plugin that evicts pods so that another pod fits.

use super::Behavior::Evicts;
use super::Entry;
use crate::draw::{Draw, preemption};

/// The row that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[Entry {
    plugin: "DefaultPreemption",
    draw: || Draw {
        nodes: preemption::nodes(),
        pods: preemption::pods(),
        residents: preemption::residents(),
        objects: vec![preemption::budgets()],
        arguments: preemption::arguments(),
        settle: preemption::settle,
        ..Draw::plain()
    },
    fields: &[
        "pod.spec.priority",
        "pod.spec.preemptionPolicy=Never",
        "pod.status.nominatedNodeName",
        "resident.spec.priority",
        "resident.status.startTime",
        "resident.metadata.deletionTimestamp",
        "resident.status.conditions[].type=DisruptionTarget",
        "poddisruptionbudget.spec.selector.matchLabels",
        "poddisruptionbudget.spec.selector.matchExpressions",
        "poddisruptionbudget.status.disruptionsAllowed",
        "poddisruptionbudget.status.disruptedPods",
        "arguments.DefaultPreemption.minCandidateNodesPercentage",
    ],
    behaviors: &[Evicts],
}];
