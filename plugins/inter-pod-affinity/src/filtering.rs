//! Filters by required terms: the pod's affinity, the pod's anti-affinity, and the anti-affinity of pods on nodes.

use berth_guest::Verdicts;
use berth_guest::prelude::*;
use berth_guest::topology::{Topologies, Topology};

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::tally::{Incoming, Sums, Tally};
use crate::terms::Term;

const AFFINITY_NOT_MATCHED: &str = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY_VIOLATED: &str = "node(s) didn't match pod anti-affinity rules";
const EXISTING_ANTI_AFFINITY: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

pub fn pre_filter(pod: &PreparedPod, args: &Args, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    if let Some(error) = pod.incoming.terms.error() {
        return Err(Rejection::unresolvable(format!("parsing pod: {error}")));
    }
    let has_nothing_to_do = pod.read(args, cluster, |tally| has_nothing_to_do(pod, tally));
    Ok(if has_nothing_to_do { PreFilter::Skip } else { PreFilter::All })
}

/// Returns true if no required term matters: the pod to schedule has no required terms, and no required anti-affinity
/// term of a pod on a node matches the pod to schedule.
pub fn has_nothing_to_do(pod: &PreparedPod, tally: &Tally) -> bool {
    let terms = &pod.incoming.terms;
    tally.existing_anti_affinity == 0 && terms.affinity.is_empty() && terms.anti_affinity.is_empty()
}

/// A topology key, with the number of matching pods by domain. The list is empty if no pod matches, and may be shorter
/// than the number of domains.
type Domains<'a> = (&'a Topology, &'a [i64]);

pub fn filter_nodes(pod: &PreparedPod, args: &Args, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    pod.read(args, cluster, |tally| verdicts(pod, tally, cluster, nodes))
}

fn verdicts(pod: &PreparedPod, tally: &Tally, cluster: &Cluster, nodes: node::Ids<'_>) -> Verdicts {
    let terms = &pod.incoming.terms;
    // `Cluster::key` may add a key, so the keys are looked up before `topologies` is borrowed.
    terms.affinity.iter().for_each(|term| _ = cluster.key(&term.key));
    let topologies = &*cluster.topologies();
    let affinity = of_terms(&terms.affinity, tally, topologies, |sums| &sums.affinity);
    let anti_affinity = of_terms(&terms.anti_affinity, tally, topologies, |sums| &sums.anti_affinity);
    let existing_anti_affinity: Vec<Domains<'_>> =
        tally.sums.iter().map(|sums| (topologies.of(sums.key), sums.existing_anti_affinity.as_slice())).collect();
    let first = is_first(&pod.incoming, tally, cluster);
    let mut verdicts = Verdicts::new(nodes.len(), rejections());
    for node in nodes.iter() {
        let matches_affinity = affinity.iter().all(|(topology, pods)| {
            topology.domain(node).is_some_and(|domain| first || pods.get(domain).is_some_and(|pods| *pods > 0))
        });
        match () {
            () if !matches_affinity => verdicts.rejected(0),
            () if any(&anti_affinity, node) => verdicts.rejected(1),
            () if any(&existing_anti_affinity, node) => verdicts.rejected(2),
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

/// Returns true if one of the node's domains has matching pods.
fn any(all: &[Domains<'_>], node: node::Id) -> bool {
    let has_pods = |domain: Option<usize>, pods: &[i64]| {
        domain.is_some_and(|domain| pods.get(domain).is_some_and(|pods| *pods > 0))
    };
    all.iter().any(|(topology, pods)| !pods.is_empty() && has_pods(topology.domain(node), pods))
}

/// Returns the rejections, in the order in which the filter checks them.
pub fn rejections() -> [Rejection; 3] {
    [
        Rejection::unresolvable(AFFINITY_NOT_MATCHED),
        Rejection::unschedulable(ANTI_AFFINITY_VIOLATED),
        Rejection::unschedulable(EXISTING_ANTI_AFFINITY),
    ]
}

/// Returns true if no pod on a node matches the pod's affinity terms and the pod matches all of its own affinity terms.
/// Such a pod is the first of its group, so the affinity terms accept any node with the topology labels.
pub fn is_first(pod: &Incoming, tally: &Tally, cluster: &Cluster) -> bool {
    let namespace = cluster.namespace(&pod.namespace);
    let matches_itself = |term: &Term| term.matches_leniently(&pod.namespace, &pod.labels, namespace);
    tally.affinity == 0 && !pod.terms.affinity.is_empty() && pod.terms.affinity.iter().all(matches_itself)
}
