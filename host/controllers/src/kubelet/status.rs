//! Builds the pod statuses that a kubelet writes.

use std::net::Ipv4Addr;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use super::super::container::{Container, ContainerState, ContainerStatus, End};
use super::super::metadata;
use super::super::pod::{Pod, PodCondition};
use super::containers::status_of;

/// The reason of a Ready condition that is false because the pod's node is not reachable. The kubelet sets the condition
/// again when it comes back.
pub const NODE_NOT_READY: &str = "NodeNotReady";
/// The reason of the conditions of a running pod with a container that is not ready.
const CONTAINERS_NOT_READY: &str = "ContainersNotReady";

/// The addresses of a pod and of its node.
#[derive(Clone, Copy, Debug)]
pub struct Hosts {
    /// The pod's address.
    pub pod: Ipv4Addr,
    /// The node's address.
    pub node: Ipv4Addr,
}

/// Returns the status of a pod that the kubelet has accepted, and whose containers start later.
pub fn starting(pod: &Pod, host: Ipv4Addr, now: Timestamp) -> Value {
    let inits = &pod.spec.init_containers;
    let reason = if inits.is_empty() { "ContainerCreating" } else { "PodInitializing" };
    let waiting = |spec: &Container| {
        let mut status = container(pod, spec, &ContainerStatus::default());
        status["state"] = json!({ "waiting": { "reason": reason } });
        status
    };
    let mut status = json!({
        "phase": "Pending",
        "observedGeneration": pod.metadata.generation,
        "conditions": conditions(pod, now, &[
            ("PodReadyToStartContainers", false, ""),
            ("Initialized", inits.is_empty(), "ContainersNotInitialized"),
            ("ContainersReady", false, CONTAINERS_NOT_READY),
            ("Ready", false, CONTAINERS_NOT_READY),
            ("PodScheduled", true, ""),
        ]),
        "hostIP": host, "hostIPs": [{ "ip": host }],
        "startTime": started(pod, now),
        "containerStatuses": pod.spec.containers.iter().map(waiting).collect::<Vec<_>>(),
    });
    if !inits.is_empty() {
        status["initContainerStatuses"] = inits.iter().map(waiting).collect();
    }
    status
}

/// Returns the status of a pod whose containers start now. They are ready if `ready`.
pub fn running(pod: &Pod, hosts: Hosts, ready: bool, now: Timestamp) -> Value {
    let runs =
        |ready| ContainerStatus { ready, state: ContainerState::Running(Some(now)), ..ContainerStatus::default() };
    let done = End { code: 0, started: Some(now), finished: Some(now) };
    let done = ContainerStatus { ready: true, state: ContainerState::Ended(done), ..ContainerStatus::default() };
    let init = |spec: &Container| container(pod, spec, &if spec.is_sidecar() { runs(true) } else { done.clone() });
    let Hosts { pod: address, node: host } = hosts;
    let mut status = json!({
        "phase": "Running",
        "observedGeneration": pod.metadata.generation,
        "conditions": conditions(pod, now, &[
            ("PodReadyToStartContainers", true, ""),
            ("Initialized", true, ""),
            ("ContainersReady", ready, CONTAINERS_NOT_READY),
            ("Ready", ready, CONTAINERS_NOT_READY),
            ("PodScheduled", true, ""),
        ]),
        "hostIP": host, "hostIPs": [{ "ip": host }],
        "podIP": address, "podIPs": [{ "ip": address }],
        "startTime": started(pod, now),
        "containerStatuses": pod.spec.containers.iter().map(|spec| container(pod, spec, &runs(ready))).collect::<Vec<_>>(),
    });
    if !pod.spec.init_containers.is_empty() {
        status["initContainerStatuses"] = pod.spec.init_containers.iter().map(init).collect();
    }
    status
}

/// Returns the changed status of a running pod with these container statuses.
pub fn changed(pod: &Pod, statuses: &[ContainerStatus], now: Timestamp) -> Value {
    let specs = pod.spec.containers.iter().zip(statuses);
    let unready: Vec<&str> = statuses.iter().filter(|status| !status.ready).map(|status| &*status.name).collect();
    let mut conditions = conditions(
        pod,
        now,
        &[
            ("ContainersReady", unready.is_empty(), CONTAINERS_NOT_READY),
            ("Ready", unready.is_empty(), CONTAINERS_NOT_READY),
        ],
    );
    for condition in conditions.iter_mut().filter(|condition| condition["status"] == "False") {
        condition["message"] = json!(format!("containers with unready status: [{}]", unready.join(" ")));
    }
    json!({
        "conditions": conditions,
        "containerStatuses": specs.map(|(spec, status)| container(pod, spec, status)).collect::<Vec<_>>(),
    })
}

