//! The node lifecycle controller: finds nodes whose kubelet is stopped, and sets taints from the node's conditions and
//! `spec.unschedulable`. Also writes the status that the node's kubelet reports.
//!
//! A NoExecute taint without `timeAdded` gets the present time, because the time for which pods tolerate the taint begins
//! then. The rate at which nodes get NoExecute taints is not limited, and pods are also evicted if all nodes fail.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::Kind;
use super::kubelet::{NODE_NOT_READY, Nodes};
use super::metadata::{self, Key};
use super::node::{KubeletState, NODE_STATUS_UNKNOWN, Node, SIMULATED};
use super::taint_eviction::NO_EXECUTE;
use super::write::{Plan, Write};

/// The time after which a node without a heartbeat is unknown: `--node-monitor-grace-period` of kube-controller-manager.
pub const GRACE_PERIOD: Duration = Duration::from_secs(50);
/// The conditions of a node that become unknown together, if the node has them.
const MONITORED: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
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
pub fn plan(cluster: &Cluster, nodes: &Nodes, key: &Key, now: Timestamp) -> Plan {
    let Some(node) = cluster.get::<Node>(key) else { return Plan::none() };
    if node.kubelet() == KubeletState::Stopped {
        let since = nodes.stopped_since(key.name()).unwrap_or(now);
        return stopped(cluster, node, since, now);
    }
    let status = nodes.missing_status(node, now);
    if !status.is_empty() {
        return Plan::of([Write::status_merged(Kind::Node, &node.metadata, Value::Object(status))]);
    }
    Plan::of(taint(node, now))
}

/// Returns the plan for a node whose kubelet is stopped: after the grace period, the conditions become unknown, and the
/// pods of the node are not ready.
fn stopped(cluster: &Cluster, node: &Node, since: Timestamp, now: Timestamp) -> Plan {
    let is_unknown = node.condition("Ready") == Some("Unknown");
    let passed = Duration::try_from(now.duration_since(since)).unwrap_or_default();
    let left = GRACE_PERIOD.saturating_sub(passed);
    if !is_unknown && left.is_zero() {
        let has = |type_: &&&str| **type_ == "Ready" || node.condition(type_).is_some();
        let conditions: Vec<Value> = MONITORED.iter().filter(has).map(|type_| unknown(type_, now)).collect();
        let status = json!({ "conditions": conditions });
        return Plan::of([Write::status_merged(Kind::Node, &node.metadata, status)]);
    }
    let mut plan = Plan::of(taint(node, now));
    if is_unknown {
        let pods = cluster.pods_of_node(metadata::name(&node.metadata)).filter(|(_, pod)| pod.ready());
        plan.writes.extend(pods.map(|(_, pod)| {
            let condition = json!({
                "type": "Ready", "status": "False", "reason": NODE_NOT_READY, "lastTransitionTime": Time(now),
            });
            Write::status_merged(Kind::Pod, &pod.metadata, json!({ "conditions": [condition] }))
        }));
    } else {
        plan.rerun_in(left);
    }
    plan
}

fn unknown(type_: &str, now: Timestamp) -> Value {
    json!({
        "type": type_, "status": "Unknown", "reason": NODE_STATUS_UNKNOWN,
        "message": format!("Kubelet stopped posting node status; {SIMULATED}"), "lastTransitionTime": Time(now),
    })
}

/// Sets the taints of the node, if they change.
fn taint(node: &Node, now: Timestamp) -> Option<Write> {
    let taints = taints(node, now);
    let changed = taints != node.spec.taints;
    changed.then(|| Write::merge_exact(Kind::Node, &node.metadata, json!({ "spec": { "taints": taints } })))
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
