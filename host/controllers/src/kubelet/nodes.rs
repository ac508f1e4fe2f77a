//! The status that kubelets report for their nodes.
//!
//! A kubelet reports Ready, addresses, and the allocatable resources of the capacity. The annotation
//! `sim.berth.dev/kubelet` of a node makes its kubelet report that the node is not ready, or stops the kubelet.

use std::collections::{BTreeMap, HashMap};

use berth_quantity::Quantity as Amount;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Map, Value, json};

use super::super::metadata;
use super::super::node::{KUBELET_NOT_READY, KubeletState, Node, NodeCondition, NodeStatus, SIMULATED};
use super::addresses;

/// What the kubelets know about their nodes in addition to the state of the nodes.
#[derive(Debug, Default)]
pub struct Nodes {
    /// The time since which the kubelet of a node is stopped.
    stopped: HashMap<String, Timestamp>,
    /// The allocatable resources that follow from a change of the capacity, until the node has them.
    resized: HashMap<String, BTreeMap<String, Quantity>>,
}

impl Nodes {
    /// Takes note of a change of a node.
    pub fn observe(&mut self, name: &str, before: Option<&Node>, after: Option<&Node>, now: Timestamp) {
        let Some(after) = after else {
            self.stopped.remove(name);
            self.resized.remove(name);
            return;
        };
        if after.kubelet() == KubeletState::Stopped {
            self.stopped.entry(name.to_owned()).or_insert(now);
        } else {
            self.stopped.remove(name);
        }
        if let Some(waiting) = self.resized.get_mut(name) {
            let allocatable = &after.status.allocatable;
            waiting.retain(|resource, amount| allocatable.get(resource).and_then(parse) != parse(amount));
        }
        let resized = before.map(|before| resized(&before.status, &after.status)).unwrap_or_default();
        if !resized.is_empty() {
            self.resized.entry(name.to_owned()).or_default().extend(resized);
        }
        self.resized.retain(|_, resources| !resources.is_empty());
    }

    /// Returns the time since which the node's kubelet is stopped.
    pub fn stopped_since(&self, node: &str) -> Option<Timestamp> {
        self.stopped.get(node).copied()
    }

    /// Returns the fields of the status that the node's kubelet sets and the node lacks.
    pub fn missing_status(&self, node: &Node, now: Timestamp) -> Map<String, Value> {
        let mut status = Map::new();
        let conditions = conditions(node, now);
        if !conditions.is_empty() {
            status.insert("conditions".to_owned(), Value::Array(conditions));
        }
        let name = metadata::name(&node.metadata);
        if node.status.addresses.is_empty() {
            let addresses = json!([
                { "type": "InternalIP", "address": addresses::of_node(node) },
                { "type": "Hostname", "address": name },
            ]);
            status.insert("addresses".to_owned(), addresses);
        }
        let NodeStatus { capacity, allocatable, .. } = &node.status;
        let missing = capacity.iter().filter(|(resource, _)| !allocatable.contains_key(*resource));
        let resized = self.resized.get(name).into_iter().flatten();
        let changed: Map<String, Value> =
            missing.chain(resized).map(|(resource, quantity)| (resource.clone(), json!(quantity))).collect();
        if !changed.is_empty() {
            status.insert("allocatable".to_owned(), Value::Object(changed));
        }
        status
    }
}

/// Returns the allocatable resources after a change of the capacity: each changes by as much as its capacity. A resource
/// whose allocatable amount was changed too stays as it is.
fn resized(before: &NodeStatus, after: &NodeStatus) -> BTreeMap<String, Quantity> {
    let amount = |resource: &String, new: &Quantity| {
        let old = before.capacity.get(resource).filter(|old| *old != new)?;
        let allocatable = after.allocatable.get(resource)?;
        if before.allocatable.get(resource) != Some(allocatable) {
            return None;
        }
        let amount = parse(allocatable)?.plus(parse(new)?).minus(parse(old)?);
        Some(Quantity(amount.max(Amount::from_value(0)).to_string()))
    };
    after.capacity.iter().filter_map(|(resource, new)| Some((resource.clone(), amount(resource, new)?))).collect()
}

fn parse(quantity: &Quantity) -> Option<Amount> {
    quantity.0.parse().ok()
}

/// Returns the conditions that the node's kubelet changes: Ready if it is absent or differs from the annotation, and those
/// that became Unknown while the kubelet was stopped.
fn conditions(node: &Node, now: Timestamp) -> Vec<Value> {
    let is_ready = node.kubelet() == KubeletState::Running;
    let ready = || report("Ready", is_ready, if is_ready { "KubeletReady" } else { KUBELET_NOT_READY }, now);
    let heals = |condition: &NodeCondition| condition.is_simulated_failure;
    let mut changed = Vec::new();
    match node.status.conditions.iter().find(|condition| condition.type_ == "Ready") {
        None => changed.push(ready()),
        Some(existing) if is_ready && heals(existing) => changed.push(ready()),
        Some(existing) if !is_ready && existing.status != "False" => changed.push(ready()),
        Some(_) => {}
    }
    let others = node.status.conditions.iter().filter(|condition| condition.type_ != "Ready" && heals(condition));
    changed.extend(others.map(|condition| report(&condition.type_, false, "KubeletHasNoPressure", now)));
    changed
}

fn report(type_: &str, is_true: bool, reason: &str, now: Timestamp) -> Value {
    json!({
        "type": type_, "status": if is_true { "True" } else { "False" }, "reason": reason, "message": SIMULATED,
        "lastHeartbeatTime": Time(now), "lastTransitionTime": Time(now),
    })
}
