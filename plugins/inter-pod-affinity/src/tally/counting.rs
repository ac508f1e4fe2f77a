//! Counts the pods on nodes into a template's sums.

use berth_guest::classes::Touched;
use berth_guest::groups::{Group, GroupId, Step};
use berth_guest::node;
use berth_guest::topology::{self, Topologies, Topology};

use super::{Incoming, Meaning, Seen, Sums, Tally};
use crate::args::Args;
use crate::cluster::{Cluster, PodKey};
use crate::terms::{Term, Terms};

/// A topology key with up to this many domains is represented by the domain in class keys.
const FEW: usize = 256;

impl Tally {
    /// Updates the sums to the present state of the cluster.
    pub fn catch_up(&mut self, pod: &Incoming, args: &Args, cluster: &Cluster) {
        let now = Seen {
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
            if let Some(group) = cluster.groups.get(step.group).filter(|group| may_matter(pod, group)) {
                self.look_at(step.group, group, pod, args, cluster);
                self.add(step.group, [step.node].into_iter(), step.by.into(), &cluster.topologies());
            }
        }
        self.touched.limit(cluster.topologies().node_bound());
    }

    /// Computes all sums again.
    fn sum(&mut self, pod: &Incoming, args: &Args, cluster: &Cluster) {
        (self.near, self.unwelcome, self.scored) = (0, 0, 0);
        self.touched = Touched::All;
        for Sums { key, by_domain, near, away, unwelcome, score } in &mut self.sums {
            *by_domain = has_few_domains(*key, &cluster.topologies());
            [near, away, unwelcome, score].into_iter().for_each(Vec::clear);
        }
        // The filter needs the keys of affinity terms even if no pod matches them.
        for term in &pod.terms.near {
            self.place_of(&term.key, cluster);
        }
        for (id, group) in cluster.groups.iter().filter(|(_, group)| may_matter(pod, group)) {
            self.look_at(id, group, pod, args, cluster);
            self.add(id, cluster.groups.nodes(group), 1, &cluster.topologies());
        }
    }

    /// Adds pods of a group on these nodes, or removes them if `by` is negative.
    fn add(&mut self, id: GroupId, nodes: impl Iterator<Item = node::Id>, by: i64, topologies: &Topologies) {
        let meanings = self.meanings.get(id, Vec::new);
        if meanings.is_empty() {
            return;
        }
        for node in nodes {
            for &(at, meaning) in meanings {
                let sums = &mut self.sums[at];
                let topology = topologies.of(sums.key);
                let (Some(domain), by_domain) = (topology.domain(node), sums.by_domain) else { continue };
                let (total, sums, by) = match meaning {
                    Meaning::Near => (Some(&mut self.near), &mut sums.near, by),
                    Meaning::Away => (None, &mut sums.away, by),
                    Meaning::Unwelcome => (Some(&mut self.unwelcome), &mut sums.unwelcome, by),
                    Meaning::Score(weight) => {
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

    /// Determines the meaning of a group, once.
    fn look_at(&mut self, id: GroupId, group: &Group<PodKey, Terms>, pod: &Incoming, args: &Args, cluster: &Cluster) {
        let Tally { sums, meanings, touched, reads_namespaces, .. } = self;
        meanings.get(id, || {
            *reads_namespaces |= pod.terms.select_namespaces() || group.value.select_namespaces();
            let mut found = Vec::new();
            meaning(pod, group, args, cluster, |term, meaning| {
                found.push((place_of(&term.key, sums, touched, cluster), meaning));
            });
            found
        });
    }

    /// Returns the index of a topology key in `sums`.
    fn place_of(&mut self, key: &str, cluster: &Cluster) -> usize {
        place_of(key, &mut self.sums, &mut self.touched, cluster)
    }
}

/// Returns the index of a topology key in `sums`. Adds the key if necessary.
fn place_of(key: &str, sums: &mut Vec<Sums>, touched: &mut Touched, cluster: &Cluster) -> usize {
    let key = cluster.key(key);
    sums.iter().position(|known| known.key == key).unwrap_or_else(|| {
        let by_domain = has_few_domains(key, &cluster.topologies());
        sums.push(Sums {
            key,
            by_domain,
            near: Vec::new(),
            away: Vec::new(),
            unwelcome: Vec::new(),
            score: Vec::new(),
        });
        *touched = Touched::All;
        sums.len() - 1
    })
}

fn has_few_domains(key: topology::Key, topologies: &Topologies) -> bool {
    let domains = topologies.of(key).domain_bound();
    domains <= FEW && 2 * domains <= topologies.node_bound()
}

fn row<'a>(sums: &'a mut Vec<i64>, domain: usize, topology: &Topology) -> &'a mut i64 {
    if domain >= sums.len() {
        sums.resize(topology.domain_bound().max(domain + 1), 0);
    }
    // The row was extended above.
    &mut sums[domain]
}

/// Returns true if one side has terms. Most pods have none, and two pods without terms don't matter to each other.
fn may_matter(pod: &Incoming, group: &Group<PodKey, Terms>) -> bool {
    !pod.terms.is_empty() || !group.value.is_empty()
}

/// Calls `tell` for each term by which the pods of a group matter to the pod.
fn meaning(
    pod: &Incoming,
    group: &Group<PodKey, Terms>,
    args: &Args,
    cluster: &Cluster,
    mut tell: impl FnMut(&Term, Meaning),
) {
    let (own, theirs) = (&pod.terms, &group.value);
    let (their_namespace, ours) = (cluster.namespace(&group.key.namespace), cluster.namespace(&pod.namespace));
    let about_them = |term: &&Term| term.of_incoming(&group.key.namespace, &group.key.labels, their_namespace);
    let about_us = |term: &&Term| term.of_resident(&pod.namespace, &pod.labels, ours);

    if own.near.iter().all(|term| about_them(&term)) {
        own.near.iter().for_each(|term| tell(term, Meaning::Near));
    }
    own.away.iter().filter(about_them).for_each(|term| tell(term, Meaning::Away));
    theirs.away.iter().filter(about_us).for_each(|term| tell(term, Meaning::Unwelcome));

    own.rather_near.iter().filter(about_them).for_each(|term| tell(term, Meaning::Score(term.weight)));
    own.rather_away.iter().filter(about_them).for_each(|term| tell(term, Meaning::Score(-term.weight)));
    if args.hard_weight > 0 {
        theirs.near.iter().filter(about_us).for_each(|term| tell(term, Meaning::Score(args.hard_weight)));
    }
    theirs.rather_near.iter().filter(about_us).for_each(|term| tell(term, Meaning::Score(term.weight)));
    theirs.rather_away.iter().filter(about_us).for_each(|term| tell(term, Meaning::Score(-term.weight)));
}
