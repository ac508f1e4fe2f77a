//! The plugin's index: the pods on nodes and what they use, the nominated pods, and the quotas.

use std::collections::BTreeMap;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::plugin::NoArgs;
use berth_guest::{node, pod};
use berth_preemption::{Cluster, budget_kind};

use crate::amounts::Amounts;
use crate::quotas::{self, Quotas};
use crate::usage::Usage;

/// The plugin's index.
#[derive(Debug, Default)]
pub struct Capacity {
    /// The nodes, the pods on them, and PodDisruptionBudgets.
    pub cluster: Cluster,
    /// The resources that the pods on nodes request.
    pub usage: Usage,
    /// The ElasticQuotas.
    pub quotas: Quotas,
    /// The pending pods with a nominated node.
    nominated: BTreeMap<pod::Id, PendingPod>,
}

/// A pending pod.
#[derive(Debug, PartialEq, Eq)]
pub struct PendingPod {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `spec.priority`.
    pub priority: i32,
    /// The requests of the pod's spec.
    pub requests: Amounts,
    /// `status.nominatedNodeName`; empty if absent.
    pub nominated_node: String,
}

/// What a pending pod requests, alone and together with nominated pods.
#[derive(Debug, Default)]
pub struct Demand {
    /// The pod's own requests.
    pub own: Amounts,
    /// The requests that count for the quota of the pod's namespace.
    pub of_namespace: Amounts,
    /// The requests that count for all quotas together.
    pub of_all: Amounts,
}

/// All quotas together.
#[derive(Debug, Default)]
pub struct Totals {
    /// The sum of the min of all quotas.
    pub min: Amounts,
    /// The sum of what the namespaces with a quota use.
    pub used: Amounts,
}

/// The position of a kind in the list that [`Capacity`] declares.
const ELASTIC_QUOTA: usize = 0;

type PodFacts<'a> = (
    &'a pod::Name,
    &'a pod::Namespace,
    &'a pod::Labels,
    &'a pod::Priority,
    &'a pod::StartTime,
    &'a pod::Requests,
    &'a pod::Deleting,
);

type PendingFacts<'a> = (&'a pod::Namespace, &'a pod::Priority, &'a pod::Requests, &'a pod::NominatedNode);

impl Index for Capacity {
    type Nodes = node::Name;
    type Pods = (pod::Name, pod::Namespace, pod::Labels, pod::Priority, pod::StartTime, pod::Requests, pod::Deleting);
    type PendingPods = (pod::Namespace, pod::Priority, pod::Requests, pod::NominatedNode);

    fn new(_: &NoArgs) -> Capacity {
        Capacity::default()
    }

    fn node_set(&mut self, node: node::Id, name: &node::Name) {
        self.cluster.set_node(node, name);
    }

    fn node_removed(&mut self, node: node::Id) {
        self.cluster.remove_node(node);
    }

    fn pod_set(&mut self, id: pod::Id, node: node::Id, facts: PodFacts<'_>) {
        let (name, namespace, labels, priority, started, requests, deleting) = facts;
        self.cluster.set_pod(id, node, (name, namespace, labels, priority, started));
        self.usage.set(id, namespace, Amounts::from(&requests.fit), deleting.0);
    }

    fn pod_removed(&mut self, id: pod::Id) {
        self.cluster.remove_pod(id);
        self.usage.remove(id);
    }

    fn pending_pod_set(&mut self, id: pod::Id, facts: PendingFacts<'_>) {
        let (namespace, priority, requests, nominated) = facts;
        if nominated.is_empty() {
            self.nominated.remove(&id);
        } else {
            self.nominated.insert(id, PendingPod::new(namespace, priority, requests, nominated));
        }
    }

    fn pending_pod_removed(&mut self, id: pod::Id) {
        self.nominated.remove(&id);
    }

    fn kinds(_: &NoArgs) -> Vec<Kind> {
        vec![quotas::kind(), budget_kind()]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        match object.kind {
            ELASTIC_QUOTA => self.quotas.set(object),
            _ => self.cluster.budgets.set(object),
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            ELASTIC_QUOTA => self.quotas.remove(object),
            _ => self.cluster.budgets.remove(object),
        }
    }
}

impl PendingPod {
    /// Makes a pending pod from its facts.
    pub fn new(
        namespace: &str,
        priority: &pod::Priority,
        requests: &pod::Requests,
        nominated: &pod::NominatedNode,
    ) -> PendingPod {
        PendingPod {
            namespace: namespace.to_owned(),
            priority: priority.value,
            requests: Amounts::from(&requests.fit),
            nominated_node: nominated.0.clone(),
        }
    }
}

impl Capacity {
    /// Returns what a pod of a namespace with a quota requests together with the other nominated pods. Nominated pods
    /// of the pod's namespace count if they have at least its priority. Nominated pods of other namespaces count for
    /// all quotas together if their namespace does not use more than its min.
    pub fn demand(&self, pod: &PendingPod) -> Demand {
        let own = pod.requests.clone();
        let mut demand = Demand { of_namespace: own.clone(), of_all: own.clone(), own };
        // The pod itself is among the nominated pods if it has a nominated node. A pre-filter does not know the pod's
        // uid, so one pod that is equal in all facts is left out.
        let itself = self.nominated.iter().find(|(_, other)| *other == pod).map(|(id, _)| *id);
        for (id, other) in &self.nominated {
            if Some(*id) == itself || self.cluster.node(&other.nominated_node).is_none() {
                continue;
            }
            let Some(quota) = self.quotas.of(&other.namespace) else { continue };
            if other.namespace == pod.namespace {
                if other.priority >= pod.priority {
                    demand.of_namespace.add(&other.requests);
                    demand.of_all.add(&other.requests);
                }
            } else if !quota.is_over_min(self.usage.of(&other.namespace)) {
                demand.of_all.add(&other.requests);
            }
        }
        demand
    }

    /// Returns the min and the usage of all quotas together.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (namespace, quota) in self.quotas.iter() {
            totals.min.add(&quota.min);
            totals.used.add(self.usage.of(namespace));
        }
        totals
    }
}

impl Totals {
    /// Returns true if all namespaces with a quota would use more than the min of all quotas with this request.
    /// `used` is their usage.
    pub fn are_exceeded(&self, request: &Amounts, used: &Amounts) -> bool {
        // Each comparison has the resources that its first operand names.
        request.exceed(used, &self.min, 0) || used.exceed(request, &self.min, 0)
    }
}
