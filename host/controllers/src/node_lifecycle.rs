//! The status and the taints of nodes.
//!
//! As a kubelet: sets Ready on nodes without a Ready condition, gives nodes addresses, and makes resources of the capacity
//! allocatable. As the node lifecycle controller: sets taints from the node's conditions and `spec.unschedulable`. A NoExecute taint without `timeAdded` gets the present time, because the time for
//! which pods tolerate the taint begins then.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Map, Value, json};

use super::cluster::Cluster;
use super::kinds::Kind;
use super::kubelet;
use super::metadata::{self, Key};
use super::node::{Node, NodeStatus};
use super::taint_eviction::NO_EXECUTE;
use super::write::{Plan, Write};

const NO_SCHEDULE: &str = "NoSchedule";

/// Each entry is the type of a node condition, the status of the condition, and the key and effect of the taint that
/// the node gets while the condition has this status.
const CONDITION_TAINTS: [(&str, &str, &str, &str); 8] = [
    ("Ready", "False", "node.kubernetes.io/not-ready", NO_SCHEDULE),
    ("Ready", "Unknown", "node.kubernetes.io/unreachable", NO_SCHEDULE),
    ("Ready", "False", "node.kubernetes.io/not-ready", NO_EXECUTE),
    ("Ready", "Unknown", "node.kubernetes.io/unreachable", NO_EXECUTE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure", NO_SCHEDULE),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure", NO_SCHEDULE),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure", NO_SCHEDULE),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", NO_SCHEDULE),
];
/// The taint of a cordoned node.
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// Returns the plan for one node.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(node) = cluster.get::<Node>(key) else { return Plan::none() };
    let status = missing_status(node, now);
    if !status.is_empty() {
        return Plan::of([Write::status_merged(Kind::Node, &node.metadata, Value::Object(status))]);
    }
    let taints = taints(node, now);
    let changed = taints != node.spec.taints;
    Plan::of(changed.then(|| Write::merge_exact(Kind::Node, &node.metadata, json!({ "spec": { "taints": taints } }))))
}

/// Returns the fields of the status that a kubelet sets and the node lacks.
fn missing_status(node: &Node, now: Timestamp) -> Map<String, Value> {
    let mut status = Map::new();
    if node.condition("Ready").is_none() {
        let ready = json!({
            "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "the node is simulated",
            "lastHeartbeatTime": Time(now), "lastTransitionTime": Time(now),
        });
        status.insert("conditions".to_owned(), json!([ready]));
    }
    if node.status.addresses.is_empty() {
        let name = metadata::name(&node.metadata);
        let addresses = json!([
            { "type": "InternalIP", "address": kubelet::address_of_node(node) },
            { "type": "Hostname", "address": name },
        ]);
        status.insert("addresses".to_owned(), addresses);
    }
    let NodeStatus { capacity, allocatable, .. } = &node.status;
    let missing: Map<String, Value> = capacity
        .iter()
        .filter(|(resource, _)| !allocatable.contains_key(*resource))
        .map(|(resource, quantity)| (resource.clone(), json!(quantity)))
        .collect();
    if !missing.is_empty() {
        status.insert("allocatable".to_owned(), Value::Object(missing));
    }
    status
}

/// Returns the taints that the node should have: the existing taints, without obsolete taints of this controller,
/// plus the missing ones. NoExecute taints have the time at which they were added.
fn taints(node: &Node, now: Timestamp) -> Vec<Taint> {
    let wanted = |key: &str, effect: &str| {
        let by_condition = CONDITION_TAINTS.iter().any(|(condition, status, taint, of)| {
            (*taint, *of) == (key, effect) && node.condition(condition) == Some(status)
        });
        by_condition || (node.spec.unschedulable && (key, effect) == (UNSCHEDULABLE, NO_SCHEDULE))
    };
    let ours = || {
        let of_conditions = CONDITION_TAINTS.iter().map(|(_, _, taint, effect)| (*taint, *effect));
        of_conditions.chain([(UNSCHEDULABLE, NO_SCHEDULE)])
    };
    let has_taint =
        |key: &str, effect: &str| node.spec.taints.iter().any(|taint| taint.key == key && taint.effect == effect);
    let is_ours = |taint: &Taint| ours().any(|(key, effect)| taint.key == key && taint.effect == effect);
    let keep = |taint: &&Taint| !is_ours(taint) || wanted(&taint.key, &taint.effect);
    let mut taints: Vec<Taint> = node.spec.taints.iter().filter(keep).cloned().collect();
    let without_time = |taint: &&mut Taint| taint.effect == NO_EXECUTE && taint.time_added.is_none();
    taints.iter_mut().filter(without_time).for_each(|taint| taint.time_added = Some(Time(now)));
    for (key, effect) in ours().filter(|(key, effect)| wanted(key, effect) && !has_taint(key, effect)) {
        let time_added = (effect == NO_EXECUTE || key == UNSCHEDULABLE).then_some(Time(now));
        taints.push(Taint { key: key.to_owned(), effect: effect.to_owned(), value: None, time_added });
    }
    taints
}
