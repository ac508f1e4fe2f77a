//! Counts of the pods that a constraint selects. The counts of a pod signature are computed once, then updated with
//! each added or deleted pod.

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

/// The counts of a pod signature for its constraints with one `whenUnsatisfiable` action.
#[derive(Debug)]
pub struct Tally {
    /// An entry for each constraint.
    pub counts: Vec<Count>,
    /// If true, only nodes with the labels of all constraints count.
    all_keys: bool,
    /// True for the constraints of the score. The score needs the number of domains among the scored nodes, so class
    /// keys contain the domain even if the cluster has few nodes per domain.
    all_domains: bool,
    /// Nodes whose counts may have changed since the classes were updated.
    pub touched: Touched,
    /// The versions of the inputs at the last update; `None` before the first computation.
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
    /// True if the key has few domains. Class keys then contain the index of the domain instead of the number of pods.
    pub by_domain: bool,
    /// By group of pods: true if the constraint selects the group's pods.
    selects: PerGroup<bool>,
}

/// Counts of pods.
#[derive(Debug)]
pub enum PodCounts {
    /// By domain, only the pods on nodes that count. `counting` is indexed by node id: true if the node counts.
    Domains { domains: Domains, counting: Vec<bool> },
    /// By node id, including nodes that do not count.
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
/// kube-scheduler reads a missing label as an empty value, so nodes without the label and nodes with an empty value are
/// in one domain.
pub fn counted_in(topology: &Topology, node: node::Id, all_keys: bool) -> Option<usize> {
    let domain = topology.domain(node);
    if all_keys { domain } else { domain.or_else(|| topology.domain_with("")) }
}

impl PodCounts {
    /// Adds `by` pods on `node`, or removes pods if `by` is negative. The pods of `node` are counted in `domain`.
    fn add(&mut self, node: node::Id, by: i32, domain: Option<usize>) {
        match self {
            PodCounts::Nodes(pods) => {
                // The host may add a pod before it adds the pod's node.
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
