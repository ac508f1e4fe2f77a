//! Filters by required terms: the pod's affinity, the pod's anti-affinity, and the anti-affinity of pods on nodes.

use berth_guest::Verdicts;
use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::Wanted;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::tally::{Incoming, Sums, Tally};
use crate::terms::Term;

const NOT_NEAR: &str = "node(s) didn't match pod affinity rules";
const NOT_AWAY: &str = "node(s) didn't match pod anti-affinity rules";
const UNWELCOME: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

pub fn pre_filter(pod: &Wanted, args: &Args, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    if let Some(problem) = pod.incoming.terms.problem() {
        return Err(Rejection::unresolvable(format!("parsing pod: {problem}")));
    }
    let has_nothing_to_do = pod.read(args, cluster, |tally| has_nothing_to_do(pod, tally));
    Ok(if has_nothing_to_do { PreFilter::Skip } else { PreFilter::All })
}

/// Returns true if no required term matters: the pod has none, and no pod on a node has an anti-affinity against it.
pub fn has_nothing_to_do(pod: &Wanted, tally: &Tally) -> bool {
    let terms = &pod.incoming.terms;
    tally.unwelcome == 0 && terms.near.is_empty() && terms.away.is_empty()
}

/// A topology key, with the number of pods in each domain. Empty if no pod matters for the key.
type Domains<'a> = (&'a Topology, &'a [i64]);

pub fn filter_nodes(pod: &Wanted, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    pod.read(args, cluster, |tally| verdicts(pod, tally, cluster, nodes))
}

fn verdicts(pod: &Wanted, tally: &Tally, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let terms = &pod.incoming.terms;
    // This may add a key, so it must come before `topologies` is borrowed.
    terms.near.iter().for_each(|term| _ = cluster.key(&term.key));
    let topologies = &*cluster.topologies();
    let near = of_terms(&terms.near, tally, topologies, |sums| &sums.near);
    let away = of_terms(&terms.away, tally, topologies, |sums| &sums.away);
    let unwelcome: Vec<Domains<'_>> =
        tally.sums.iter().map(|sums| (topologies.of(sums.key), sums.unwelcome.as_slice())).collect();
    let first = is_first(&pod.incoming, tally, cluster);
    let mut verdicts = Verdicts::new(nodes.len(), rejections());
    for node in nodes.iter() {
        let is_near = near.iter().all(|(topology, pods)| {
            topology.domain(node).is_some_and(|domain| first || pods.get(domain).is_some_and(|pods| *pods > 0))
        });
        match () {
            () if !is_near => verdicts.rejected(0),
            () if any(&away, node) => verdicts.rejected(1),
            () if any(&unwelcome, node) => verdicts.rejected(2),
            () => verdicts.fits(),
        }
    }
    verdicts
}

fn of_terms<'a>(
    terms: &[Term],
    tally: &'a Tally,
    topologies: &'a Topologies,
    which: fn(&Sums) -> &Vec<i64>,
) -> Vec<Domains<'a>> {
    let mut found: Vec<Domains<'_>> = Vec::new();
    for term in terms {
        if let Some(key) = topologies.find(&term.key) {
            let pods = tally.of(key).map_or([].as_slice(), |sums| which(sums));
            found.push((topologies.of(key), pods));
        }
    }
    found
}

/// Returns true if one of the node's domains has such pods.
fn any(all: &[Domains<'_>], node: node::Id) -> bool {
    let there = |domain: Option<usize>, pods: &[i64]| {
        domain.is_some_and(|domain| pods.get(domain).is_some_and(|pods| *pods > 0))
    };
    all.iter().any(|(topology, pods)| !pods.is_empty() && there(topology.domain(node), pods))
}

/// Returns the rejections, in the order in which the filter checks them.
pub fn rejections() -> [Rejection; 3] {
    [Rejection::unresolvable(NOT_NEAR), Rejection::unschedulable(NOT_AWAY), Rejection::unschedulable(UNWELCOME)]
}

/// Returns true if no pod matches the pod's affinity terms and the pod matches all of them itself. Such a pod is the
/// first of its group and may go to any node with the topology labels.
pub fn is_first(pod: &Incoming, tally: &Tally, cluster: &Cluster) -> bool {
    let namespace = cluster.namespace(&pod.namespace);
    let about_itself = |term: &Term| term.of_incoming(&pod.namespace, &pod.labels, namespace);
    tally.near == 0 && !pod.terms.near.is_empty() && pod.terms.near.iter().all(about_itself)
}
