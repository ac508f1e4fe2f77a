//! The columns of pods. The status column is derived from the containers.

use jiff::Timestamp;
use serde_json::Value;

use super::{AGE_COLUMN, Column, age_column, or_none, text_column, wide_column};
use crate::clock;
use crate::value::{is_true, items, text, text_at};

/// The columns of Pods.
pub const PODS: &[Column] = &[
    text_column("Ready", ready),
    text_column("Status", |pod| status(pod).into()),
    age_column("Restarts", false, restarts),
    AGE_COLUMN,
    wide_column("IP", |pod| or_none(pod, "/status/podIP")),
    wide_column("Node", |pod| or_none(pod, "/spec/nodeName")),
    wide_column("Nominated Node", |pod| or_none(pod, "/status/nominatedNodeName")),
    wide_column("Readiness Gates", gates),
];

fn ready(pod: &Value) -> Value {
    let containers = items(&pod["spec"], "containers").count() + sidecars(pod).count();
    let ready = of_containers(pod).filter(|container| is_true(container, "ready")).count();
    format!("{ready}/{containers}").into()
}

/// Returns the names of the init containers that run as long as the pod.
fn sidecars(pod: &Value) -> impl Iterator<Item = &str> {
    let inits = items(&pod["spec"], "initContainers");
    inits.filter(|container| text(container, "restartPolicy") == "Always").map(|container| text(container, "name"))
}

/// Returns the statuses of the containers that run as long as the pod, those of sidecars first.
fn of_containers(pod: &Value) -> impl Iterator<Item = &Value> {
    let of_sidecar = |status: &&Value| sidecars(pod).any(|name| name == text(status, "name"));
    let inits = items(&pod["status"], "initContainerStatuses").filter(of_sidecar);
    inits.chain(items(&pod["status"], "containerStatuses"))
}

/// Returns the status of a pod in one word, as kubectl prints it.
fn status(pod: &Value) -> String {
    let mut found = text(&pod["status"], "phase").to_owned();
    if let reason @ (1..) = text(&pod["status"], "reason").len() {
        found = text(&pod["status"], "reason")[..reason].to_owned();
    }
    let gated = items(&pod["status"], "conditions")
        .any(|one| text(one, "type") == "PodScheduled" && text(one, "reason") == "SchedulingGated");
    if gated {
        found = "SchedulingGated".into();
    }
    match initializing(pod) {
        Some(status) => found = status,
        None => {
            let mut running = false;
            for container in items(&pod["status"], "containerStatuses").collect::<Vec<_>>().into_iter().rev() {
                running |= is_true(container, "ready") && container["state"].get("running").is_some();
                if let Some(reason) = reason_of(&container["state"]) {
                    found = reason;
                }
            }
            if found == "Completed" && running {
                found = if is_ready(pod) { "Running" } else { "NotReady" }.into();
            }
        }
    }
    if pod["metadata"].get("deletionTimestamp").is_some()
        && !matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed")
    {
        found = if text(&pod["status"], "reason") == "NodeLost" { "Unknown" } else { "Terminating" }.into();
    }
    found
}

fn is_ready(pod: &Value) -> bool {
    items(&pod["status"], "conditions").any(|one| text(one, "type") == "Ready" && text(one, "status") == "True")
}

/// Returns the progress of the init containers, or `None` if each has succeeded or, as a sidecar, has started.
fn initializing(pod: &Value) -> Option<String> {
    let total = items(&pod["spec"], "initContainers").count();
    for (index, container) in items(&pod["status"], "initContainerStatuses").enumerate() {
        let state = &container["state"];
        if state.pointer("/terminated/exitCode").and_then(Value::as_i64) == Some(0) || is_true(container, "started") {
            continue;
        }
        return Some(match reason_of(state) {
            Some(reason) if !matches!(reason.as_str(), "PodInitializing") => format!("Init:{reason}"),
            _ => format!("Init:{index}/{total}"),
        });
    }
    None
}

fn reason_of(state: &Value) -> Option<String> {
    let waiting = text_at(state, "/waiting/reason");
    if !waiting.is_empty() {
        return Some(waiting.to_owned());
    }
    let ended = state.get("terminated")?;
    match (text(ended, "reason"), ended["signal"].as_i64().unwrap_or_default()) {
        ("", 0) => Some(format!("ExitCode:{}", ended["exitCode"].as_i64().unwrap_or_default())),
        ("", signal) => Some(format!("Signal:{signal}")),
        (reason, _) => Some(reason.to_owned()),
    }
}

fn restarts(pod: &Value, now: Timestamp) -> Value {
    let count: i64 = of_containers(pod).filter_map(|container| container["restartCount"].as_i64()).sum();
    let last = of_containers(pod).map(|container| text_at(container, "/lastState/terminated/finishedAt")).max();
    match last.filter(|last| !last.is_empty() && count > 0) {
        Some(last) => format!("{count} ({} ago)", clock::age(Some(last), now)).into(),
        None => count.to_string().into(),
    }
}

fn gates(pod: &Value) -> Value {
    let gates = items(&pod["spec"], "readinessGates").count();
    if gates == 0 {
        return "<none>".into();
    }
    let met = |gate: &Value| {
        items(&pod["status"], "conditions")
            .any(|one| one["type"] == gate["conditionType"] && text(one, "status") == "True")
    };
    let ready = items(&pod["spec"], "readinessGates").filter(|gate| met(gate)).count();
    format!("{ready}/{gates}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sidecars_count_as_containers() {
        let pod = json!({
            "spec": { "initContainers": [{ "name": "setup" }, { "name": "proxy", "restartPolicy": "Always" }], "containers": [{ "name": "main" }] },
            "status": {
                "initContainerStatuses": [{ "name": "setup", "ready": true, "restartCount": 5 }, { "name": "proxy", "ready": true, "restartCount": 2 }],
                "containerStatuses": [{ "name": "main", "ready": false, "restartCount": 1 }],
            },
        });
        assert_eq!(ready(&pod), "1/2");
        assert_eq!(restarts(&pod, Timestamp::UNIX_EPOCH), "3");
    }

    #[test]
    fn the_status_column_follows_the_containers() {
        for (pod, expected) in [
            (json!({"status": {"phase": "Pending"}}), "Pending"),
            (json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted"),
            (
                json!({"status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]}}),
                "SchedulingGated",
            ),
            (
                json!({"status": {"phase": "Running", "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}}),
                "CrashLoopBackOff",
            ),
            (
                json!({"status": {"phase": "Succeeded", "containerStatuses": [{"state": {"terminated": {"reason": "Completed"}}}]}}),
                "Completed",
            ),
            (
                json!({"status": {"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}}),
                "ExitCode:3",
            ),
            (json!({"metadata": {"deletionTimestamp": "t"}, "status": {"phase": "Running"}}), "Terminating"),
            (
                json!({"spec": {"initContainers": [{}, {}]}, "status": {"phase": "Pending", "initContainerStatuses":
                [{"state": {"terminated": {"exitCode": 0}}}, {"state": {"running": {}}}]}}),
                "Init:1/2",
            ),
        ] {
            assert_eq!(status(&pod), expected);
        }
    }
}