/// Returns the status of a pod whose containers have all ended. Sidecars stop with them.
pub fn ended(pod: &Pod, statuses: &[ContainerStatus], now: Timestamp) -> Value {
    let code = |status: &ContainerStatus| match status.state {
        ContainerState::Ended(end) => end.code,
        _ => 0,
    };
    let succeeded = statuses.iter().all(|status| code(status) == 0);
    let (phase, reason) = if succeeded { ("Succeeded", "PodCompleted") } else { ("Failed", "PodFailed") };
    let specs = pod.spec.containers.iter().zip(statuses);
    let mut status = json!({
        "phase": phase,
        "observedGeneration": pod.metadata.generation,
        "conditions": conditions(pod, now, &[
            ("PodReadyToStartContainers", false, ""),
            ("ContainersReady", false, reason),
            ("Ready", false, reason),
        ]),
        "startTime": started(pod, now),
        "containerStatuses": specs.map(|(spec, status)| container(pod, spec, status)).collect::<Vec<_>>(),
    });
    let inits = &pod.status.init_container_statuses;
    if inits.iter().any(|status| matches!(status.state, ContainerState::Running(_))) {
        let init = |spec: &Container| {
            let found = inits.iter().find(|status| *status.name == *spec.name).cloned().unwrap_or_default();
            container(pod, spec, &stopped(found, 0, now))
        };
        status["initContainerStatuses"] = pod.spec.init_containers.iter().map(init).collect();
    }
    status
}

/// Returns the statuses of the pod's containers after the kubelet has stopped those that still run.
pub fn all_stopped(pod: &Pod, code: i32, now: Timestamp) -> Vec<ContainerStatus> {
    pod.spec.containers.iter().map(|container| stopped(status_of(pod, container), code, now)).collect()
}

/// Ends a container that has not ended.
fn stopped(status: ContainerStatus, code: i32, now: Timestamp) -> ContainerStatus {
    let started = match status.state {
        ContainerState::Ended(_) => return status,
        ContainerState::Running(started) => started,
        ContainerState::Waiting(_) => None,
    };
    let end = End { code, started: started.or(Some(now)), finished: Some(now) };
    ContainerStatus { ready: false, state: ContainerState::Ended(end), ..status }
}

/// Returns the time at which the kubelet accepted the pod: now, if it has not accepted the pod before.
fn started(pod: &Pod, now: Timestamp) -> Time {
    pod.status.start_time.clone().unwrap_or(Time(now))
}

/// Returns the conditions that the pod does not have with this status. Each entry is a type, the status, and the reason if
/// the status is false.
fn conditions(pod: &Pod, now: Timestamp, wanted: &[(&str, bool, &str)]) -> Vec<Value> {
    let mut conditions = Vec::new();
    for (type_, is_true, reason) in wanted {
        let status = if *is_true { "True" } else { "False" };
        let reason = (!is_true && !reason.is_empty()).then_some(*reason);
        let has = |existing: &PodCondition| existing.status == status && existing.reason.as_deref() == reason;
        if !pod.condition(type_).is_some_and(has) {
            // A strategic merge patch removes the fields that are null.
            conditions.push(json!({
                "type": type_, "status": status, "reason": reason, "message": null,
                "lastProbeTime": null, "lastTransitionTime": Time(now),
            }));
        }
    }
    conditions
}

/// Returns a container's status as JSON. A running container counts as started, because startup probes are not simulated.
fn container(pod: &Pod, spec: &Container, status: &ContainerStatus) -> Value {
    let mut id = format!("sim://{}/{}", metadata::uid(&pod.metadata), spec.name);
    id.retain(|letter| !letter.is_whitespace());
    let is_running = matches!(status.state, ContainerState::Running(_));
    json!({
        "name": spec.name,
        "image": spec.image,
        "imageID": spec.image,
        "containerID": id,
        "restartCount": status.restart_count,
        "ready": status.ready,
        "started": is_running,
        "state": state(status),
        "lastState": status.last.map_or_else(|| json!({}), |end| json!({ "terminated": terminated(end) })),
    })
}

fn state(status: &ContainerStatus) -> Value {
    match &status.state {
        ContainerState::Waiting(message) => {
            json!({ "waiting": { "reason": "CrashLoopBackOff", "message": message } })
        }
        ContainerState::Running(started) => json!({ "running": { "startedAt": started.map(Time) } }),
        ContainerState::Ended(end) => json!({ "terminated": terminated(*end) }),
    }
}

fn terminated(end: End) -> Value {
    json!({
        "exitCode": end.code,
        "reason": if end.code == 0 { "Completed" } else { "Error" },
        "startedAt": end.started.map(Time),
        "finishedAt": end.finished.map(Time),
    })
}
