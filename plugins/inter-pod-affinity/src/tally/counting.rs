//! Computes and updates the sums of a pod signature from the pods on nodes.

use berth_guest::classes::Touched;
use berth_guest::groups::{Group, GroupId, Step};
use berth_guest::node;
use berth_guest::topology::{self, Topologies, Topology};

use super::{Contribution, Incoming, InputVersions, Sums, Tally};
use crate::args::Args;
use crate::cluster::{Cluster, PodKey};
use crate::terms::{Term, Terms};

/// The maximum number of domains of a topology key for which class keys contain the domain instead of its sums. The key
/// must also have at most half as many domains as the cluster has nodes.
const FEW_DOMAINS: usize = 256;

impl Tally {
    /// Updates the sums to the present state of the cluster.
    pub fn catch_up(&mut self, pod: &Incoming, args: &Args, cluster: &Cluster) {
        let now = InputVersions {
            topologies: cluster.topologies().version(),
            namespaces: cluster.namespaces_version(),
            position: cluster.groups.position(),
        };
        let Some(seen) = self.seen.replace(now) else { return self.sum(pod, args, cluster) };
        if self.reads_namespaces && seen.namespaces != now.namespaces {
            *self = Tally { seen: Some(now), ..Tally::default() };
            return self.sum(pod, args, cluster);
        }
        match cluster.groups.since(seen.position).filter(|_| seen.topologies == now.topologies) {
            Some(steps) => self.follow(steps, pod, args, cluster),
            None => self.sum(pod, args, cluster),
        }
    }

    fn follow(&mut self, steps: impl Iterator<Item = Step>, pod: &Incoming, args: &Args, cluster: &Cluster) {
        for step in steps {
            if let Some(group) = cluster.groups.get(step.group).filter(|group| have_terms(pod, group)) {
                self.evaluate_group(step.group, group, pod, args, cluster);
                self.add(step.group, [step.node].into_iter(), step.by.into(), &cluster.topologies());
            }
        }
        self.touched.limit(cluster.topologies().node_bound());
    }

    /// Computes all sums again.
    fn sum(&mut self, pod: &Incoming, args: &Args, cluster: &Cluster) {
        (self.affinity, self.existing_anti_affinity, self.scored) = (0, 0, 0);
        self.touched = Touched::All;
        for Sums { key, by_domain, affinity, anti_affinity, existing_anti_affinity, score } in &mut self.sums {
            *by_domain = has_few_domains(*key, &cluster.topologies());
            [affinity, anti_affinity, existing_anti_affinity, score].into_iter().for_each(Vec::clear);
        }
        // The filter needs an entry for the key of each affinity term, even if no pod matches the term.
        for term in &pod.terms.affinity {
            self.sums_index(&term.key, cluster);
        }
        for (id, group) in cluster.groups.iter().filter(|(_, group)| have_terms(pod, group)) {
            self.evaluate_group(id, group, pod, args, cluster);
            self.add(id, cluster.groups.nodes(group), 1, &cluster.topologies());
        }
    }

    /// Adds one pod of the group on each of these nodes if `by` is 1, or removes one if `by` is -1.
    fn add(&mut self, id: GroupId, nodes: impl Iterator<Item = node::Id>, by: i64, topologies: &Topologies) {
        let contributions = self.contributions.get(id, Vec::new);
        if contributions.is_empty() {
            return;
        }
        for node in nodes {
            for &(at, contribution) in contributions {
                let sums = &mut self.sums[at];
                let topology = topologies.of(sums.key);
                let (Some(domain), by_domain) = (topology.domain(node), sums.by_domain) else { continue };
                let (total, sums, by) = match contribution {
                    Contribution::Affinity => (Some(&mut self.affinity), &mut sums.affinity, by),
                    Contribution::AntiAffinity => (None, &mut sums.anti_affinity, by),
                    Contribution::ExistingAntiAffinity => {
                        (Some(&mut self.existing_anti_affinity), &mut sums.existing_anti_affinity, by)
                    }
                    Contribution::Score(weight) => {
                        self.scored += by;
                        (None, &mut sums.score, by * weight)
                    }
                };
                if let Some(total) = total {
                    *total += by;
                }
                *row(sums, domain, topology) += by;
                if !by_domain {
                    self.touched.add(topology.nodes_of(domain));
                }
            }
        }
    }

