//! Tests how the containers of a pod start, become ready, exit, wait and restart over time.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::kubelet::Kubelet;
use super::super::options::Options;
use super::super::write::Action;
use super::{cluster, key, node, now, pod, with};

/// Plays the life of a bound pod for this time. Returns the seconds at which its status changes, with the status in short.
fn life(pod: Value, seconds: i64) -> Vec<(i64, String)> {
    let (kubelet, start) = (Kubelet::new(&Options::default(), now()), now());
    let mut pod = with(pod, json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Pending" } }));
    let (mut time, mut log) = (start, Vec::new());
    loop {
        let plan = kubelet.plan(&cluster([node("n1", json!({})), pod.clone()]), &key("default/a"), time);
        match (plan.writes.first().map(|write| &write.action), plan.rerun_after) {
            (Some(Action::Patch { body, .. }), _) => {
                patch(&mut pod["status"], &body["status"]);
                log.push((passed(start, time), short(&pod["status"])));
            }
            (None, Some(after)) => time += after,
            _ => return log,
        }
        if passed(start, time) > seconds {
            return log;
        }
    }
}

fn passed(start: Timestamp, time: Timestamp) -> i64 {
    time.duration_since(start).as_secs()
}

/// Applies a strategic merge patch to a status: conditions are merged by their type.
fn patch(status: &mut Value, change: &Value) {
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    for new in change["conditions"].as_array().into_iter().flatten() {
        conditions.retain(|old| old["type"] != new["type"]);
        conditions.push(new.clone());
    }
    json_patch::merge(status, change);
    status["conditions"] = json!(conditions);
}

/// Returns the phase, whether the pod is ready, and for each container the restarts and the state.
fn short(status: &Value) -> String {
    let ready = status["conditions"].as_array().into_iter().flatten().find(|condition| condition["type"] == "Ready");
    let ready = if ready.is_some_and(|ready| ready["status"] == "True") { " ready" } else { "" };
    let mut text = format!("{}{ready}", status["phase"].as_str().unwrap_or_default());
    for container in status["containerStatuses"].as_array().into_iter().flatten() {
        let state = container["state"].as_object().and_then(|state| state.iter().next());
        let (name, state) = state.map(|(name, state)| (name.as_str(), state.clone())).unwrap_or_default();
        let detail = match name {
            "waiting" => state["reason"].clone(),
            "terminated" => state["exitCode"].clone(),
            _ => Value::Null,
        };
        let detail = if detail.is_null() { String::new() } else { format!(" {detail}").replace('"', "") };
        text += &format!(", {} {name}{detail}", container["restartCount"]);
    }
    text
}

fn annotated(policy: &str, annotations: &[(&str, &str)]) -> Value {
    let annotations: serde_json::Map<String, Value> =
        annotations.iter().map(|(name, value)| (format!("sim.berth.dev/{name}"), json!(value))).collect();
    pod("a", json!({ "metadata": { "annotations": annotations }, "spec": { "restartPolicy": policy } }))
}

fn lines(log: &[(i64, String)]) -> Vec<(i64, &str)> {
    log.iter().map(|(time, text)| (*time, text.as_str())).collect()
}

#[test]
fn a_container_restarts_with_the_back_off_of_a_kubelet() {
    let log = life(annotated("Always", &[("run-seconds", "2"), ("exit-code", "1")]), 1500);
    assert_eq!(
        lines(&log)[..7],
        [
            (0, "Running ready, 0 running"),
            (2, "Running ready, 1 running"),
            (4, "Running, 1 waiting CrashLoopBackOff"),
            (14, "Running ready, 2 running"),
            (16, "Running, 2 waiting CrashLoopBackOff"),
            (36, "Running ready, 3 running"),
            (38, "Running, 3 waiting CrashLoopBackOff"),
        ]
    );
    let starts: Vec<i64> = log.iter().filter(|(_, text)| text.ends_with("running")).map(|(time, _)| *time).collect();
    let waits: Vec<i64> = starts.windows(2).map(|pair| pair[1] - pair[0] - 2).collect();
    assert_eq!(waits, [0, 10, 20, 40, 80, 160, 300, 300, 300]);
}

#[test]
fn the_back_off_begins_anew_after_a_long_run() {
    let log = life(annotated("Always", &[("run-seconds", "700")]), 2200);
    assert_eq!(
        lines(&log),
        [
            (0, "Running ready, 0 running"),
            (700, "Running ready, 1 running"),
            (1400, "Running ready, 2 running"),
            (2100, "Running ready, 3 running"),
        ]
    );
}

#[test]
fn the_restart_policy_and_the_number_of_restarts_decide_what_follows_an_exit() {
    let (short_run, fails) = (("run-seconds", "5"), ("exit-code", "3"));
    let end = |pod: Value| life(pod, 1000).pop().expect("a change");
    let cases = [
        (annotated("Never", &[short_run]), (5, "Succeeded, 0 terminated 0")),
        (annotated("Never", &[short_run, fails, ("restarts", "2")]), (5, "Failed, 0 terminated 3")),
        (annotated("OnFailure", &[short_run]), (5, "Succeeded, 0 terminated 0")),
        (annotated("OnFailure", &[short_run, fails, ("restarts", "1")]), (10, "Succeeded, 1 terminated 0")),
        (annotated("Always", &[short_run, fails, ("restarts", "1")]), (5, "Running ready, 1 running")),
        (annotated("Always", &[short_run, fails, ("restarts", "0")]), (0, "Running ready, 0 running")),
    ];
    for (pod, wanted) in cases {
        let (time, text) = end(pod.clone());
        assert_eq!((time, text.as_str()), wanted, "{pod}");
    }
}

#[test]
fn containers_start_and_become_ready_later() {
    let log = life(annotated("Always", &[("start-seconds", "20"), ("ready-seconds", "5")]), 100);
    assert_eq!(
        lines(&log),
        [(0, "Pending, 0 waiting ContainerCreating"), (20, "Running, 0 running"), (25, "Running ready, 0 running"),]
    );
    let twice = [("ready-seconds", "5"), ("run-seconds", "60"), ("restarts", "1")];
    assert_eq!(
        lines(&life(annotated("Always", &twice), 100)),
        [
            (0, "Running, 0 running"),
            (5, "Running ready, 0 running"),
            (60, "Running, 1 running"),
            (65, "Running ready, 1 running"),
        ]
    );
}

#[test]
fn containers_with_their_own_policy_end_apart() {
    let containers = json!([
        { "name": "main", "image": "busybox", "restartPolicy": "Never" }, { "name": "side", "image": "busybox" },
    ]);
    let pod = with(
        annotated("Always", &[("run-seconds", "5"), ("restarts", "1")]),
        json!({ "spec": { "containers": containers } }),
    );
    assert_eq!(
        lines(&life(pod, 100)),
        [(0, "Running ready, 0 running, 0 running"), (5, "Running, 0 terminated 0, 1 running"),]
    );
}

#[test]
fn sidecars_stop_with_the_pod() {
    let inits = json!([
        { "name": "setup", "image": "busybox" }, { "name": "proxy", "image": "busybox", "restartPolicy": "Always" },
    ]);
    let mut pod = with(
        annotated("Never", &[("run-seconds", "5")]),
        json!({ "spec": { "initContainers": inits, "nodeName": "n1" } }),
    );
    let kubelet = Kubelet::new(&Options::default(), now());
    for time in [now(), now() + Duration::from_secs(5)] {
        let plan = kubelet.plan(&cluster([node("n1", json!({})), pod.clone()]), &key("default/a"), time);
        let Some(Action::Patch { body, .. }) = plan.writes.first().map(|write| &write.action) else {
            panic!("{plan:?}")
        };
        patch(&mut pod["status"], &body["status"]);
    }
    let inits = &pod["status"]["initContainerStatuses"];
    assert_eq!(inits[0]["state"]["terminated"]["finishedAt"], "2026-01-02T03:04:05Z", "{inits}");
    assert_eq!(inits[1]["state"]["terminated"]["finishedAt"], "2026-01-02T03:04:10Z", "{inits}");
    assert_eq!(pod["status"]["phase"], "Succeeded");
}
