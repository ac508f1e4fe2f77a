//! The outcomes of a scheduler that has all permissions, and the permissions that each outcome needs.

use anyhow::Result;
use futures::future::BoxFuture;

use super::rules::Rule;
use super::scene::Scene;

/// An outcome that is visible at the API server.
pub struct Outcome {
    /// A sentence for messages.
    pub description: &'static str,
    /// The requests that the outcome needs, each as verb and resource.
    needs: &'static [(&'static str, &'static str)],
    /// Returns true if the outcome has happened.
    pub has_happened: fn(&Scene) -> BoxFuture<'_, Result<bool>>,
}

/// The outcomes while the scheduler runs, in the order in which the test waits for them.
pub static WHILE_RUNNING: [Outcome; 19] = [
    Outcome {
        description: "the scheduler has held its Lease",
        needs: &[("get", "leases"), ("create", "leases")],
        has_happened: |scene| Box::pin(scene.has_led()),
    },
    Outcome {
        description: "the Lease has an event about the new leader",
        needs: &[("get", "leases"), ("create", "leases"), ("create", "events")],
        has_happened: |scene| Box::pin(scene.has_event(&scene.lease, "LeaderElection")),
    },
    Outcome {
        description: "a pod is placed on a node, both created after the scheduler had started",
        needs: &[
            ("list", "pods"),
            ("watch", "pods"),
            ("list", "nodes"),
            ("watch", "nodes"),
            ("create", "pods/binding"),
        ],
        has_happened: |scene| Box::pin(scene.has_node(&scene.small)),
    },
    Outcome {
        description: "a pod that fits nowhere has a message in its condition",
        needs: &[("patch", "pods/status")],
        has_happened: |scene| Box::pin(scene.is_unschedulable(&scene.large)),
    },
    Outcome {
        description: "an event gives the reason why that pod fits nowhere",
        needs: &[("create", "events")],
        has_happened: |scene| Box::pin(scene.has_event(&scene.large, "FailedScheduling")),
    },
    Outcome {
        description: "an event of the scheduler's own pod names the refused plugin",
        needs: &[("get", "pods"), ("create", "events")],
        has_happened: |scene| Box::pin(scene.has_event(&scene.own, "PluginRefused")),
    },
    Outcome {
        description: "an event counts the repeated refusals of the plugin",
        needs: &[("patch", "events")],
        has_happened: |scene| Box::pin(scene.has_counted_event(&scene.own, "PluginRefused")),
    },
    Outcome {
        description: "pods of a Service are spread",
        needs: &[("list", "services"), ("watch", "services")],
        has_happened: |scene| Box::pin(scene.has_spread("Service")),
    },
    Outcome {
        description: "pods of a ReplicationController are spread",
        needs: &[("list", "replicationcontrollers"), ("watch", "replicationcontrollers")],
        has_happened: |scene| Box::pin(scene.has_spread("ReplicationController")),
    },
    Outcome {
        description: "pods of a ReplicaSet are spread",
        needs: &[("list", "replicasets"), ("watch", "replicasets")],
        has_happened: |scene| Box::pin(scene.has_spread("ReplicaSet")),
    },
    Outcome {
        description: "pods of a StatefulSet are spread",
        needs: &[("list", "statefulsets"), ("watch", "statefulsets")],
        has_happened: |scene| Box::pin(scene.has_spread("StatefulSet")),
    },
    Outcome {
        description: "a pod is on the node that its affinity to pods of other namespaces requires",
        needs: &[("list", "namespaces"), ("watch", "namespaces")],
        has_happened: |scene| Box::pin(scene.is_affine_pod_placed()),
    },
    Outcome {
        description: "a pod with a volume is not on the node without a free volume slot",
        needs: &[
            ("list", "persistentvolumeclaims"),
            ("watch", "persistentvolumeclaims"),
            ("list", "persistentvolumes"),
            ("watch", "persistentvolumes"),
            ("list", "csinodes"),
            ("watch", "csinodes"),
            ("list", "volumeattachments"),
            ("watch", "volumeattachments"),
        ],
        has_happened: |scene| Box::pin(scene.volumes.is_on_node_with_free_slot()),
    },
    Outcome {
        description: "a claim's selected node is the node with storage capacity",
        needs: &[
            ("list", "storageclasses"),
            ("watch", "storageclasses"),
            ("list", "csidrivers"),
            ("watch", "csidrivers"),
            ("list", "csistoragecapacities"),
            ("watch", "csistoragecapacities"),
            ("patch", "persistentvolumeclaims"),
        ],
        has_happened: |scene| Box::pin(scene.volumes.is_node_selected()),
    },
    Outcome {
        description: "a volume is reserved for a claim",
        needs: &[("patch", "persistentvolumes")],
        has_happened: |scene| Box::pin(scene.volumes.is_volume_reserved()),
    },
    Outcome {
        description: "a pod's claim has the device that it requests",
        needs: &[
            ("list", "resourceclaims"),
            ("watch", "resourceclaims"),
            ("list", "resourceslices"),
            ("watch", "resourceslices"),
            ("list", "deviceclasses"),
            ("watch", "deviceclasses"),
            ("patch", "resourceclaims"),
            ("patch", "resourceclaims/status"),
            ("patch", "resourceclaims/binding"),
        ],
        has_happened: |scene| Box::pin(scene.devices.is_claim_allocated()),
    },
    Outcome {
        description: "a new claim for a pod's extended resource replaces the claim of an earlier attempt",
        needs: &[("create", "resourceclaims"), ("delete", "resourceclaims")],
        has_happened: |scene| Box::pin(scene.devices.has_new_claim()),
    },
    Outcome {
        description: "a pod preempts a pod of lower priority that no budget protects",
        needs: &[
            ("list", "poddisruptionbudgets"),
            ("watch", "poddisruptionbudgets"),
            ("patch", "pods/status"),
            ("delete", "pods"),
        ],
        has_happened: |scene| Box::pin(scene.has_preempted()),
    },
    Outcome {
        description: "the answer about a new pod knows the pod's PriorityClass",
        needs: &[("list", "priorityclasses")],
        has_happened: |scene| Box::pin(scene.knows_priority()),
    },
];

static AT_THE_END: Outcome = Outcome {
    description: "the Lease is released at the end",
    needs: &[("update", "leases")],
    has_happened: |scene| Box::pin(scene.is_lease_released()),
};

/// Returns all outcomes.
pub fn all() -> impl Iterator<Item = &'static Outcome> {
    WHILE_RUNNING.iter().chain([&AT_THE_END])
}

/// Returns the outcomes that need this rule.
pub fn needing(rule: &Rule) -> Vec<&'static str> {
    let needed = (rule.verb.as_str(), rule.resource.as_str());
    all().filter(|outcome| outcome.needs.contains(&needed)).map(|outcome| outcome.description).collect()
}
