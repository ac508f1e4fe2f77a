//! Queueing hints: selected pods that are added, deleted or relabelled, and nodes that are added or deleted,
//! or whose labels or taints change.

use std::borrow::Cow;

use berth_guest::hints::{Event, Hint};
use berth_guest::prelude::*;

use crate::PreparedPod;
use crate::args::Args;
use crate::cluster::Cluster;
use crate::constraint::{Action, Constraint};

type Node<'a> = (&'a node::Labels, &'a node::Taints);
type Pod<'a> = (&'a pod::Namespace, &'a pod::Labels);

pub fn queueing_hint(
    _: &Event,
    pod_data: &PreparedPod,
    args: &Args,
    cluster: &Cluster,
    node: node::Change<'_, (node::Labels, node::Taints)>,
    pod: pod::Change<'_, (pod::Namespace, pod::Labels)>,
) -> Result<Hint, String> {
    // The constraints are taken from the pod, not from the counts, because the counts would have to be updated first.
    let constraints = match &pod_data.own {
        Some(own) => Cow::Borrowed(own.hard.as_ref().map_err(String::clone)?.as_slice()),
        None => Cow::Owned(pod_data.defaults(Action::DoNotSchedule, args, cluster)),
    };
    let counts = |pod: Pod<'_>| *pod.0 == pod_data.counting.namespace;
    Ok(Hint::queue_if(match (pod.before, pod.after) {
        (None, None) => of_node(&constraints, node.before, node.after),
        (before, after) => before.or(after).is_some_and(counts) && of_pod(&constraints, before, after),
    }))
}

/// Returns true if a constraint selects the pod either only before or only after the event.
fn of_pod(constraints: &[Constraint], before: Option<Pod<'_>>, after: Option<Pod<'_>>) -> bool {
    let counted = |pod: Option<Pod<'_>>, constraint: &Constraint| {
        pod.is_some_and(|(_, labels)| constraint.selector.matches(labels))
    };
    constraints.iter().any(|constraint| counted(before, constraint) != counted(after, constraint))
}

/// Returns true if the node has the topology labels of all constraints either only before or only after the event. If
/// the node has these labels before and after, returns true if the event changes one of them or the node's taints.
fn of_node(constraints: &[Constraint], before: Option<Node<'_>>, after: Option<Node<'_>>) -> bool {
    let in_domains = |node: Option<Node<'_>>| {
        node.is_some_and(|(labels, _)| constraints.iter().all(|constraint| labels.contains_key(&constraint.key)))
    };
    if in_domains(before) != in_domains(after) {
        return true;
    }
    let (Some(before), Some(after)) = (before.filter(|_| in_domains(after)), after) else { return false };
    let moved = |constraint: &Constraint| before.0.get(&constraint.key) != after.0.get(&constraint.key);
    constraints.iter().any(moved) || before.1 != after.1
}