    /// Computes the contributions of a group's pods if they are not known yet.
    fn evaluate_group(
        &mut self,
        id: GroupId,
        group: &Group<PodKey, Terms>,
        pod: &Incoming,
        args: &Args,
        cluster: &Cluster,
    ) {
        let Tally { sums, contributions, touched, reads_namespaces, .. } = self;
        contributions.get(id, || {
            *reads_namespaces |= pod.terms.select_namespaces() || group.value.select_namespaces();
            let mut found = Vec::new();
            contributions_of(pod, group, args, cluster, |term, contribution| {
                found.push((sums_index(&term.key, sums, touched, cluster), contribution));
            });
            found
        });
    }

    /// Returns the index of a topology key in `sums`.
    fn sums_index(&mut self, key: &str, cluster: &Cluster) -> usize {
        sums_index(key, &mut self.sums, &mut self.touched, cluster)
    }
}

/// Returns the index of a topology key in `sums`. Adds the key if necessary.
fn sums_index(key: &str, sums: &mut Vec<Sums>, touched: &mut Touched, cluster: &Cluster) -> usize {
    let key = cluster.key(key);
    sums.iter().position(|known| known.key == key).unwrap_or_else(|| {
        let by_domain = has_few_domains(key, &cluster.topologies());
        sums.push(Sums {
            key,
            by_domain,
            affinity: Vec::new(),
            anti_affinity: Vec::new(),
            existing_anti_affinity: Vec::new(),
            score: Vec::new(),
        });
        *touched = Touched::All;
        sums.len() - 1
    })
}

fn has_few_domains(key: topology::Key, topologies: &Topologies) -> bool {
    let domains = topologies.of(key).domain_bound();
    domains <= FEW_DOMAINS && 2 * domains <= topologies.node_bound()
}

fn row<'a>(sums: &'a mut Vec<i64>, domain: usize, topology: &Topology) -> &'a mut i64 {
    if domain >= sums.len() {
        sums.resize(topology.domain_bound().max(domain + 1), 0);
    }
    // The row was extended above.
    &mut sums[domain]
}

/// Returns true if the pod to schedule or the pods of the group have terms. Most pods have no terms, and two pods
/// without terms have no effect on each other.
fn have_terms(pod: &Incoming, group: &Group<PodKey, Terms>) -> bool {
    !pod.terms.is_empty() || !group.value.is_empty()
}

/// Calls `add` for each term of the pod that matches the group's pods, and for each term of the group's pods that
/// matches the pod. Required affinity terms of the pod contribute only if all of them match.
fn contributions_of(
    pod: &Incoming,
    group: &Group<PodKey, Terms>,
    args: &Args,
    cluster: &Cluster,
    mut add: impl FnMut(&Term, Contribution),
) {
    let (own, of_group) = (&pod.terms, &group.value);
    let (group_namespace_labels, pod_namespace_labels) =
        (cluster.namespace(&group.key.namespace), cluster.namespace(&pod.namespace));
    let matches_group =
        |term: &&Term| term.matches_leniently(&group.key.namespace, &group.key.labels, group_namespace_labels);
    let matches_pod = |term: &&Term| term.matches(&pod.namespace, &pod.labels, pod_namespace_labels);

    if own.affinity.iter().all(|term| matches_group(&term)) {
        own.affinity.iter().for_each(|term| add(term, Contribution::Affinity));
    }
    own.anti_affinity.iter().filter(matches_group).for_each(|term| add(term, Contribution::AntiAffinity));
    of_group.anti_affinity.iter().filter(matches_pod).for_each(|term| add(term, Contribution::ExistingAntiAffinity));

    own.preferred_affinity.iter().filter(matches_group).for_each(|term| add(term, Contribution::Score(term.weight)));
    own.preferred_anti_affinity
        .iter()
        .filter(matches_group)
        .for_each(|term| add(term, Contribution::Score(-term.weight)));
    if args.hard_weight > 0 {
        of_group.affinity.iter().filter(matches_pod).for_each(|term| add(term, Contribution::Score(args.hard_weight)));
    }
    of_group.preferred_affinity.iter().filter(matches_pod).for_each(|term| add(term, Contribution::Score(term.weight)));
    of_group
        .preferred_anti_affinity
        .iter()
        .filter(matches_pod)
        .for_each(|term| add(term, Contribution::Score(-term.weight)));
}
