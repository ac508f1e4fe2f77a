//! Plugins that compare the requests of pods with the resources of nodes.

use super::Behavior::{Filters, Scores};
use super::Entry;
use crate::draw::containers::Containers;
use crate::draw::parts::Part;
use crate::draw::{Draw, arguments, claims, nodes, pods, scored, spread};

/// The rows that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[
    Entry {
        plugin: "NodeResourcesFit",
        draw: || resources(arguments::fit()),
        fields: REQUESTS,
        behaviors: &[Filters, Scores],
    },
    Entry {
        plugin: "NodeResourcesBalancedAllocation",
        draw: || resources(arguments::balanced()),
        fields: REQUESTS,
        behaviors: &[Scores],
    },
    // NodeResourcesFit and NodeResourcesBalancedAllocation, with extended resources that device classes provide.
    Entry { plugin: "scores of devices", draw: devices, fields: DEVICES, behaviors: &[] },
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

const DEVICES: &[&str] = &[
    "arguments.NodeResourcesFit.scoringStrategy.type=LeastAllocated",
    "arguments.NodeResourcesFit.scoringStrategy.type=MostAllocated",
    "arguments.NodeResourcesFit.scoringStrategy.type=RequestedToCapacityRatio",
    "arguments.NodeResourcesFit.scoringStrategy.resources[].name=example.com/gpu",
    "arguments.NodeResourcesFit.scoringStrategy.resources[].name=deviceclass.resource.kubernetes.io/any",
    "arguments.NodeResourcesBalancedAllocation.resources[].name=example.com/gpu",
    "arguments.NodeResourcesBalancedAllocation.resources[].name=deviceclass.resource.kubernetes.io/any",
    "node.status.allocatable.cpu",
    "node.status.allocatable.example.com/gpu=0",
    "node.status.allocatable.example.com/gpu=4",
    "node.metadata.labels.topology.kubernetes.io/zone",
    "deviceclass.spec.extendedResourceName=example.com/gpu",
    "deviceclass.spec.selectors[].cel.expression",
    "resourceslice.spec.pool.generation",
    "resourceslice.spec.nodeName",
    "resourceslice.spec.nodeSelector",
    "resourceslice.spec.allNodes=true",
    "resourceslice.spec.perDeviceNodeSelection=true",
    "resourceslice.spec.devices[].attributes.model.string",
    "resourceclaim.status.allocation.devices.results[].device=d0",
    "resourceclaim.status.allocation.devices.results[].adminAccess=true",
    "resourceclaim.status.allocation.devices.results[].shareID",
    "pod.spec.containers[].resources.requests.example.com/gpu",
    "pod.spec.containers[].resources.requests.deviceclass.resource.kubernetes.io/any",
    "pod.spec.initContainers[].resources.requests.example.com/gpu",
];

fn devices() -> Draw {
    Draw {
        nodes: [spread::topology(), vec![nodes::allocatable(), claims::of_device_plugin()]].concat(),
        pods: vec![claims::extended()],
        objects: claims::all(),
        arguments: arguments::of_scores(),
        settle: scored::settle,
        ..Draw::plain()
    }
}

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
