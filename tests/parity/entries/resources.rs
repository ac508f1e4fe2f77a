//! Plugins that compare what pods ask for with what nodes have.

use super::Does::{Filters, Scores};
use super::Entry;
use crate::draw::containers::Containers;
use crate::draw::parts::Part;
use crate::draw::{Draw, arguments, nodes, pods};

/// The rows.
pub const ENTRIES: &[Entry] = &[
    Entry {
        plugin: "NodeResourcesFit",
        draw: || resources(arguments::fit()),
        fields: REQUESTS,
        does: &[Filters, Scores],
    },
    Entry {
        plugin: "NodeResourcesBalancedAllocation",
        draw: || resources(arguments::balanced()),
        fields: REQUESTS,
        does: &[Scores],
    },
];

const REQUESTS: &[&str] = &[
    "node.status.allocatable.cpu",
    "node.status.allocatable.memory",
    "node.status.allocatable.ephemeral-storage",
    "node.status.allocatable.hugepages-2Mi",
    "node.status.allocatable.pods",
    "node.status.allocatable.example.com/gpu",
    "pod.spec.containers[].resources.requests.cpu",
    "pod.spec.containers[].resources.requests.memory",
    "pod.spec.containers[].resources.requests.ephemeral-storage",
    "pod.spec.containers[].resources.requests.hugepages-2Mi",
    "pod.spec.containers[].resources.requests.example.com/gpu",
    "pod.spec.initContainers[].resources.requests.cpu",
    "pod.spec.initContainers[].restartPolicy=Always",
    "pod.spec.resources.requests.cpu",
    "pod.spec.resources.requests.hugepages-2Mi",
    "pod.spec.overhead.cpu",
    "resident.status.containerStatuses[].allocatedResources.cpu",
    "resident.status.containerStatuses[].resources.requests.cpu",
    "resident.status.initContainerStatuses[].allocatedResources.cpu",
    "resident.status.resources.requests.cpu",
    "resident.status.allocatedResources.cpu",
    "resident.status.conditions[].reason=Infeasible",
    "resident.status.conditions[].reason=Deferred",
    "resident.metadata.deletionTimestamp",
];

fn resources(arguments: Part) -> Draw {
    Draw {
        nodes: vec![nodes::allocatable()],
        pods: [
            Containers { requests: true, init: true, ..Containers::default() }.parts(),
            vec![pods::overhead(), pods::resources()],
        ]
        .concat(),
        residents: [pods::resize(), vec![pods::ending()]].concat(),
        arguments,
        ..Draw::plain()
    }
}
