//! The checks before nodes are filtered: the group's back-off, its number of pods and `spec.minResources`.

use std::collections::BTreeMap;

use berth_guest::Resource;
use berth_guest::prelude::*;
use berth_quantity::Quantity;

use crate::groups::{Key, Node, key};
use crate::queue::incomplete;
use crate::{GroupName, Groups};

/// The resource that stands for the number of pods.
const PODS: &str = "pods";

/// Rejects a pod whose group failed recently, is incomplete, or needs more free resources than the cluster has. Checks
/// the number of pods as `pre_enqueue` does, because a pod of the group may be deleted while others are in the queue.
pub(crate) fn pre_filter(
    time: &Time,
    namespace: &pod::Namespace,
    group: &GroupName,
    groups: &Groups,
) -> Result<PreFilter, Rejection> {
    let Some(key) = key(namespace, group) else { return Ok(PreFilter::Skip) };
    let Some(pod_group) = groups.pod_group(&key) else { return Ok(PreFilter::All) };
    if groups.is_backed_off(&key, *time) {
        return Err(Rejection::unresolvable(format!("podGroup {key} failed recently")));
    }
    if let Some(reason) = incomplete(pod_group, groups.members(&key)) {
        return Err(Rejection::unresolvable(reason));
    }
    let Some(min_resources) = &pod_group.min_resources else { return Ok(PreFilter::All) };
    let mut needed = min_resources.clone();
    needed.insert(PODS.to_owned(), Quantity::from_value(pod_group.min_member));
    match gap(&needed, groups, &key) {
        None => Ok(PreFilter::All),
        Some(gap) => Err(Rejection::unresolvable(format!("resource gap: {gap}"))),
    }
}

/// Returns the resources that are missing, as text; `None` if the free resources of all nodes suffice. The requests of
/// the group's own pods count as free.
fn gap(needed: &BTreeMap<String, Quantity>, groups: &Groups, key: &Key) -> Option<String> {
    let mut own: BTreeMap<node::Id, Vec<&Resources>> = BTreeMap::new();
    for member in groups.members(key).with_node.values() {
        own.entry(member.node).or_default().push(&member.requests);
    }
    let missing = needed.iter().filter_map(|(name, amount)| {
        let on_node = |(id, node)| free(name, node, own.get(&id).map_or(&[][..], Vec::as_slice));
        let missing = groups.nodes().map(on_node).fold(*amount, Quantity::minus);
        (missing.sign() > 0).then(|| format!("{name} {missing}"))
    });
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

/// Returns what is free of a resource on a node without the group's own pods there. A node whose pods request more than
/// is allocatable has nothing free.
fn free(name: &str, node: &Node, own: &[&Resources]) -> Quantity {
    if name == PODS {
        let free = node.allocatable.pods - node.usage.pods + own.len() as i64;
        return Quantity::from_value(free.max(0));
    }
    let resource = Resource::new(name);
    let own: i64 = own.iter().map(|requests| requests.get(&resource)).sum();
    let free = (node.allocatable.get(&resource) - node.usage.get(&resource) + own).max(0);
    if resource == Resource::Cpu { Quantity::from_milli(free) } else { Quantity::from_value(free) }
}
