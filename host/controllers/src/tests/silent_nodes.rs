//! Tests nodes whose kubelet is stopped or reports that the node is not ready.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::kinds::{Kind, Object, Typed};
use super::super::kubelet::{Kubelet, Nodes};
use super::super::metadata::Key;
use super::super::node::Node;
use super::super::node_lifecycle::{self, GRACE_PERIOD};
use super::super::options::Options;
use super::super::write::Plan;
use super::{ago, cluster, key, lines, node, now, pod, running, status, with};

fn says(value: &str) -> Value {
    json!({ "metadata": { "annotations": { "sim.berth.dev/kubelet": value } } })
}

fn ready(status: &str, reason: &str) -> Value {
    let message = "Kubelet stopped posting node status; the node is simulated";
    json!({ "status": { "conditions": [{ "type": "Ready", "status": status, "reason": reason, "message": message }] } })
}

/// Returns what the kubelets know after they have seen the node `n` at the time of the tests.
fn seen(cluster: &Cluster) -> Nodes {
    let mut nodes = Nodes::default();
    nodes.observe("n", None, cluster.get::<Node>(&Key::new("", "n")), now());
    nodes
}

fn plan_after(cluster: &Cluster, passed: Duration) -> Plan {
    node_lifecycle::plan(cluster, &seen(cluster), &key("n"), now() + passed)
}

#[test]
fn a_node_with_a_stopped_kubelet_becomes_unknown_after_the_grace_period() {
    let pressure = json!([{ "type": "Ready", "status": "True" }, { "type": "DiskPressure", "status": "False" }]);
    let cluster = cluster([node("n", with(says("stopped"), json!({ "status": { "conditions": pressure } })))]);
    let early = plan_after(&cluster, Duration::from_secs(20));
    assert_eq!((lines(&early).len(), early.rerun_after), (0, Some(GRACE_PERIOD - Duration::from_secs(20))));
    let conditions = status(&plan_after(&cluster, GRACE_PERIOD), Kind::Node)["conditions"].clone();
    let unknown: Vec<_> =
        conditions.as_array().into_iter().flatten().map(|one| (one["type"].clone(), one["status"].clone())).collect();
    assert_eq!(unknown, [(json!("Ready"), json!("Unknown")), (json!("DiskPressure"), json!("Unknown"))]);
}

#[test]
fn pods_of_an_unknown_node_are_not_ready_and_stay() {
    let lost = node("n", with(says("stopped"), ready("Unknown", "NodeStatusUnknown")));
    let deleting = json!({ "metadata": { "deletionTimestamp": ago(100), "deletionGracePeriodSeconds": 30 } });
    let cluster = cluster([lost, pod("a", running("n", 9)), pod("b", with(running("n", 9), deleting))]);
    let written = lines(&plan_after(&cluster, GRACE_PERIOD));
    let heads: Vec<&str> = written.iter().map(|line| line.split(" {").next().unwrap_or_default()).collect();
    assert_eq!(heads, ["patch Node n", "patch Pod/status default/a", "patch Pod/status default/b"]);
    assert!(written[0].contains("node.kubernetes.io/unreachable"), "{}", written[0]);
    assert!(written[1].contains(r#""reason":"NodeNotReady","status":"False""#), "{}", written[1]);
    let kubelet = Kubelet::new(&Options::default(), now());
    for name in ["default/a", "default/b"] {
        assert!(kubelet.plan(&cluster, &key(name), now()).writes.is_empty(), "{name}: the kubelet is stopped");
    }
}

#[test]
fn a_pod_of_a_node_that_is_out_of_service_is_deleted() {
    let tainted =
        json!({ "spec": { "taints": [{ "key": "node.kubernetes.io/out-of-service", "effect": "NoExecute" }] } });
    let deleting = json!({ "metadata": { "deletionTimestamp": ago(1), "deletionGracePeriodSeconds": 30 } });
    let plan = |ready_status: &str| {
        let node = node("n", with(with(says("stopped"), ready(ready_status, "x")), tainted.clone()));
        let cluster = cluster([node, pod("a", with(running("n", 9), deleting.clone()))]);
        lines(&Kubelet::new(&Options::default(), now()).plan(&cluster, &key("default/a"), now()))
    };
    assert_eq!(plan("True"), [] as [String; 0]);
    assert_eq!(plan("Unknown"), ["delete Pod default/a now"]);
}

#[test]
fn a_kubelet_that_comes_back_makes_its_node_and_pods_ready() {
    let node = |conditions: Value| {
        let cluster = cluster([node("n", conditions)]);
        status(&plan_after(&cluster, Duration::ZERO), Kind::Node)["conditions"][0]["status"].clone()
    };
    assert_eq!(node(ready("Unknown", "NodeStatusUnknown")), "True");
    assert_eq!(node(ready("False", "KubeletNotReady")), "True");
    assert_eq!(node(ready("False", "SetByAnAdministrator")), Value::Null);
    let condition = json!({ "type": "Ready", "status": "False", "reason": "NodeNotReady" });
    let lost = with(running("n1", 9), json!({ "status": { "conditions": [condition] } }));
    let container = json!([{ "name": "main", "ready": true, "state": { "running": { "startedAt": ago(9) } } }]);
    let lost = with(lost, json!({ "status": { "containerStatuses": container } }));
    let cluster = cluster([super::node("n1", json!({})), pod("a", lost)]);
    let plan = Kubelet::new(&Options::default(), now()).plan(&cluster, &key("default/a"), now());
    let conditions = status(&plan, Kind::Pod)["conditions"].clone();
    assert!(
        conditions.as_array().into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True"),
        "{conditions}"
    );
}

#[test]
fn a_kubelet_reports_that_its_node_is_not_ready() {
    let status = |node: Value| status(&plan_after(&cluster([node]), Duration::ZERO), Kind::Node);
    let reported = status(node("n", says("not-ready")));
    assert_eq!(
        (&reported["conditions"][0]["status"], &reported["conditions"][0]["reason"]),
        (&json!("False"), &json!("KubeletNotReady"))
    );
    assert_eq!(status(node("n", with(says("not-ready"), ready("False", "KubeletNotReady")))), Value::Null);
}

#[test]
fn allocatable_resources_follow_the_capacity() {
    let node = |capacity: &str, allocatable: &str| {
        let status = json!({ "status": { "capacity": { "cpu": capacity }, "allocatable": { "cpu": allocatable } } });
        super::object_of(super::node("n", status), 1)
    };
    let after = |before: Object, after: Object| {
        let mut nodes = Nodes::default();
        nodes.observe("n", Node::of(&before), Node::of(&after), now());
        let node = Node::of(&after).expect("a node");
        nodes.missing_status(node, now()).remove("allocatable").map(|amounts| amounts["cpu"].clone())
    };
    assert_eq!(after(node("8", "7500m"), node("16", "7500m")), Some(json!("15500m")));
    assert_eq!(after(node("8", "7500m"), node("4", "7500m")), Some(json!("3500m")));
    assert_eq!(after(node("8", "7"), node("16", "15")), None, "the writer changed both");
    assert_eq!(after(node("8", "7"), node("8", "7")), None);
    let mut nodes = Nodes::default();
    let states = [node("8", "8"), node("16", "8"), node("16", "16")];
    for pair in states.windows(2) {
        nodes.observe("n", Node::of(&pair[0]), Node::of(&pair[1]), now());
    }
    assert!(nodes.missing_status(Node::of(&states[2]).expect("a node"), now()).is_empty());
}
