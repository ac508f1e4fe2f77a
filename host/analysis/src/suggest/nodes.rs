//! Suggests to make a node schedulable again.

use std::sync::Arc;

use berth_core::model::Node;
use serde_json::json;

use super::change::{Change, ChangeKind, ObjectRef, PatchOperation};
use super::confirm::Confirmer;
use super::suggestion::Suggestion;
use super::taints::{CORDON, added};
use crate::names::counted;

const PLUGIN: &str = "NodeUnschedulable";

/// The number of nodes that are tried.
const MOST_NODES: usize = 4;

/// Suggests to uncordon a node on which the pod would fit.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    if !confirmer.cache().nodes().any(|info| info.node.unschedulable) {
        return Vec::new();
    }
    let tolerated = added(confirmer, vec![json!({"key": CORDON, "operator": "Exists"})]);
    let Some(fit) = confirmer.fits(&tolerated) else { return Vec::new() };
    let mut cordoned: Vec<Arc<Node>> = confirmer.nodes(&fit).filter(|node| node.unschedulable).cloned().collect();
    cordoned.sort_by(|one, other| one.name.cmp(&other.name));
    let count = cordoned.len();
    cordoned.into_iter().take(MOST_NODES).find_map(|node| uncordoned(confirmer, &node, count)).into_iter().collect()
}

fn uncordoned(confirmer: &mut Confirmer<'_>, node: &Arc<Node>, count: usize) -> Option<Suggestion> {
    let mut patch = vec![PatchOperation::replace("/spec/unschedulable", false.into())];
    // Each removal moves the later taints.
    let at = node.taints.iter().enumerate().filter(|(_, taint)| *taint.key == *CORDON).map(|(at, _)| at);
    patch.extend(at.rev().map(|at| PatchOperation::remove(format!("/spec/taints/{at}"))));
    let taints = node.taints.iter().filter(|taint| *taint.key != *CORDON).cloned().collect();
    let changed = Node { unschedulable: false, taints, ..Node::clone(node) };
    let fit = confirmer.fits_with_node(Arc::new(changed))?;
    let before = json!({"spec": {"unschedulable": true}});
    let change = Change::patch(ChangeKind::Uncordon, ObjectRef::node(&node.name), Some(&before), patch);
    let text = format!(
        "Uncordon node {}; then the pod fits there ({} would fit without the cordon).",
        node.name,
        counted(count, "cordoned node")
    );
    Some(confirmer.suggestion(change, PLUGIN, text, &fit))
}
