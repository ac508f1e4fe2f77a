//! The outcomes of a scheduler that has all permissions, and the permissions that each outcome needs.

use anyhow::Result;
use futures::future::BoxFuture;

use super::rules::Rule;
use super::scene::Scene;

/// An outcome that is visible at the API server.
pub struct Outcome {
    /// A description that follows `and yet`.
    pub what: &'static str,
    /// The requests that it needs, each as verb and resource.
    needs: &'static [(&'static str, &'static str)],
    /// Returns whether it has happened.
    pub shows: fn(&Scene) -> BoxFuture<'_, Result<bool>>,
}

/// The outcomes while the scheduler runs, in the order in which they happen.
pub static WHILE_IT_RUNS: [Outcome; 18] = [
    Outcome {
        what: "it has led",
        needs: &[("get", "leases"), ("create", "leases")],
        shows: |scene| Box::pin(scene.has_led()),
    },
    Outcome {
        what: "an event of the Lease says that it led",
        needs: &[("get", "leases"), ("create", "leases"), ("create", "events")],
        shows: |scene| Box::pin(scene.has_event(&scene.lease, "LeaderElection")),
    },
    Outcome {
        what: "a pod is placed on a node, both of which came after it had begun",
        needs: &[
            ("list", "pods"),
            ("watch", "pods"),
            ("list", "nodes"),
            ("watch", "nodes"),
            ("create", "pods/binding"),
        ],
        shows: |scene| Box::pin(scene.has_node(&scene.small)),
    },
    Outcome {
        what: "a pod that fits nowhere has a message in its condition",
        needs: &[("patch", "pods/status")],
        shows: |scene| Box::pin(scene.is_unschedulable(&scene.large)),
    },
    Outcome {
        what: "an event says why that pod fits nowhere",
        needs: &[("create", "events")],
        shows: |scene| Box::pin(scene.has_event(&scene.large, "FailedScheduling")),
    },
    Outcome {
        what: "an event of its own pod names the plugin that it refused",
        needs: &[("get", "pods"), ("create", "events")],
        shows: |scene| Box::pin(scene.has_event(&scene.own, "PluginRefused")),
    },
    Outcome {
        what: "that the plugin was refused again is counted",
        needs: &[("patch", "events")],
        shows: |scene| Box::pin(scene.has_counted_event(&scene.own, "PluginRefused")),
    },
    Outcome {
        what: "pods of a Service are spread",
        needs: &[("list", "services"), ("watch", "services")],
        shows: |scene| Box::pin(scene.has_spread("Service")),
    },
    Outcome {
        what: "pods of a ReplicationController are spread",
        needs: &[("list", "replicationcontrollers"), ("watch", "replicationcontrollers")],
        shows: |scene| Box::pin(scene.has_spread("ReplicationController")),
    },
    Outcome {
        what: "pods of a ReplicaSet are spread",
        needs: &[("list", "replicasets"), ("watch", "replicasets")],
        shows: |scene| Box::pin(scene.has_spread("ReplicaSet")),
    },
    Outcome {
        what: "pods of a StatefulSet are spread",
        needs: &[("list", "statefulsets"), ("watch", "statefulsets")],
        shows: |scene| Box::pin(scene.has_spread("StatefulSet")),
    },
    Outcome {
        what: "a pod is where its affinity to pods of certain namespaces wants it",
        needs: &[("list", "namespaces"), ("watch", "namespaces")],
        shows: |scene| Box::pin(scene.friend_is_beside()),
    },
    Outcome {
        what: "a pod keeps off a node that takes no more volumes",
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
        shows: |scene| Box::pin(scene.volumes.are_where_there_is_room()),
    },
    Outcome {
        what: "a claim names the node with room on which its volume is to be made",
        needs: &[
            ("list", "storageclasses"),
            ("watch", "storageclasses"),
            ("list", "csidrivers"),
            ("watch", "csidrivers"),
            ("list", "csistoragecapacities"),
            ("watch", "csistoragecapacities"),
            ("patch", "persistentvolumeclaims"),
        ],
        shows: |scene| Box::pin(scene.volumes.node_is_selected()),
    },
    Outcome {
        what: "a volume is set aside for a claim",
        needs: &[("patch", "persistentvolumes")],
        shows: |scene| Box::pin(scene.volumes.volume_is_set_aside()),
    },
    Outcome {
        what: "a pod's claim has the device that it asks for",
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
        shows: |scene| Box::pin(scene.devices.are_allocated()),
    },
    Outcome {
        what: "a claim is made for a pod's extended resource, in the place of one that was left",
        needs: &[("create", "resourceclaims"), ("delete", "resourceclaims")],
        shows: |scene| Box::pin(scene.devices.are_made_anew()),
    },
    Outcome {
        what: "a pod takes the place of a less important one, where no budget protects that",
        needs: &[
            ("list", "poddisruptionbudgets"),
            ("watch", "poddisruptionbudgets"),
            ("patch", "pods/status"),
            ("delete", "pods"),
        ],
        shows: |scene| Box::pin(scene.important_is_there()),
    },
];

static AT_THE_END: Outcome = Outcome {
    what: "its Lease is given up at the end",
    needs: &[("update", "leases")],
    shows: |scene| Box::pin(scene.lease_is_given_up()),
};

/// Returns all outcomes.
pub fn all() -> impl Iterator<Item = &'static Outcome> {
    WHILE_IT_RUNS.iter().chain([&AT_THE_END])
}

/// Returns the outcomes that need this rule.
pub fn that_need(rule: &Rule) -> Vec<&'static str> {
    let needed = (rule.verb.as_str(), rule.resource.as_str());
    all().filter(|outcome| outcome.needs.contains(&needed)).map(|outcome| outcome.what).collect()
}
