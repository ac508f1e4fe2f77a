//! Queueing hints: pods that are added, deleted or relabelled, and nodes that are added or change their domain.

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

/// Returns true if the node enters or leaves a domain so that the pod's terms may be satisfied: it enters a domain
/// of an affinity term, or leaves a domain of an anti-affinity term.
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

/// Returns true if the pod has affinity terms and `pod` matches all of them.
fn is_near(wanted: &Wanted, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let near = &wanted.incoming.terms.near;
    !near.is_empty() && near.iter().all(|term| about(term, pod, cluster))
}

/// Returns the incoming pod's anti-affinity terms that match `pod`.
fn is_hated<'a>(wanted: &'a Wanted, pod: Pod<'a>, cluster: &'a Cluster) -> impl Iterator<Item = &'a Term> {
    wanted.incoming.terms.away.iter().filter(move |term| about(term, pod, cluster))
}

/// Returns true if one of the two pods has an anti-affinity term that matches the other.
fn stood_in_the_way(wanted: &Wanted, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let incoming = &wanted.incoming;
    let ours = cluster.namespace(&incoming.namespace);
    let unwelcome = |term: &Term| term.of_resident(&incoming.namespace, &incoming.labels, ours);
    is_hated(wanted, pod, cluster).next().is_some() || Terms::new(pod.2).away.iter().any(unwelcome)
}

fn about(term: &Term, (namespace, labels, _): Pod<'_>, cluster: &Cluster) -> bool {
    term.of_incoming(namespace, labels, cluster.namespace(namespace))
}
