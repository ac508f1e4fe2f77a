//! Counts of the pods that a constraint selects. Computed once per template, then updated with each added or deleted
//! pod.

use berth_guest::classes::Touched;
use berth_guest::groups::{PerGroup, Step};
use berth_guest::node;
use berth_guest::selector::Required;
use berth_guest::topology::{Key, Topologies, Topology};
use berth_guest::{LabelMap, pod};

use crate::cluster::{Cluster, PodKey, Row};
use crate::constraint::Constraint;
use crate::counts::Domains;

/// A topology key with up to this many domains is represented by the domain in class keys.
const FEW: usize = 256;

/// The properties of the pod to schedule that decide which nodes and pods count.
#[derive(Debug)]
pub struct Counting {
    /// `metadata.namespace`: pods of other namespaces don't count.
    pub namespace: pod::Namespace,
    /// `spec.nodeSelector` and the required node affinity; `None` if the pod has neither.
    pub affinity: Option<Required>,
    /// `spec.tolerations`.
    pub tolerations: pod::Tolerations,
}

/// The counts of a template's constraints with one action.
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
    seen: Option<Seen>,
}

/// The counts of a constraint.
#[derive(Debug)]
pub struct Count {
    /// The constraint.
    pub constraint: Constraint,
    /// The constraint's topology key.
    pub key: Key,
    /// The counts of pods.
    pub places: Places,
    /// True if the key has few domains. Class keys then contain the domain instead of its count.
    pub by_domain: bool,
    /// Whether the constraint selects the pods of a group.
    spreads: PerGroup<bool>,
}

/// Counts of pods.
#[derive(Debug)]
pub enum Places {
    /// By domain, only for nodes that count.
    Domains { domains: Domains, counting: Vec<bool> },
    /// By node.
    Nodes(Vec<u32>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    topologies: u64,
    /// 0 if no constraint honors the pod's node affinity.
    affinity: u64,
    /// 0 if no constraint honors taints.
    taints: u64,
    position: u64,
}

impl Tally {
    /// Creates an empty tally. `by_node` is the key whose pods are counted by node, regardless of which nodes count.
    pub fn new(constraints: Vec<Constraint>, all_keys: bool, by_node: Option<&str>, cluster: &Cluster) -> Tally {
        let counts = constraints.into_iter().map(|constraint| Count {
            key: cluster.key(&constraint.key),
            places: if by_node == Some(constraint.key.as_str()) {
                Places::Nodes(Vec::new())
            } else {
                Places::Domains { domains: Domains::default(), counting: Vec::new() }
            },
            constraint,
            by_domain: false,
            spreads: PerGroup::default(),
        });
        Tally { counts: counts.collect(), all_keys, all_domains: by_node.is_some(), touched: Touched::All, seen: None }
    }

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
        let of_places = |places: &Places| match places {
            Places::Domains { domains, counting } => domains.bytes() + counting.capacity(),
            Places::Nodes(pods) => pods.capacity() * size_of::<u32>(),
        };
        self.counts.iter().map(|count| of_places(&count.places) + count.spreads.bytes()).sum()
    }

    /// Updates the counts to the present state of the cluster.
    pub fn catch_up(&mut self, pod: &Counting, cluster: &Cluster) {
        let topologies = cluster.topologies();
        let honors = |policy: fn(&Constraint) -> bool| self.counts.iter().any(|count| policy(&count.constraint));
        let honors_affinity = pod.affinity.is_some() && honors(|constraint| constraint.honor_affinity);
        let now = Seen {
            topologies: topologies.version(),
            affinity: if honors_affinity { cluster.affinity_version() } else { 0 },
            taints: if honors(|constraint| constraint.honor_taints) { cluster.taints_version() } else { 0 },
            position: cluster.groups.position(),
        };
        match self.seen.replace(now).filter(|seen| Seen { position: now.position, ..*seen } == now) {
            Some(seen) if seen.position == now.position => (),
            Some(seen) => match cluster.groups.since(seen.position) {
                Some(steps) => self.follow(steps, pod, cluster, &topologies),
                None => self.count(pod, cluster, &topologies),
            },
            None => self.count(pod, cluster, &topologies),
        }
    }

