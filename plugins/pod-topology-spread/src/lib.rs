//! PodTopologySpread: pods are spread evenly over domains, such as zones or nodes.
//!
//! Reads `spec.topologySpreadConstraints` of the pod; of a pod without any, its labels and controller, and the selectors of
//! Services, ReplicationControllers, ReplicaSets and StatefulSets, from which the default constraints' follow. Counts the pods of
//! the same namespace that a constraint selects and that are not about to end, by the values of a label of their nodes; which nodes
//! count is decided by the pod's node affinity and tolerations. As kube-scheduler v1.36 does.
//!
//! The counts of a template are made once and then follow each pod that comes or leaves. Nodes in one domain of each constraint, or
//! for which as much is counted, are a class: a pod like the one before costs a step for each class.

mod args;
mod by_class;
mod cluster;
mod constraint;
mod counted;
mod counts;
mod filtering;
mod hints;
mod scoring;
mod tally;

use std::cell::RefCell;

use args::Args;
use berth_guest::prelude::*;
use berth_guest::room::Place;
use berth_guest::selector::Required;
use berth_guest::{ClusterEvent, EventActions};
use by_class::{classify, score_classes};
use cluster::Cluster;
use constraint::{Action, Constraint};
use counted::Counts;
use filtering::{filter_nodes, pre_filter};
use hints::queueing_hint;
use scoring::{normalize, pre_score, score_nodes};
use tally::Counting;

/// Once a template.
pub struct Wanted {
    counting: Counting,
    labels: pod::Labels,
    owners: pod::Owners,
    /// The pod's own constraints; `None` where it has none.
    own: Option<Own>,
    counts: Place<Counts>,
    /// What a pod counts in the score, for each constraint that is about that.
    weights: RefCell<Vec<f64>>,
}

/// By what they do to a pod that they don't fit; or what is wrong with a selector.
struct Own {
    hard: Result<Vec<Constraint>, String>,
    soft: Result<Vec<Constraint>, String>,
}

fn prepare(
    namespace: &pod::Namespace,
    labels: &pod::Labels,
    owners: &pod::Owners,
    spread: &pod::TopologySpread,
    affinity: &pod::NodeAffinity,
    tolerations: &pod::Tolerations,
) -> Wanted {
    let own = |action| constraint::of_pod(spread, labels, action);
    let anywhere = affinity.node_selector.is_empty() && affinity.required.is_none();
    Wanted {
        counting: Counting {
            namespace: namespace.clone(),
            affinity: (!anywhere).then(|| Required::new(affinity)),
            tolerations: tolerations.clone(),
        },
        labels: labels.clone(),
        owners: owners.clone(),
        own: (!spread.is_empty()).then(|| Own { hard: own(Action::DoNotSchedule), soft: own(Action::ScheduleAnyway) }),
        counts: Place::default(),
        weights: RefCell::default(),
    }
}

/// It has no constraints, and no object from which default ones follow is about it.
fn skip(pod: &Wanted, args: &Args, cluster: &Cluster) -> bool {
    let no_defaults = |action| pod.defaults(action, args, cluster).is_empty();
    pod.own.is_none() && [Action::DoNotSchedule, Action::ScheduleAnyway].into_iter().all(no_defaults)
}

berth_guest::plugin!(
    name: "PodTopologySpread",
    args: Args,
    index: Cluster,
    prepare: prepare => Wanted,
    skip: skip,
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
        ClusterEvent::new(
            "Node",
            EventActions::ADD | EventActions::DELETE | EventActions::UPDATE_LABELS | EventActions::UPDATE_TAINTS,
        ),
    ],
);

#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod tests;
