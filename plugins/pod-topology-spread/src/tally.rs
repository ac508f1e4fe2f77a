//! Counts of the pods that a constraint selects. Computed once for each pod signature, then updated with each added or deleted
//! pod.

mod counting;

use berth_guest::classes::Touched;
use berth_guest::groups::PerGroup;
use berth_guest::selector::Required;
use berth_guest::topology::{Key, Topologies, Topology};
use berth_guest::{node, pod};

use crate::constraint::Constraint;
use crate::counts::Domains;

/// The properties of the pod to schedule that decide which nodes and pods count.
#[derive(Debug)]
pub struct CountingRules {
    /// `metadata.namespace`: pods of other namespaces don't count.
    pub namespace: pod::Namespace,
    /// `spec.nodeSelector` and the required node affinity; `None` if the pod has neither.
    pub affinity: Option<Required>,
    /// `spec.tolerations`.
    pub tolerations: pod::Tolerations,
}

/// The counts of a pod signature's constraints with one action.
#[derive(Debug)]
pub struct Tally {
    /// An entry for each constraint.
    pub counts: Vec<Count>,
    /// If true, only nodes with the labels of all constraints count.
    all_keys: bool,
    /// True if the score needs the number of domains among some nodes.
    all_domains: bool,
    /// Nodes whose counts may have changed since the classes were updated.
    pub touched: Touched,
    /// The versions of the inputs at the last update; `None` before the first count.
    seen: Option<InputVersions>,
}

/// The counts of a constraint.
#[derive(Debug)]
pub struct Count {
    /// The constraint.
    pub constraint: Constraint,
    /// The constraint's topology key.
    pub key: Key,
    /// The counts of pods.
    pub pod_counts: PodCounts,
    /// True if the key has few domains. Class keys then contain the domain instead of its count.
    pub by_domain: bool,
    /// Whether the constraint selects the pods of a group.
    selects: PerGroup<bool>,
}

/// Counts of pods.
#[derive(Debug)]
pub enum PodCounts {
    /// By domain, only for nodes that count.
    Domains { domains: Domains, counting: Vec<bool> },
    /// By node.
    Nodes(Vec<u32>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct InputVersions {
    topologies: u64,
    /// 0 if no constraint honors the pod's node affinity.
    affinity: u64,
    /// 0 if no constraint honors taints.
    taints: u64,
    position: u64,
}

impl Tally {
    /// Returns true if the tally is for exactly these constraints.
    pub fn is_of(&self, constraints: &[Constraint]) -> bool {
        self.counts.iter().map(|count| &count.constraint).eq(constraints)
    }

    /// Returns true if the node has the labels that it needs to count.
    pub fn has_keys(&self, topologies: &Topologies, node: node::Id) -> bool {
        !self.all_keys || self.counts.iter().all(|count| topologies.of(count.key).domain(node).is_some())
    }

    /// Returns true if only nodes with the labels of all constraints count.
    pub fn needs_all_keys(&self) -> bool {
        self.all_keys
    }

    /// Returns the approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let bytes_of = |pod_counts: &PodCounts| match pod_counts {
            PodCounts::Domains { domains, counting } => domains.bytes() + counting.capacity(),
            PodCounts::Nodes(pods) => pods.capacity() * size_of::<u32>(),
        };
        self.counts.iter().map(|count| bytes_of(&count.pod_counts) + count.selects.bytes()).sum()
    }
}

/// Returns the domain in which the pods of `node` are counted. If nodes without the label count (`all_keys` is false),
/// kube-scheduler reads a missing label as an empty value, so both are one domain.
pub fn counted_in(topology: &Topology, node: node::Id, all_keys: bool) -> Option<usize> {
    let domain = topology.domain(node);
    if all_keys { domain } else { domain.or_else(|| topology.domain_with("")) }
}

impl PodCounts {
    /// Adds pods on `node`, whose pods are counted in `domain`.
    fn add(&mut self, node: node::Id, by: i32, domain: Option<usize>) {
        match self {
            PodCounts::Nodes(pods) => {
                // A pod may come before its node.
                if node.at() >= pods.len() {
                    pods.resize(node.at() + 1, 0);
                }
                pods[node.at()] = pods[node.at()].wrapping_add_signed(by);
            }
            PodCounts::Domains { domains, counting } => {
                if counting.get(node.at()) == Some(&true)
                    && let Some(domain) = domain
                {
                    domains.add_pods(domain, by);
                }
            }
        }
    }
}
