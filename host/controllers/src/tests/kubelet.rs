//! Tests that pods run, finish, stop and are collected.

use serde_json::{Value, json};

use super::super::kinds::Kind;
use super::super::kubelet::Kubelet;
use super::super::options::Options;
use super::super::write::Plan;
use super::{ago, cluster, heads, key, lines, node, now, owned_by, pod, running, status, with};

fn plan(pod: Value, options: &Options) -> Plan {
    let cluster = cluster([node("n1", json!({})), pod]);
    Kubelet::new(options, now()).plan(&cluster, &key("default/a"), now())
}

fn bound(more: Value) -> Value {
    pod("a", with(json!({ "spec": { "nodeName": "n1" }, "status": { "phase": "Pending" } }), more))
}

#[test]
fn a_bound_pod_runs() {
    let init = json!([
        { "name": "setup", "image": "busybox" },
        { "name": "proxy", "image": "busybox", "restartPolicy": "Always" },
    ]);
    let plan = plan(bound(json!({ "spec": { "initContainers": init } })), &Options::default());
    let status = status(&plan, Kind::Pod);
    assert_eq!(status["phase"], "Running");
    assert_eq!(status["startTime"], "2026-01-02T03:04:05Z");
    let of_type =
        |type_: &str| status["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_).cloned();
    for type_ in ["Initialized", "ContainersReady", "Ready", "PodScheduled"] {
        assert_eq!(of_type(type_).map(|condition| condition["status"].clone()), Some(json!("True")), "{type_}");
    }
    assert!(status["podIP"].as_str().is_some_and(|address| address.starts_with("10.")), "{}", status["podIP"]);
    assert!(status["containerStatuses"][0]["state"]["running"].is_object());
    assert_eq!(status["containerStatuses"][0]["ready"], true);
    assert_eq!(status["initContainerStatuses"][0]["state"]["terminated"]["exitCode"], 0);
    assert!(status["initContainerStatuses"][1]["state"]["running"].is_object());
}

#[test]
fn pods_have_their_own_address_or_their_nodes_address() {
    let host = node("n1", json!({ "status": { "addresses": [{ "type": "InternalIP", "address": "192.0.2.7" }] } }));
    let on_host = pod("b", json!({ "spec": { "nodeName": "n1", "hostNetwork": true } }));
    let cluster = cluster([host, bound(json!({})), on_host]);
    let kubelet = Kubelet::new(&Options::default(), now());
    let address = |name: &str| {
        let status = status(&kubelet.plan(&cluster, &key(name), now()), Kind::Pod);
        (status["podIP"].clone(), status["hostIP"].clone())
    };
    let (first, second) = (address("default/a"), address("default/a"));
    assert_ne!(first.0, second.0);
    assert_eq!(first.1, "192.0.2.7");
    assert_eq!(address("default/b"), (json!("192.0.2.7"), json!("192.0.2.7")));
}

#[test]
fn pods_finish_after_their_run_time() {
    let once = |metadata: Value| json!({ "metadata": metadata, "spec": { "restartPolicy": "Never" } });
    let seconds = |text: &str| once(json!({ "annotations": { "sim.berth.dev/run-seconds": text } }));
    let failing = once(json!({ "annotations": { "sim.berth.dev/run-seconds": "5", "sim.berth.dev/exit-code": "3" } }));
    let of_job = once(json!({ "ownerReferences": owned_by("batch/v1", "Job", "j") }));
    let of_set = json!({ "metadata": { "ownerReferences": owned_by("apps/v1", "ReplicaSet", "r") } });
    // Each case: the pod's changes, its run time so far, its new phase, and the seconds until the next run.
    let cases = [
        (json!({}), 1000, None, None),
        (seconds("5"), 4, None, Some(1)),
        (seconds("5"), 5, Some("Succeeded"), None),
        (seconds("forever"), 1000, None, None),
        (seconds("-1"), 1000, None, None),
        (failing, 6, Some("Failed"), None),
        (of_job, 1, Some("Succeeded"), None),
        (of_set, 1000, None, None),
    ];
    for (says, ran, phase, again) in cases {
        let pod = pod("a", with(running("n1", ran), says.clone()));
        let plan = plan(pod, &Options::default());
        let status = status(&plan, Kind::Pod);
        assert_eq!(status["phase"].as_str(), phase, "{says}");
        assert_eq!(plan.rerun_after.map(|after| after.as_secs()), again, "{says}");
        if phase == Some("Failed") {
            assert_eq!(status["containerStatuses"][0]["state"]["terminated"]["exitCode"], 3);
        }
    }
}

#[test]
fn a_deleted_pod_is_removed_when_its_containers_have_stopped() {
    let deleted = |finalizers: Value, phase: &str, grace: i64| {
        bound(json!({
            "metadata": { "deletionTimestamp": ago(-20), "deletionGracePeriodSeconds": grace, "finalizers": finalizers },
            "status": { "phase": phase },
        }))
    };
    // The deletion was requested ten seconds ago.
    let takes = |seconds: &str, phase: &str| {
        let annotation = json!({ "metadata": { "annotations": { "sim.berth.dev/stop-seconds": seconds } } });
        with(deleted(json!([]), phase, 30), annotation)
    };
    let hook = |hook: Value| {
        let container = json!({ "name": "main", "image": "busybox", "lifecycle": { "preStop": hook } });
        with(deleted(json!([]), "Running", 30), json!({ "spec": { "containers": [container] } }))
    };
    let command = |command: &[&str]| hook(json!({ "exec": { "command": command } }));
    let none: [&str; 0] = [];
    let now: [&str; 1] = ["delete Pod default/a now"];
    let annotated = json!({ "metadata": { "annotations": { "sim.berth.dev/stop-seconds": "5" } } });
    let both = with(hook(json!({ "sleep": { "seconds": 12 } })), annotated);
    let cases: [(_, &[&str], _); 14] = [
        (deleted(json!([]), "Running", 30), &now, None),
        (deleted(json!([]), "Pending", 30), &now, None),
        (takes("12", "Running"), &none, Some(2)),
        (takes("10", "Running"), &now, None),
        (takes("12", "Pending"), &now, None),
        (takes("500", "Running"), &none, Some(20)),
        (hook(json!({ "sleep": { "seconds": 12 } })), &none, Some(2)),
        (command(&["sleep", "12"]), &none, Some(2)),
        (command(&["sh", "-c", "echo bye; sleep 15s; true"]), &none, Some(5)),
        (hook(json!({ "httpGet": { "port": 80 } })), &now, None),
        (both, &none, Some(7)),
        (deleted(json!(["x/y"]), "Running", 30), &["patch Pod/status default/a"], None),
        (deleted(json!(["x/y"]), "Failed", 30), &now, None),
        (deleted(json!(["x/y"]), "Failed", 0), &none, None),
    ];
    for (pod, wanted, again) in cases {
        let plan = plan(pod.clone(), &Options::default());
        let found: Vec<String> =
            lines(&plan).iter().map(|line| line.split(" {").next().unwrap_or_default().to_owned()).collect();
        assert_eq!(found, wanted, "{pod}");
        assert_eq!(plan.rerun_after.map(|after| after.as_secs()), again, "{pod}");
    }
}

#[test]
fn a_pod_of_a_deleted_node_is_collected() {
    let cluster = cluster([pod("a", running("lost", 9)), pod("b", json!({}))]);
    let kubelet = Kubelet::new(&Options::default(), now());
    let of = |name: &str| lines(&kubelet.plan(&cluster, &key(name), now()));
    assert_eq!(of("default/a"), ["delete Pod default/a now unless Node lost"]);
    assert_eq!(of("default/b"), [] as [String; 0], "not bound");
    assert!(heads(&kubelet.plan(&cluster, &key("default/missing"), now())).is_empty());
}
