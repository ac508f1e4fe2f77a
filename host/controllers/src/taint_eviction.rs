//! The taint eviction controller: deletes the pods of a node that do not tolerate its NoExecute taints, or do not tolerate
//! them any longer. Before the deletion, the pod gets the condition DisruptionTarget.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Taint, Toleration};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;

use super::cluster::Cluster;
use super::kinds::Kind;
use super::metadata::Key;
use super::node::Node;
use super::node_match::covers;
use super::pod::Pod;
use super::write::{Plan, Write};

/// The effect of a taint that evicts pods.
pub const NO_EXECUTE: &str = "NoExecute";
/// The type of the condition of a pod that is about to be deleted because of a disruption.
const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// Returns true if the pod runs on a node that can evict it.
pub fn concerns(cluster: &Cluster, pod: &Pod) -> bool {
    pod.active() && node_of(cluster, pod).is_some_and(|node| no_execute(node).next().is_some())
}

/// Returns the NoExecute taints of a node.
pub fn no_execute(node: &Node) -> impl Iterator<Item = &Taint> {
    node.spec.taints.iter().filter(|taint| taint.effect == NO_EXECUTE)
}

/// Returns the plan for one pod.
pub fn plan(cluster: &Cluster, key: &Key, now: Timestamp) -> Plan {
    let Some(pod) = cluster.get::<Pod>(key).filter(|pod| pod.active()) else { return Plan::none() };
    let Some(node) = node_of(cluster, pod) else { return Plan::none() };
    let mut left: Option<SignedDuration> = None;
    for taint in no_execute(node) {
        match stays(pod, taint, now) {
            Stay::Forever => {}
            Stay::For(duration) => left = Some(left.map_or(duration, |other| other.min(duration))),
        }
    }
    match left.map(Duration::try_from) {
        None => Plan::none(),
        Some(Ok(left)) if !left.is_zero() => Plan::later(left),
        Some(_) => evict(pod, now),
    }
}

fn node_of<'a>(cluster: &'a Cluster, pod: &Pod) -> Option<&'a Node> {
    cluster.get::<Node>(&Key::new("", pod.node()?))
}

/// How long a pod stays on a node with a taint.
enum Stay {
    Forever,
    /// For this time from now. At most 0 if the time is over.
    For(SignedDuration),
}

/// Returns how long the pod stays. The first toleration of the taint counts. The time begins when the taint was added, or
/// when the pod was created or started, whichever is later. A node without a kubelet starts no pods.
fn stays(pod: &Pod, taint: &Taint, now: Timestamp) -> Stay {
    let tolerates = |toleration: &&Toleration| covers(toleration, taint);
    let Some(toleration) = pod.spec.tolerations.iter().find(tolerates) else { return Stay::For(SignedDuration::ZERO) };
    let Some(seconds) = toleration.toleration_seconds else { return Stay::Forever };
    let times = [&taint.time_added, &pod.metadata.creation_timestamp, &pod.status.start_time];
    let begin = times.into_iter().flatten().map(|time| time.0).max().unwrap_or(now);
    let stayed = now.duration_since(begin);
    Stay::For(SignedDuration::from_secs(seconds.max(0)).saturating_sub(stayed))
}

/// Sets the condition, and deletes the pod when it has the condition.
fn evict(pod: &Pod, now: Timestamp) -> Plan {
    let mut conditions = pod.status.conditions.iter();
    if conditions.any(|condition| condition.type_ == DISRUPTION_TARGET && condition.status == "True") {
        return Plan::of([Write::delete(Kind::Pod, &pod.metadata)]);
    }
    let condition = json!({
        "type": DISRUPTION_TARGET, "status": "True", "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint", "lastTransitionTime": Time(now),
    });
    Plan::of([Write::status_merged(Kind::Pod, &pod.metadata, json!({ "conditions": [condition] }))])
}
