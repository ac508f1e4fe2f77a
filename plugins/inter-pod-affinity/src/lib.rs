//! InterPodAffinity: pods are placed near to or away from other pods.
//!
//! Reads `spec.affinity.podAffinity` and `podAntiAffinity`, labels and namespace, of the pod and of the pods on nodes; the nodes'
//! labels, whose values are the domains in which pods are near each other; and the labels of namespaces, which terms may select. A
//! pod may not go where it breaks a required anti-affinity, its own or that of a pod there; what is preferred scores in both
//! directions. As kube-scheduler v1.36 does. `matchLabelKeys` and `mismatchLabelKeys` are in the selectors, where the API server
//! has put them.
//!
//! Pods on nodes are looked at in groups, and the sums of a template are made once and then follow each pod that comes or leaves.
//! Nodes in one domain of each key, or in domains with the same sums, are a class: a pod like the one before costs a step for each
//! class.

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

/// Once a template.
pub struct Wanted {
    incoming: Incoming,
    /// It has preferred terms.
    prefers: bool,
    tally: Place<Tally>,
}

fn prepare(namespace: &pod::Namespace, labels: &pod::Labels, affinity: &pod::PodAffinity) -> Wanted {
    Wanted {
        incoming: Incoming { namespace: namespace.clone(), labels: labels.clone(), terms: Terms::new(affinity) },
        prefers: !affinity.affinity.preferred.is_empty() || !affinity.anti_affinity.preferred.is_empty(),
        tally: Place::default(),
    }
}

impl Wanted {
    /// Reads the sums, as things are.
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
    index: Cluster,
    prepare: prepare => Wanted,
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
