//! DynamicResources, the plugin that allocates devices.

use super::Behavior::{Fails, Filters, KeepsWaiting, Requeues, Scores, Skips};
use super::Entry;
use crate::draw::{Draw, claims, spread};

/// The rows that this file adds to the table of [`super::all`].
pub const ENTRIES: &[Entry] = &[Entry {
    plugin: "DynamicResources",
    draw: || Draw {
        nodes: [spread::topology(), vec![claims::of_device_plugin()]].concat(),
        pods: vec![claims::of_pod(), claims::extended()],
        objects: claims::all(),
        settle: claims::settle,
        ..Draw::plain()
    },
    fields: &[
        "deviceclass.spec.selectors[].cel.expression",
        "deviceclass.spec.config",
        "resourceslice.spec.pool.generation",
        "resourceslice.spec.nodeName",
        "resourceslice.spec.nodeSelector",
        "resourceslice.spec.allNodes=true",
        "resourceslice.spec.perDeviceNodeSelection=true",
        "resourceslice.spec.sharedCounters",
        "resourceslice.spec.devices[].attributes.model.string",
        "resourceslice.spec.devices[].attributes.index.int",
        "resourceslice.spec.devices[].attributes.healthy.bool",
        "resourceslice.spec.devices[].attributes.version.version",
        "resourceslice.spec.devices[].capacity.memory.value",
        "resourceslice.spec.devices[].capacity.memory.requestPolicy.validRange",
        "resourceslice.spec.devices[].capacity.memory.requestPolicy.validValues",
        "resourceslice.spec.devices[].allowMultipleAllocations=true",
        "resourceslice.spec.devices[].consumesCounters",
        "resourceslice.spec.devices[].taints[].effect=NoSchedule",
        "resourceslice.spec.devices[].taints[].effect=NoExecute",
        "resourceslice.spec.devices[].bindingConditions",
        "resourceclaim.spec.devices.requests[].exactly.allocationMode=ExactCount",
        "resourceclaim.spec.devices.requests[].exactly.allocationMode=All",
        "resourceclaim.spec.devices.requests[].exactly.selectors",
        "resourceclaim.spec.devices.requests[].exactly.tolerations",
        "resourceclaim.spec.devices.requests[].exactly.capacity.requests",
        "resourceclaim.spec.devices.requests[].firstAvailable",
        "resourceclaim.spec.devices.constraints[].matchAttribute",
        "resourceclaim.spec.devices.constraints[].distinctAttribute",
        "resourceclaim.status.allocation.nodeSelector",
        "resourceclaim.status.allocation.devices.results[].adminAccess=true",
        "resourceclaim.status.allocation.devices.results[].shareID",
        "resourceclaim.status.devices[].conditions",
        "deviceclass.spec.extendedResourceName",
        "node.status.allocatable.example.com/gpu",
        "pod.spec.resourceClaims[].resourceClaimName",
        "pod.spec.containers[].resources.requests.example.com/gpu",
        "pod.spec.containers[].resources.requests.deviceclass.resource.kubernetes.io/any",
        "pod.spec.initContainers[].resources.requests.example.com/gpu",
    ],
    behaviors: &[Filters, Scores, Skips, Fails, Requeues, KeepsWaiting],
}];
