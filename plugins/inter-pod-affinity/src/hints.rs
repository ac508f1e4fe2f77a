//! Queueing hints: pods that are added, deleted or relabelled, and nodes that are added or change their domain.

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::terms::{Term, Terms};

type Node<'a> = Option<&'a node::Labels>;
type Pod<'a> = (&'a pod::Namespace, &'a pod::Labels, &'a pod::PodAffinity);

pub fn queueing_hint(
    _: &Event,
    prepared: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
    node: node::Change<'_, node::Labels>,
    pod: pod::Change<'_, (pod::Namespace, pod::Labels, pod::PodAffinity)>,
) -> Hint {
    if node.after.is_some() {
        let has_existing_anti_affinity = || prepared.read(args, cluster, |tally| tally.existing_anti_affinity > 0);
        return Hint::queue_if(
            moves(&prepared.incoming.terms, node.before, node.after) || has_existing_anti_affinity(),
        );
    }
    Hint::queue_if(match (pod.before, pod.after) {
        (None, None) => false,
        (None, Some(after)) => matches_affinity(prepared, after, cluster),
        (Some(before), None) => conflicted(prepared, before, cluster),
        (Some(before), Some(after)) => {
            !matches_affinity(prepared, before, cluster) && matches_affinity(prepared, after, cluster)
                || matched_anti_affinity(prepared, before, cluster).any(|term| !matches_term(term, after, cluster))
        }
    })
}

/// Returns true if the change of the node may satisfy the pod's terms: the node enters a domain of an affinity term, or
/// leaves a domain of an anti-affinity term. For a new node, each anti-affinity term counts as satisfied.
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
    terms.affinity.iter().any(enters) || terms.anti_affinity.iter().any(leaves)
}

/// Returns true if the pod has affinity terms and `pod` matches all of them.
fn matches_affinity(prepared: &PreparedPod, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let affinity = &prepared.incoming.terms.affinity;
    !affinity.is_empty() && affinity.iter().all(|term| matches_term(term, pod, cluster))
}

/// Returns the incoming pod's anti-affinity terms that match `pod`.
fn matched_anti_affinity<'a>(
    prepared: &'a PreparedPod,
    pod: Pod<'a>,
    cluster: &'a Cluster,
) -> impl Iterator<Item = &'a Term> {
    prepared.incoming.terms.anti_affinity.iter().filter(move |term| matches_term(term, pod, cluster))
}

/// Returns true if the incoming pod has an anti-affinity term that matches `pod`, or `pod` has an anti-affinity term
/// that matches the incoming pod.
fn conflicted(prepared: &PreparedPod, pod: Pod<'_>, cluster: &Cluster) -> bool {
    let incoming = &prepared.incoming;
    let pod_namespace_labels = cluster.namespace(&incoming.namespace);
    // As in kube-scheduler, this match is more lenient than the filter's. So the deletion of a pod whose term did not
    // reject the incoming pod can cause a retry.
    let rejects_pod = |term: &Term| term.matches_leniently(&incoming.namespace, &incoming.labels, pod_namespace_labels);
    matched_anti_affinity(prepared, pod, cluster).next().is_some()
        || Terms::new(pod.2).anti_affinity.iter().any(rejects_pod)
}

fn matches_term(term: &Term, (namespace, labels, _): Pod<'_>, cluster: &Cluster) -> bool {
    term.matches_leniently(namespace, labels, cluster.namespace(namespace))
}
