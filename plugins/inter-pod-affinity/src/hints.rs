//! What helps a pod that had to be near some pods or away from others: pods that come, leave or change their labels, and nodes
//! that come or move to other domains.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;

use crate::Wanted;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::terms::{Term, Terms};

type Node<'a> = Option<&'a node::Labels>;
type Pod<'a> = (&'a pod::Namespace, &'a pod::Labels, &'a pod::PodAffinity);

pub fn queueing_hint(
    _: &Event,
    wanted: &Wanted,
    args: &Args,
    cluster: &Cluster,
    node: node::Change<'_, node::Labels>,
    pod: pod::Change<'_, (pod::Namespace, pod::Labels, pod::PodAffinity)>,
) -> Hint {
    if node.after.is_some() {
        let unwelcome = || wanted.read(args, cluster, |tally| tally.unwelcome > 0);
        return Hint::queue_if(moves(&wanted.incoming.terms, node.before, node.after) || unwelcome());
    }
    Hint::queue_if(match (pod.before, pod.after) {
        (None, None) => false,
        (None, Some(after)) => is_near(wanted, after, cluster),
        (Some(before), None) => stood_in_the_way(wanted, before, cluster),
        (Some(before), Some(after)) => {
            !is_near(wanted, before, cluster) && is_near(wanted, after, cluster)
                || is_hated(wanted, before, cluster).any(|term| !about(term, after, cluster))
        }
    })
}

/// Whether a node comes to a domain where it may do, by the pod's own terms: into one that it was not in, for pods to be near;
/// out of one, for pods to be away from.
fn moves(terms: &Terms, before: Node<'_>, after: Node<'_>) -> bool {
    let domains = |term: &Term| [before, after].map(|labels| labels.and_then(|labels| labels.get(&term.key)));
    let enters = |term: &Term| {
        let [before, after] = domains(term);
        after.is_some() && before != after
    };
    let leaves = |term: &Term| {
        let [was, is] = domains(term);
        before.is_none() || was.is_some() && was != is
    };
    terms.near.iter().any(enters) || terms.away.iter().any(leaves)
}

/// A pod that is near has to be what all terms are about.
fn is_near(wanted: &Wanted, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let near = &wanted.incoming.terms.near;
    !near.is_empty() && near.iter().all(|term| about(term, pod, cluster))
}

/// The terms by which the pod has to be away from this one.
fn is_hated<'a>(wanted: &'a Wanted, pod: Pod<'a>, cluster: &'a Cluster) -> impl Iterator<Item = &'a Term> {
    wanted.incoming.terms.away.iter().filter(move |term| about(term, pod, cluster))
}

/// Whether one of the two had to be away from the other.
fn stood_in_the_way(wanted: &Wanted, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let incoming = &wanted.incoming;
    let ours = cluster.namespace(&incoming.namespace);
    let unwelcome = |term: &Term| term.of_resident(&incoming.namespace, &incoming.labels, ours);
    is_hated(wanted, pod, cluster).next().is_some() || Terms::new(pod.2).away.iter().any(unwelcome)
}

fn about(term: &Term, (namespace, labels, _): Pod<'_>, cluster: &Cluster) -> bool {
    term.of_incoming(namespace, labels, cluster.namespace(namespace))
}
