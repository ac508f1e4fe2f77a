//! What must be so: near the pods that the pod has to be near, away from those that it has to be away from, and from those that
//! want it away.

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

/// Nobody wants the pod away, nor it anybody near or away.
pub fn has_nothing_to_do(pod: &Wanted, tally: &Tally) -> bool {
    let terms = &pod.incoming.terms;
    tally.unwelcome == 0 && terms.near.is_empty() && terms.away.is_empty()
}

/// A key, and the pods in each of its domains; none, where no pod matters.
type Domains<'a> = (&'a Topology, &'a [i64]);

pub fn filter_nodes(pod: &Wanted, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    pod.read(args, cluster, |tally| verdicts(pod, tally, cluster, nodes))
}

fn verdicts(pod: &Wanted, tally: &Tally, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let terms = &pod.incoming.terms;
    // Before the topologies are borrowed, as this may make one.
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

/// Whether there are such pods in any of the node's domains.
fn any(all: &[Domains<'_>], node: node::Id) -> bool {
    let there = |domain: Option<usize>, pods: &[i64]| {
        domain.is_some_and(|domain| pods.get(domain).is_some_and(|pods| *pods > 0))
    };
    all.iter().any(|(topology, pods)| !pods.is_empty() && there(topology.domain(node), pods))
}

/// In the order in which they are looked for.
pub fn rejections() -> [Rejection; 3] {
    [Rejection::unresolvable(NOT_NEAR), Rejection::unschedulable(NOT_AWAY), Rejection::unschedulable(UNWELCOME)]
}

/// The first of pods that want to be near each other has nobody to be near to, and may be anywhere.
pub fn is_first(pod: &Incoming, tally: &Tally, cluster: &Cluster) -> bool {
    let namespace = cluster.namespace(&pod.namespace);
    let about_itself = |term: &Term| term.of_incoming(&pod.namespace, &pod.labels, namespace);
    tally.near == 0 && !pod.terms.near.is_empty() && pod.terms.near.iter().all(about_itself)
}
