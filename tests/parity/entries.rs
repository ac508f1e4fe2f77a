//! The table: for each plugin what cases of its own are drawn from, and the fields that they have to have shown.
//!
//! A further plugin is a further entry.

use crate::draw::containers::Containers;
use crate::draw::{Draw, affinity, arguments, nodes, pods};

/// Cases drawn for one plugin. All plugins are asked about them.
pub struct Entry {
    /// Its name.
    pub plugin: &'static str,
    /// What the cases are made of.
    pub draw: fn() -> Draw,
    /// Paths that have to occur among them; `=value` where that value has to.
    pub fields: &'static [&'static str],
    /// What the plugin has to have done at least once, that there was something to compare.
    pub does: &'static [Does],
}

/// Something that a plugin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// Rejects a node, but not all of them.
    Filters,
    /// Gives nodes different scores.
    Scores,
    /// Has nothing to filter.
    Skips,
    /// Can't tell.
    Fails,
}

use Does::{Fails, Filters, Scores, Skips};

/// The table.
pub const ENTRIES: &[Entry] = &[
    Entry {
        plugin: "NodeUnschedulable",
        draw: || Draw {
            nodes: vec![nodes::unschedulable(), nodes::taints()],
            pods: vec![pods::tolerations()],
            ..Draw::plain()
        },
        fields: &[
            "node.spec.unschedulable=true",
            "node.spec.unschedulable=false",
            "pod.spec.tolerations[].key=node.kubernetes.io/unschedulable",
        ],
        does: &[Filters],
    },
    Entry {
        plugin: "NodeName",
        draw: || Draw { pods: vec![pods::node_name()], ..Draw::plain() },
        fields: &["pod.spec.nodeName=n0", "pod.spec.nodeName=n9"],
        does: &[Filters],
    },
    Entry {
        plugin: "TaintToleration",
        draw: || Draw { nodes: vec![nodes::taints()], pods: vec![pods::tolerations()], ..Draw::plain() },
        fields: &[
            "node.spec.taints[].key",
            "node.spec.taints[].value",
            "node.spec.taints[].effect=NoSchedule",
            "node.spec.taints[].effect=PreferNoSchedule",
            "node.spec.taints[].effect=NoExecute",
            "pod.spec.tolerations[].key",
            "pod.spec.tolerations[].operator=Equal",
            "pod.spec.tolerations[].operator=Exists",
            "pod.spec.tolerations[].value",
            "pod.spec.tolerations[].effect=NoSchedule",
            "pod.spec.tolerations[].effect=PreferNoSchedule",
            "pod.spec.tolerations[].effect=NoExecute",
            "pod.spec.tolerations[].tolerationSeconds",
        ],
        does: &[Filters, Scores],
    },
    Entry {
        plugin: "NodeAffinity",
        draw: || Draw {
            nodes: vec![nodes::labels()],
            pods: affinity::of_pod(),
            arguments: arguments::node_affinity(),
            ..Draw::plain()
        },
        fields: &[
            "node.metadata.labels",
            "pod.spec.nodeSelector",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=In",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=NotIn",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=Exists",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=DoesNotExist",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=Gt",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchExpressions[].operator=Lt",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchFields[].operator=In",
            "pod.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[].matchFields[].operator=NotIn",
            "pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].weight",
            "pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].preference.matchExpressions",
            "pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[].preference.matchFields",
            "arguments.NodeAffinity.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution",
            "arguments.NodeAffinity.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        ],
        does: &[Filters, Scores, Skips, Fails],
    },
    Entry {
        plugin: "NodePorts",
        draw: || Draw {
            pods: Containers { ports: true, init: true, ..Containers::default() }.parts(),
            residents: vec![pods::ending()],
            ..Draw::plain()
        },
        fields: &[
            "pod.spec.containers[].ports[].hostPort",
            "pod.spec.containers[].ports[].hostIP=0.0.0.0",
            "pod.spec.containers[].ports[].hostIP=10.0.0.1",
            "pod.spec.containers[].ports[].hostIP=::",
            "pod.spec.containers[].ports[].protocol=TCP",
            "pod.spec.containers[].ports[].protocol=UDP",
            "pod.spec.containers[].ports[].protocol=SCTP",
            "pod.spec.initContainers[].ports[].hostPort",
            "pod.spec.initContainers[].restartPolicy=Always",
            "resident.spec.containers[].ports[].hostPort",
            "resident.spec.initContainers[].ports[].hostPort",
        ],
        does: &[Filters, Skips],
    },
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
    Entry {
        plugin: "ImageLocality",
        draw: || Draw {
            nodes: vec![nodes::images()],
            pods: [
                Containers { images: true, init: true, ..Containers::default() }.parts(),
                vec![pods::image_volumes()],
            ]
            .concat(),
            ..Draw::plain()
        },
        fields: &[
            "node.status.images[].names",
            "node.status.images[].sizeBytes",
            "pod.spec.containers[].image=app",
            "pod.spec.containers[].image=registry:5000/app",
            "pod.spec.initContainers[].image",
            "pod.spec.volumes[].image.reference",
        ],
        does: &[Scores],
    },
    Entry { plugin: "all of them", draw: everything, fields: &[], does: &[] },
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

impl Draw {
    fn plain() -> Self {
        Self { nodes: Vec::new(), pods: Vec::new(), residents: Vec::new(), arguments: arguments::none() }
    }
}

fn resources(arguments: crate::draw::parts::Part) -> Draw {
    Draw {
        nodes: vec![nodes::allocatable()],
        pods: [
            Containers { requests: true, init: true, ..Containers::default() }.parts(),
            vec![pods::overhead(), pods::resources()],
        ]
        .concat(),
        residents: [pods::resize(), vec![pods::ending()]].concat(),
        arguments,
    }
}

fn everything() -> Draw {
    let containers = Containers { requests: true, ports: true, images: true, init: true };
    Draw {
        nodes: vec![nodes::labels(), nodes::taints(), nodes::unschedulable(), nodes::allocatable(), nodes::images()],
        pods: [
            containers.parts(),
            affinity::of_pod(),
            vec![pods::tolerations(), pods::overhead(), pods::resources(), pods::image_volumes()],
        ]
        .concat(),
        residents: [pods::resize(), vec![pods::ending()]].concat(),
        arguments: arguments::all(),
    }
}
