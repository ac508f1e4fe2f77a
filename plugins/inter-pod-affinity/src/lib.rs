//! InterPodAffinity: places pods by affinity and anti-affinity to other pods.
//!
//! Reads `spec.affinity.podAffinity` and `podAntiAffinity`, labels and namespace of the incoming pod and of the pods
//! on nodes; the labels of nodes, whose values define topology domains; and the labels of namespaces, which terms
//! may select. A node is rejected if it violates a required affinity of the pod, or a required anti-affinity of the
//! pod or of a pod on a node. Preferred terms score in both directions. All as in kube-scheduler v1.36. The API
//! server has merged `matchLabelKeys` and `mismatchLabelKeys` into the selectors.
//!
//! The plugin groups the pods on nodes. It computes the sums of a pod signature once and then updates them with each
//! added or deleted pod. Nodes belong to the same class if they are in the same domain of each topology key, or in
//! domains with the same sums. For a known pod signature, the work depends on the number of classes, not on the number
//! of nodes.

mod args;
mod by_class;
mod cluster;
mod filtering;
mod hints;
mod scoring;
mod tally;
mod terms;

use args::Args;
use berth_guest::prelude::*;
use berth_guest::room::Place;
use berth_guest::{ClusterEvent, EventActions};
use by_class::{classify, score_classes};
use cluster::Cluster;
use filtering::{filter_nodes, pre_filter};
use hints::queueing_hint;
use scoring::{normalize, pre_score, score_nodes};
use tally::{Incoming, Tally};
use terms::Terms;

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    incoming: Incoming,
    /// True if the pod has preferred terms.
    prefers: bool,
    tally: Place<Tally>,
}

fn prepare(namespace: &pod::Namespace, labels: &pod::Labels, affinity: &pod::PodAffinity) -> PreparedPod {
    PreparedPod {
        incoming: Incoming { namespace: namespace.clone(), labels: labels.clone(), terms: Terms::new(affinity) },
        prefers: !affinity.affinity.preferred.is_empty() || !affinity.anti_affinity.preferred.is_empty(),
        tally: Place::default(),
    }
}

impl PreparedPod {
    /// Updates the sums and passes them to `read`.
    fn read<R>(&self, args: &Args, cluster: &Cluster, read: impl FnOnce(&mut Tally) -> R) -> R {
        let (result, bytes) = {
            let mut tally = self.tally.open(&cluster.room);
            let tally = tally.get_or_insert_default();
            tally.catch_up(&self.incoming, args, cluster);
            (read(tally), tally.bytes())
        };
        self.tally.takes(bytes, &cluster.room);
        result
    }
}

berth_guest::plugin!(
    name: "InterPodAffinity",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
    pre_score: pre_score,
    score_nodes: score_nodes,
    normalize: normalize,
    classify: classify,
    score_classes: score_classes,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("Pod", EventActions::ADD | EventActions::UPDATE_LABELS | EventActions::DELETE),
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_LABELS),
    ],
);

#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod tests;
