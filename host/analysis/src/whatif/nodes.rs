//! Changes of the nodes: nodes that are removed, drained or added, and the pods that leave them.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_apimachinery::nearest;
use berth_core::model::{Labels, Node, ObjectKey, Pod, Taint};

use super::WhatIfError;
use super::question::{AddNodes, Question};
use crate::copy::ClusterCopy;

/// The prefix of taints that stand for the state of a node, which a new node does not have.
const CONDITION_TAINTS: &str = "node.kubernetes.io/";

/// The label with the node's name.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The pods that leave their nodes.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// Pods with a controller, which creates them again, each with the node that it leaves.
    pub moved: Vec<(Arc<Pod>, Box<str>)>,
    /// Pods without a controller, which are lost.
    pub lost: Vec<Arc<Pod>>,
    /// The pods that a drain evicts.
    pub evicted: Vec<Arc<Pod>>,
}

/// Returns whether the pod belongs to its node: a pod of a DaemonSet, or a static pod.
#[must_use]
pub fn belongs_to_node(pod: &Pod) -> bool {
    let by_node = |kind: &str| matches!(kind, "DaemonSet" | "Node");
    let owned = pod.owners.iter().any(|owner| owner.controller && by_node(&owner.kind));
    owned || pod.annotations.get("kubernetes.io/config.mirror").is_some()
}

/// Returns the pod as its controller creates it again: without a node.
pub(super) fn created_again(pod: &Pod) -> Arc<Pod> {
    let nowhere = || Box::<str>::default();
    Arc::new(Pod { node_name: nowhere(), nominated_node_name: nowhere(), start_time: 0, ..pod.clone() })
}

/// Changes the nodes of a copy.
///
/// # Errors
/// A node does not exist, or there are too many nodes to add.
pub(super) fn change(copy: &mut ClusterCopy, question: &Question, most: usize) -> Result<Leaving, WhatIfError> {
    for name in question.remove_nodes.iter().chain(&question.drain) {
        find(copy, name)?;
    }
    // The new nodes come first, because the node to copy may be one that is removed.
    if let Some(add) = &question.add_nodes {
        add_nodes(copy, add, most)?;
    }
    let removed: BTreeSet<&str> = question.remove_nodes.iter().map(String::as_str).collect();
    let drained: BTreeSet<&str> = question.drain.iter().map(String::as_str).collect();
    let leaving = take_pods(copy, &removed, &drained);
    copy.nodes.retain(|node| !removed.contains(&*node.name));
    for node in &mut copy.nodes {
        if drained.contains(&*node.name) {
            Arc::make_mut(node).unschedulable = true;
        }
    }
    Ok(leaving)
}

/// Takes the pods off the nodes that they leave.
fn take_pods(copy: &mut ClusterCopy, removed: &BTreeSet<&str>, drained: &BTreeSet<&str>) -> Leaving {
    let mut leaving = Leaving::default();
    let pods = std::mem::take(&mut copy.pods);
    copy.pods = Vec::with_capacity(pods.len());
    for pod in pods {
        let (is_removed, is_drained) = (removed.contains(&*pod.node_name), drained.contains(&*pod.node_name));
        if !is_removed && (!is_drained || belongs_to_node(&pod)) {
            copy.pods.push(pod);
            continue;
        }
        // A pod that terminates leaves in any case, and the pods of a removed node that belong to it end with it.
        if pod.deleting || belongs_to_node(&pod) {
            continue;
        }
        if !is_removed {
            leaving.evicted.push(Arc::clone(&pod));
        }
        if pod.owners.iter().any(|owner| owner.controller) {
            leaving.moved.push((created_again(&pod), pod.node_name.clone()));
        } else {
            leaving.lost.push(pod);
        }
    }
    leaving.moved.sort_by(|(one, _), (other, _)| (one.created, &one.key).cmp(&(other.created, &other.key)));
    leaving
}

fn find<'c>(copy: &'c ClusterCopy, name: &str) -> Result<&'c Arc<Node>, WhatIfError> {
    copy.nodes.iter().find(|node| *node.name == *name).ok_or_else(|| {
        let similar = nearest(name, copy.nodes.iter().map(|node| &*node.name));
        let similar = similar.map_or_else(String::new, |similar| format!("; did you mean {similar}?"));
        WhatIfError::NoSuchNode(name.to_owned(), similar)
    })
}

fn add_nodes(copy: &mut ClusterCopy, add: &AddNodes, most: usize) -> Result<(), WhatIfError> {
    if add.count > most {
        return Err(WhatIfError::TooManyNodes(most));
    }
    let like = Arc::clone(find(copy, &add.like)?);
    let taken: BTreeSet<Box<str>> = copy.nodes.iter().map(|node| node.name.clone()).collect();
    let own = |pod: &&Arc<Pod>| pod.node_name == like.name && belongs_to_node(pod) && !pod.deleting;
    let own: Vec<Arc<Pod>> = copy.pods.iter().filter(own).cloned().collect();
    let csi_node =
        copy.objects.iter().find(|object| *object.key.kind.kind == *"CSINode" && object.key.name == like.name);
    let csi_node = csi_node.cloned();
    let names = (1..).map(|number| format!("{}-new-{number}", add.like)).filter(|name| !taken.contains(name.as_str()));
    for name in names.take(add.count) {
        copy.nodes.push(Arc::new(new_node(&like, &name)));
        for pod in &own {
            let mut pod = Pod { node_name: name.as_str().into(), ..Pod::clone(pod) };
            pod.key.name = format!("{}-{name}", pod.key.name).into();
            pod.key.uid = format!("{}-{name}", pod.key.uid).into();
            copy.pods.push(Arc::new(pod));
        }
        if let Some(csi_node) = &csi_node {
            let mut object = berth_core::model::Object::clone(csi_node);
            object.key = ObjectKey { name: name.as_str().into(), ..object.key };
            object.uid = format!("whatif-{name}").into();
            copy.objects.push(Arc::new(object));
        }
    }
    Ok(())
}

/// Returns a new node as another one: schedulable, and without the taints of conditions.
fn new_node(like: &Node, name: &str) -> Node {
    let labels: Labels = like
        .labels
        .iter()
        .map(|(key, value)| (key, if key == HOSTNAME || *value == *like.name { name } else { value }))
        .collect();
    let lasts = |taint: &&Taint| !taint.key.starts_with(CONDITION_TAINTS);
    Node {
        name: name.into(),
        uid: format!("whatif-{name}").into(),
        labels,
        taints: like.taints.iter().filter(lasts).cloned().collect(),
        unschedulable: false,
        ..like.clone()
    }
}
