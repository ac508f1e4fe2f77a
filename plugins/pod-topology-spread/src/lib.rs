//! PodTopologySpread: spreads pods evenly over domains, such as zones or nodes.
//!
//! Reads `spec.topologySpreadConstraints` of the pod. For a pod without constraints, reads its labels and
//! controller, and the selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets, from which the
//! selectors of the default constraints are derived. Counts the pods of the same namespace that a constraint selects
//! and that are not being deleted, by the value of a label of their nodes. The pod's node affinity and tolerations
//! decide which nodes count. All as in kube-scheduler v1.36.
//!
//! The plugin computes the counts of a pod signature once and then updates them with each added or deleted pod. Nodes
//! belong to the same class if they are in the same domain of each constraint, or in domains with the same counts.
//! For a known pod signature, the work depends on the number of classes, not on the number of nodes.

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
use tally::CountingRules;

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    counting: CountingRules,
    labels: pod::Labels,
    owners: pod::Owners,
    /// The pod's own constraints, or `None` if the pod has none.
    own: Option<OwnConstraints>,
    counts: Place<Counts>,
    /// The weight of a pod in the score, for each `ScheduleAnyway` constraint. Set by the last pre-score.
    weights: RefCell<Vec<f64>>,
}

/// The pod's own constraints by action, or an error for an invalid selector.
struct OwnConstraints {
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
) -> PreparedPod {
    let own = |action| constraint::of_pod(spread, labels, action);
    let anywhere = affinity.node_selector.is_empty() && affinity.required.is_none();
    PreparedPod {
        counting: CountingRules {
            namespace: namespace.clone(),
            affinity: (!anywhere).then(|| Required::new(affinity)),
            tolerations: tolerations.clone(),
        },
        labels: labels.clone(),
        owners: owners.clone(),
        own: (!spread.is_empty())
            .then(|| OwnConstraints { hard: own(Action::DoNotSchedule), soft: own(Action::ScheduleAnyway) }),
        counts: Place::default(),
        weights: RefCell::default(),
    }
}

/// Returns true if the pod has no constraints and no Service or controller gives it default constraints.
fn skip(pod: &PreparedPod, args: &Args, cluster: &Cluster) -> bool {
    let no_defaults = |action| pod.defaults(action, args, cluster).is_empty();
    pod.own.is_none() && [Action::DoNotSchedule, Action::ScheduleAnyway].into_iter().all(no_defaults)
}

berth_guest::plugin!(
    name: "PodTopologySpread",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    prepare: prepare => PreparedPod,
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