    fn follow(
        &mut self,
        steps: impl Iterator<Item = Step>,
        pod: &Counting,
        cluster: &Cluster,
        topologies: &Topologies,
    ) {
        let all_keys = self.all_keys;
        for step in steps {
            let Some(group) = cluster.groups.get(step.group) else { continue };
            for count in &mut self.counts {
                let Count { constraint, key, places, by_domain, spreads } = count;
                if *spreads.get(step.group, || constraint.spreads(&group.key, &pod.namespace)) {
                    let topology = topologies.of(*key);
                    let domain = counted_in(topology, step.node, all_keys);
                    places.add(step.node, step.by, domain);
                    match (&*places, domain) {
                        (Places::Nodes(_), _) => self.touched.add([step.node]),
                        (Places::Domains { .. }, Some(domain)) if !*by_domain => {
                            self.touched.add(topology.nodes_of(domain));
                        }
                        (Places::Domains { .. }, _) => (),
                    }
                }
            }
        }
        self.touched.limit(topologies.node_bound());
    }

    /// Counts everything again.
    fn count(&mut self, pod: &Counting, cluster: &Cluster, topologies: &Topologies) {
        self.begin(topologies);
        self.touched = Touched::All;
        let all_keys = self.all_keys;
        for (node, labels) in topologies.nodes() {
            if !self.has_keys(topologies, node) {
                continue;
            }
            let row = cluster.row(node);
            for count in &mut self.counts {
                if let Places::Domains { domains, counting } = &mut count.places
                    && row.is_some_and(|row| pod.counts(row, labels, &count.constraint))
                {
                    counting[node.at()] = true;
                    if let Some(domain) = counted_in(topologies.of(count.key), node, all_keys) {
                        domains.add_node(domain);
                    }
                }
            }
        }
        for (id, group) in cluster.groups.iter() {
            for count in &mut self.counts {
                let Count { constraint, key, places, spreads, .. } = count;
                if *spreads.get(id, || constraint.spreads(&group.key, &pod.namespace)) {
                    let topology = topologies.of(*key);
                    for node in cluster.groups.nodes(group) {
                        places.add(node, 1, counted_in(topology, node, all_keys));
                    }
                }
            }
        }
    }

    fn begin(&mut self, topologies: &Topologies) {
        for count in &mut self.counts {
            let bound = topologies.of(count.key).domain_bound();
            let worth_it = self.all_domains || 2 * bound <= topologies.node_bound();
            count.by_domain = worth_it && bound <= FEW;
            match &mut count.places {
                Places::Nodes(pods) => {
                    pods.clear();
                    pods.resize(topologies.node_bound(), 0);
                }
                Places::Domains { domains, counting } => {
                    domains.clear(bound);
                    counting.clear();
                    counting.resize(topologies.node_bound(), false);
                }
            }
        }
    }
}

/// Returns the domain in which the pods of `node` are counted. If nodes without the label count (`all_keys` is false),
/// kube-scheduler reads a missing label as an empty value, so both are one domain.
pub fn counted_in(topology: &Topology, node: node::Id, all_keys: bool) -> Option<usize> {
    let domain = topology.domain(node);
    if all_keys { domain } else { domain.or_else(|| topology.domain_with("")) }
}

impl Places {
    /// Adds pods on `node`, whose pods are counted in `domain`.
    fn add(&mut self, node: node::Id, by: i32, domain: Option<usize>) {
        match self {
            Places::Nodes(pods) => {
                // A pod may come before its node.
                if node.at() >= pods.len() {
                    pods.resize(node.at() + 1, 0);
                }
                pods[node.at()] = pods[node.at()].wrapping_add_signed(by);
            }
            Places::Domains { domains, counting } => {
                if counting.get(node.at()) == Some(&true)
                    && let Some(domain) = domain
                {
                    domains.add_pods(domain, by);
                }
            }
        }
    }
}

impl Constraint {
    /// Returns true if the constraint selects pods with this key. As in kube-scheduler, an empty selector selects no
    /// pods here.
    fn spreads(&self, (namespace, labels): &PodKey, of_pod: &pod::Namespace) -> bool {
        !self.selector.is_everything() && namespace == of_pod && self.selector.matches(labels)
    }
}

impl Counting {
    /// Returns true if a node counts for a constraint by its inclusion policies.
    fn counts(&self, row: &Row, labels: &LabelMap, constraint: &Constraint) -> bool {
        let matches = |affinity: &Required| affinity.matches(&row.name, labels);
        let tolerates = || row.taints.iter().all(|taint| !taint.forbids() || self.tolerations.tolerate(taint));
        (!constraint.honor_affinity || self.affinity.as_ref().is_none_or(matches))
            && (!constraint.honor_taints || tolerates())
    }
}
