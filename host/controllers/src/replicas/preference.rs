//! Chooses the pods to delete from a set with too many pods.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;

use super::super::metadata;
use super::super::pod::Pod;

/// The annotation with an integer cost. Pods with a lower cost are deleted first.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Returns the `count` pods to delete first: unassigned before assigned, pending before unknown before running, not
/// ready before ready, low deletion cost before high, many pods of the set on the node before few, recently ready
/// before long ready, recently created before long existing.
pub fn least_wanted<'a>(pods: &[&'a Pod], count: usize, now: Timestamp) -> Vec<&'a Pod> {
    if count == 0 {
        return Vec::new();
    }
    let mut on_node: HashMap<&str, usize> = HashMap::new();
    for node in pods.iter().filter_map(|pod| pod.node()) {
        *on_node.entry(node).or_default() += 1;
    }
    let mut pods = pods.to_vec();
    pods.sort_by_cached_key(|pod| rank(pod, &on_node, now));
    pods.truncate(count);
    pods
}

type Rank = (bool, u8, bool, i32, Reverse<usize>, Reverse<Timestamp>, Reverse<i32>, Reverse<Timestamp>, String);

fn rank(pod: &Pod, on_node: &HashMap<&str, usize>, now: Timestamp) -> Rank {
    let phase = match pod.phase() {
        "Pending" => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let cost = metadata::annotation(&pod.metadata, DELETION_COST).and_then(|text| text.parse().ok()).unwrap_or(0);
    let crowd = pod.node().and_then(|node| on_node.get(node)).copied().unwrap_or(0);
    let ready = pod.ready_since().map_or(now, |time| time.0);
    let created = pod.metadata.creation_timestamp.as_ref().map_or(now, |time| time.0);
    let name = metadata::name(&pod.metadata).to_owned();
    (
        pod.node().is_some(),
        phase,
        pod.ready(),
        cost,
        Reverse(crowd),
        Reverse(ready),
        Reverse(pod.restarts()),
        Reverse(created),
        name,
    )
}
