//! PodTopologySpread: pods are spread evenly over domains, such as zones or nodes.
//!
//! Reads `spec.topologySpreadConstraints` of the pod; of a pod without any, its labels and controller, and the selectors of
//! Services, ReplicationControllers, ReplicaSets and StatefulSets, from which the default constraints' follow. Counts the pods of
//! the same namespace that a constraint selects and that are not about to end, by the values of a label of their nodes; which nodes
//! count is decided by the pod's node affinity and tolerations. As kube-scheduler v1.36 does.
//!
//! The counts of a template are made once and then follow each pod that comes or leaves, so that a pod like the one before costs a
//! step for each node asked about and no more.

mod args;
mod cluster;
mod constraint;
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
use cluster::Cluster;
use constraint::{Action, Constraint, HOSTNAME};
use filtering::{filter_nodes, pre_filter};
use hints::queueing_hint;
use scoring::{normalize, pre_score, score_nodes};
use tally::{Counting, Tally};

/// Once a template.
pub struct Wanted {
    counting: Counting,
    labels: pod::Labels,
    owners: pod::Owners,
    /// The pod's own constraints; `None` where it has none.
    own: Option<Own>,
    /// Of what must be so.
    hard: Place<Counted>,
    /// Of what is better so.
    soft: Place<Counted>,
    /// What a pod counts in the score, for each constraint that is about that.
    weights: RefCell<Vec<f64>>,
}

/// By what they do to a pod that they don't fit; or what is wrong with a selector.
struct Own {
    hard: Result<Vec<Constraint>, String>,
    soft: Result<Vec<Constraint>, String>,
}

/// A tally, and what it follows from.
pub struct Counted {
    tally: Tally,
    /// The version of the selectors, where the constraints are defaults.
    selectors: u64,
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
        hard: Place::default(),
        soft: Place::default(),
        weights: RefCell::default(),
    }
}

impl Wanted {
    /// Nodes without the labels of all constraints are left out; only the system's own defaults are more lenient.
    fn needs_all_keys(&self, args: &Args) -> bool {
        self.own.is_some() || !args.system
    }

    /// The default constraints that do this, with what they select.
    fn defaults(&self, action: Action, args: &Args, cluster: &Cluster) -> Vec<Constraint> {
        let those = args.defaults.iter().filter(|default| default.action == action);
        let mut constraints: Vec<Constraint> = those.map(|default| default.constraint.clone()).collect();
        if !constraints.is_empty() {
            let selector = cluster.selectors.of_pod(&self.counting.namespace, &self.labels, &self.owners);
            if selector.is_everything() {
                return Vec::new();
            }
            constraints.iter_mut().for_each(|constraint| constraint.selector = selector.clone());
        }
        constraints
    }
}

impl Wanted {
    /// Reads the tally of the pod's constraints that do this, as things are; or tells what is wrong with them.
    fn read<R>(
        &self,
        action: Action,
        args: &Args,
        cluster: &Cluster,
        read: impl FnOnce(&Tally) -> R,
    ) -> Result<R, String> {
        let place = if action == Action::DoNotSchedule { &self.hard } else { &self.soft };
        let (result, bytes) = {
            let mut counted = place.open(&cluster.room);
            let known = self.as_things_are(counted.take(), action, args, cluster)?;
            let Counted { tally, .. } = counted.insert(known);
            tally.catch_up(&self.counting, cluster);
            (read(tally), tally.bytes())
        };
        place.takes(bytes, &cluster.room);
        Ok(result)
    }

    /// The tally that is known, where its constraints are still those.
    fn as_things_are(
        &self,
        known: Option<Counted>,
        action: Action,
        args: &Args,
        cluster: &Cluster,
    ) -> Result<Counted, String> {
        let selectors = cluster.selectors.version();
        let constraints = match (&known, &self.own) {
            (Some(_), Some(_)) => None,
            (Some(counted), None) if counted.selectors == selectors => None,
            (None, Some(own)) if action == Action::DoNotSchedule => Some(own.hard.clone()?),
            (None, Some(own)) => Some(own.soft.clone()?),
            (_, None) => Some(self.defaults(action, args, cluster)),
        };
        let tally = match (known, constraints) {
            (Some(known), None) => known.tally,
            (Some(known), Some(constraints)) if known.tally.is_of(&constraints) => known.tally,
            (_, constraints) => {
                // Pods of a host are scored host by host.
                let by_node = (action == Action::ScheduleAnyway).then_some(HOSTNAME);
                Tally::new(constraints.unwrap_or_default(), self.needs_all_keys(args), by_node, cluster)
            }
        };
        Ok(Counted { tally, selectors })
    }
}

berth_guest::plugin!(
    name: "PodTopologySpread",
    args: Args,
    index: Cluster,
    prepare: prepare => Wanted,
    pre_filter: pre_filter,
    filter_nodes: filter_nodes,
    pre_score: pre_score,
    score_nodes: score_nodes,
    normalize: normalize,
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
