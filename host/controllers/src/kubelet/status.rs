//! Builds the pod statuses that a kubelet writes.

use std::net::Ipv4Addr;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use super::super::metadata;
use super::super::pod::{Container, Pod};

/// Returns the status of a pod that has just started.
pub fn running(pod: &Pod, address: Ipv4Addr, host: Ipv4Addr, now: Timestamp) -> Value {
    let now = Time(now);
    let started = json!({ "running": { "startedAt": now } });
    let done = json!({ "terminated": {
        "exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now,
    } });
    let containers: Vec<Value> = pod.spec.containers.iter().map(|spec| container(pod, spec, &started, true)).collect();
    let inits = pod.spec.init_containers.iter().map(|spec| {
        let sidecar = spec.is_sidecar();
        container(pod, spec, if sidecar { &started } else { &done }, sidecar)
    });
    let inits: Vec<Value> = inits.collect();
    let mut conditions = vec![
        condition("PodReadyToStartContainers", true, "", &now),
        condition("Initialized", true, "", &now),
        condition("ContainersReady", true, "", &now),
        condition("Ready", true, "", &now),
    ];
    if !pod.status.conditions.iter().any(|condition| condition.type_ == "PodScheduled" && condition.status == "True") {
        conditions.push(condition("PodScheduled", true, "", &now));
    }
    let mut status = json!({
        "phase": "Running",
        "observedGeneration": pod.metadata.generation,
        "conditions": conditions,
        "hostIP": host, "hostIPs": [{ "ip": host }],
        "podIP": address, "podIPs": [{ "ip": address }],
        "startTime": pod.status.start_time.as_ref().unwrap_or(&now),
        "containerStatuses": containers,
    });
    if !inits.is_empty() {
        status["initContainerStatuses"] = json!(inits);
    }
    status
}

/// Returns the status of a pod whose containers have all finished with this exit code.
pub fn ended(pod: &Pod, code: i32, now: Timestamp) -> Value {
    let now = Time(now);
    let (phase, reason) = if code == 0 { ("Succeeded", "PodCompleted") } else { ("Failed", "PodFailed") };
    let state = json!({ "terminated": {
        "exitCode": code,
        "reason": if code == 0 { "Completed" } else { "Error" },
        "startedAt": pod.status.start_time.as_ref().unwrap_or(&now),
        "finishedAt": now,
    } });
    let containers: Vec<Value> = pod.spec.containers.iter().map(|spec| container(pod, spec, &state, false)).collect();
    json!({
        "phase": phase,
        "observedGeneration": pod.metadata.generation,
        "conditions": [
            condition("PodReadyToStartContainers", false, "", &now),
            condition("ContainersReady", false, reason, &now),
            condition("Ready", false, reason, &now),
        ],
        "startTime": pod.status.start_time.as_ref().unwrap_or(&now),
        "containerStatuses": containers,
    })
}

fn condition(type_: &str, status: bool, reason: &str, now: &Time) -> Value {
    let status = if status { "True" } else { "False" };
    let mut condition = json!({ "type": type_, "status": status, "lastProbeTime": null, "lastTransitionTime": now });
    if !reason.is_empty() {
        condition["reason"] = json!(reason);
    }
    condition
}

/// Returns a container's status. `ready` sets both `ready` and `started`, because probes are not simulated.
fn container(pod: &Pod, container: &Container, state: &Value, ready: bool) -> Value {
    let mut id = format!("sim://{}/{}", metadata::uid(&pod.metadata), container.name);
    id.retain(|letter| !letter.is_whitespace());
    json!({
        "name": container.name,
        "image": container.image,
        "imageID": container.image,
        "containerID": id,
        "restartCount": 0,
        "ready": ready,
        "started": ready,
        "state": state,
        "lastState": {},
    })
}
