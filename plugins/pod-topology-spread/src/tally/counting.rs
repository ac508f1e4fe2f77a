//! Computes and updates the counts of a pod signature from the pods on nodes.

use berth_guest::classes::Touched;
use berth_guest::groups::{PerGroup, Step};
use berth_guest::selector::Required;
use berth_guest::topology::Topologies;
use berth_guest::{LabelMap, pod};

use super::{Count, CountingRules, InputVersions, PodCounts, Tally, counted_in};
use crate::cluster::{Cluster, NodeFacts, PodKey};
use crate::constraint::Constraint;
use crate::counts::Domains;

/// The maximum number of domains of a topology key for which class keys contain the domain instead of its count. For
/// the filter, the key must also have at most half as many domains as the cluster has nodes.
const FEW_DOMAINS: usize = 256;

impl Tally {
    /// Creates an empty tally. For the constraints with topology key `by_node`, pods are counted by node, even on nodes
    /// that do not count. The score has such a key, the filter passes `None`.
    pub fn new(constraints: Vec<Constraint>, all_keys: bool, by_node: Option<&str>, cluster: &Cluster) -> Tally {
        let counts = constraints.into_iter().map(|constraint| Count {
            key: cluster.key(&constraint.key),
            pod_counts: if by_node == Some(constraint.key.as_str()) {
                PodCounts::Nodes(Vec::new())
            } else {
                PodCounts::Domains { domains: Domains::default(), counting: Vec::new() }
            },
            constraint,
            by_domain: false,
            selects: PerGroup::default(),
        });
        Tally { counts: counts.collect(), all_keys, all_domains: by_node.is_some(), touched: Touched::All, seen: None }
    }

    /// Updates the counts to the present state of the cluster.
    pub fn catch_up(&mut self, pod: &CountingRules, cluster: &Cluster) {
        let topologies = cluster.topologies();
        let honors = |policy: fn(&Constraint) -> bool| self.counts.iter().any(|count| policy(&count.constraint));
        let honors_affinity = pod.affinity.is_some() && honors(|constraint| constraint.honor_affinity);
        let now = InputVersions {
            topologies: topologies.version(),
            affinity: if honors_affinity { cluster.affinity_version() } else { 0 },
            taints: if honors(|constraint| constraint.honor_taints) { cluster.taints_version() } else { 0 },
            position: cluster.groups.position(),
        };
        match self.seen.replace(now).filter(|seen| InputVersions { position: now.position, ..*seen } == now) {
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
        pod: &CountingRules,
        cluster: &Cluster,
        topologies: &Topologies,
    ) {
        let all_keys = self.all_keys;
        for step in steps {
            let Some(group) = cluster.groups.get(step.group) else { continue };
            for count in &mut self.counts {
                let Count { constraint, key, pod_counts, by_domain, selects } = count;
                if *selects.get(step.group, || constraint.selects(&group.key, &pod.namespace)) {
                    let topology = topologies.of(*key);
                    let domain = counted_in(topology, step.node, all_keys);
                    pod_counts.add(step.node, step.by, domain);
                    match (&*pod_counts, domain) {
                        (PodCounts::Nodes(_), _) => self.touched.add([step.node]),
                        (PodCounts::Domains { .. }, Some(domain)) if !*by_domain => {
                            self.touched.add(topology.nodes_of(domain));
                        }
                        (PodCounts::Domains { .. }, _) => (),
                    }
                }
            }
        }
        self.touched.limit(topologies.node_bound());
    }

    /// Computes all counts again.
    fn count(&mut self, pod: &CountingRules, cluster: &Cluster, topologies: &Topologies) {
        self.reset(topologies);
        self.touched = Touched::All;
        let all_keys = self.all_keys;
        for (node, labels) in topologies.nodes() {
            if !self.has_keys(topologies, node) {
                continue;
            }
            let node_facts = cluster.node_facts(node);
            for count in &mut self.counts {
                if let PodCounts::Domains { domains, counting } = &mut count.pod_counts
                    && node_facts.is_some_and(|node_facts| pod.counts(node_facts, labels, &count.constraint))
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
                let Count { constraint, key, pod_counts, selects, .. } = count;
                if *selects.get(id, || constraint.selects(&group.key, &pod.namespace)) {
                    let topology = topologies.of(*key);
                    for node in cluster.groups.nodes(group) {
                        pod_counts.add(node, 1, counted_in(topology, node, all_keys));
                    }
                }
            }
        }
    }

    fn reset(&mut self, topologies: &Topologies) {
        for count in &mut self.counts {
            let bound = topologies.of(count.key).domain_bound();
            let worth_it = self.all_domains || 2 * bound <= topologies.node_bound();
            count.by_domain = worth_it && bound <= FEW_DOMAINS;
            match &mut count.pod_counts {
                PodCounts::Nodes(pods) => {
                    pods.clear();
                    pods.resize(topologies.node_bound(), 0);
                }
                PodCounts::Domains { domains, counting } => {
                    domains.clear(bound);
                    counting.clear();
                    counting.resize(topologies.node_bound(), false);
                }
            }
        }
    }
}

impl Constraint {
    /// Returns true if the constraint selects pods with this key. As in kube-scheduler, an empty selector selects no
    /// pods here.
    fn selects(&self, (namespace, labels): &PodKey, of_pod: &pod::Namespace) -> bool {
        !self.selector.is_everything() && namespace == of_pod && self.selector.matches(labels)
    }
}

impl CountingRules {
    /// Returns true if a node counts for a constraint by its inclusion policies.
    fn counts(&self, node_facts: &NodeFacts, labels: &LabelMap, constraint: &Constraint) -> bool {
        let matches = |affinity: &Required| affinity.matches(&node_facts.name, labels);
        let tolerates = || node_facts.taints.iter().all(|taint| !taint.forbids() || self.tolerations.tolerate(taint));
        (!constraint.honor_affinity || self.affinity.as_ref().is_none_or(matches))
            && (!constraint.honor_taints || tolerates())
    }
}
