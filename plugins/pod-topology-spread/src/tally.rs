//! How many of the pods that a constraint spreads are where. Counted once a template, and from then on kept up with the pods
//! that come and leave.

use berth_guest::classes::Touched;
use berth_guest::groups::{PerGroup, Step};
use berth_guest::node;
use berth_guest::selector::Required;
use berth_guest::topology::{Key, Topologies, Topology};
use berth_guest::{LabelMap, pod};

use crate::cluster::{Cluster, PodKey, Row};
use crate::constraint::Constraint;
use crate::counts::Domains;

/// So many domains of a key are told apart, in classes of nodes.
const FEW: usize = 256;

/// What a pod has that decides which nodes and which pods count.
#[derive(Debug)]
pub struct Counting {
    /// `metadata.namespace`: pods of others are not spread with it.
    pub namespace: pod::Namespace,
    /// `spec.nodeSelector` and the required node affinity; `None` where there is neither.
    pub affinity: Option<Required>,
    /// `spec.tolerations`.
    pub tolerations: pod::Tolerations,
}

/// The counts of some constraints of a template.
#[derive(Debug)]
pub struct Tally {
    /// One for each constraint.
    pub counts: Vec<Count>,
    /// Only nodes with all the constraints' labels count.
    all_keys: bool,
    /// It is asked how many domains some nodes are in.
    all_domains: bool,
    /// Where something else may be counted than when this was looked at last.
    pub touched: Touched,
    /// What the counts are of; `None` before the first count.
    seen: Option<Seen>,
}

/// The counts of a constraint.
#[derive(Debug)]
pub struct Count {
    /// The constraint.
    pub constraint: Constraint,
    /// Its topology key.
    pub key: Key,
    /// Where the pods are.
    pub places: Places,
    /// Domains are told apart in classes of nodes, whatever is counted there: they are few.
    pub by_domain: bool,
    /// Whether the constraint spreads the pods of a group.
    spreads: PerGroup<bool>,
}

/// Where pods are counted.
#[derive(Debug)]
pub enum Places {
    /// In domains; only on the nodes that count.
    Domains { domains: Domains, counting: Vec<bool> },
    /// By node.
    Nodes(Vec<u32>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    topologies: u64,
    /// 0 where no constraint honors the pod's affinity.
    affinity: u64,
    /// 0 where none honors taints.
    taints: u64,
    position: u64,
}

impl Tally {
    /// Of these constraints. `by_node` are keys whose pods are counted node by node, whichever nodes count.
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

    /// Whether it counts just these constraints.
    pub fn is_of(&self, constraints: &[Constraint]) -> bool {
        self.counts.iter().map(|count| &count.constraint).eq(constraints)
    }

    /// Whether the node has the labels without which it doesn't count.
    pub fn has_keys(&self, topologies: &Topologies, node: node::Id) -> bool {
        !self.all_keys || self.counts.iter().all(|count| topologies.of(count.key).domain(node).is_some())
    }

    /// Whether nodes without one of the labels are left out.
    pub fn needs_all_keys(&self) -> bool {
        self.all_keys
    }

    /// Bytes that it takes, nearly.
    pub fn bytes(&self) -> usize {
        let of_places = |places: &Places| match places {
            Places::Domains { domains, counting } => domains.bytes() + counting.capacity(),
            Places::Nodes(pods) => pods.capacity() * size_of::<u32>(),
        };
        self.counts.iter().map(|count| of_places(&count.places) + count.spreads.bytes()).sum()
    }

    /// Brings the counts up to date.
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

    /// From the beginning.
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
    /// Whether it spreads pods with this key. One that selects everything selects no pod here, as kube-scheduler has it.
    fn spreads(&self, (namespace, labels): &PodKey, of_pod: &pod::Namespace) -> bool {
        !self.selector.is_everything() && namespace == of_pod && self.selector.matches(labels)
    }
}

impl Counting {
    /// Whether a node counts for a constraint, by its inclusion policies.
    fn counts(&self, row: &Row, labels: &LabelMap, constraint: &Constraint) -> bool {
        let matches = |affinity: &Required| affinity.matches(&row.name, labels);
        let tolerates = || row.taints.iter().all(|taint| !taint.forbids() || self.tolerations.tolerate(taint));
        (!constraint.honor_affinity || self.affinity.as_ref().is_none_or(matches))
            && (!constraint.honor_taints || tolerates())
    }
}
