//! Plugins that match a pod's requirements with a node.

use super::Behavior::{Fails, Filters, Scores, Skips};
use super::Entry;
use crate::draw::containers::Containers;
use crate::draw::{Draw, affinity, arguments, nodes, pods};

/// The rows that this file adds to the table of [`super::all`].
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
        behaviors: &[Filters],
    },
    Entry {
        plugin: "NodeName",
        draw: || Draw { pods: vec![pods::node_name()], ..Draw::plain() },
        fields: &["pod.spec.nodeName=n0", "pod.spec.nodeName=n9"],
        behaviors: &[Filters],
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
        behaviors: &[Filters, Scores],
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
        behaviors: &[Filters, Scores, Skips, Fails],
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
        behaviors: &[Filters, Skips],
    },
    Entry {
        plugin: "NodeDeclaredFeatures",
        draw: || Draw {
            nodes: vec![nodes::declared_features()],
            pods: [Containers { init: true, restart_rules: true, ..Containers::default() }.parts(), vec![pods::host()]]
                .concat(),
            ..Draw::plain()
        },
        fields: &[
            "node.status.declaredFeatures[]=RestartAllContainersOnContainerExits",
            "node.status.declaredFeatures[]=UserNamespacesHostNetworkSupport",
            "pod.spec.containers[].restartPolicyRules[].action=Restart",
            "pod.spec.containers[].restartPolicyRules[].action=RestartAllContainers",
            "pod.spec.initContainers[].restartPolicyRules[].action=RestartAllContainers",
            "pod.spec.hostNetwork=true",
            "pod.spec.hostUsers=false",
        ],
        behaviors: &[Filters, Skips],
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
        behaviors: &[Scores],
    },
];
