//! Tests the Ready condition and the taints of nodes, and the schedule of lease renewals.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::kinds::Kind;
use super::super::kubelet::Nodes;
use super::super::leases::Schedule;
use super::super::{namespace, node_lifecycle};
use super::{cluster, key, lines, node, now, status};

fn taints(spec: Value, conditions: Value) -> Option<Vec<String>> {
    let node = node("n", json!({ "spec": spec, "status": { "conditions": conditions } }));
    let plan = node_lifecycle::plan(&cluster([node]), &Nodes::default(), &key("n"), now());
    let line = lines(&plan).pop()?;
    let body: Value = serde_json::from_str(&line[line.find('{').unwrap_or(0)..]).expect("JSON");
    let text =
        |taint: &Value| format!("{}:{}", taint["key"].as_str().unwrap_or(""), taint["effect"].as_str().unwrap_or(""));
    Some(body["spec"]["taints"].as_array().expect("taints").iter().map(text).collect())
}

#[test]
fn a_node_without_conditions_is_ready() {
    let silent = node("n", json!({ "status": null }));
    let plan = node_lifecycle::plan(&cluster([silent]), &Nodes::default(), &key("n"), now());
    let conditions = &status(&plan, Kind::Node)["conditions"];
    assert_eq!((&conditions[0]["type"], &conditions[0]["status"]), (&json!("Ready"), &json!("True")));
}

#[test]
fn a_node_gets_addresses_and_allocatable_resources() {
    let status = |given: Value| {
        let node = node("n", json!({ "status": given }));
        status(&node_lifecycle::plan(&cluster([node]), &Nodes::default(), &key("n"), now()), Kind::Node)
    };
    let addresses = &status(json!({ "addresses": null }))["addresses"];
    assert!(addresses[0]["address"].as_str().is_some_and(|address| address.starts_with("172.")), "{addresses}");
    assert_eq!(addresses[1], json!({ "type": "Hostname", "address": "n" }));
    // The API server has copied nothing yet, and a device plugin reports fewer healthy devices than there are.
    let resources = json!({
        "capacity": { "cpu": "8", "example.com/gpu": "8", "example.com/new": "3" },
        "allocatable": { "cpu": "7", "example.com/gpu": "6" },
    });
    assert_eq!(status(resources), json!({ "allocatable": { "example.com/new": "3" } }));
    assert_eq!(status(json!({ "capacity": { "cpu": "8" }, "allocatable": { "cpu": "7" } })), Value::Null);
}

#[test]
fn taints_follow_conditions_and_unschedulable() {
    let condition =
        |type_: &str, status: &str| json!([{ "type": "Ready", "status": "True" }, { "type": type_, "status": status }]);
    let not_ready = json!({ "key": "node.kubernetes.io/not-ready", "effect": "NoSchedule" });
    let own = json!({ "key": "team", "value": "a", "effect": "NoSchedule" });
    let cordoned = json!({ "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule" });
    let ready = || json!([{ "type": "Ready", "status": "True" }]);
    // Each case: the node's spec, its conditions, and its new taints if they change.
    let evicting = json!({ "key": "team", "effect": "NoExecute" });
    let cases: [(Value, Value, Option<&[&str]>); 10] = [
        (json!({}), ready(), None),
        (json!({ "taints": [own] }), ready(), None),
        // The taint gets its time.
        (json!({ "taints": [evicting] }), ready(), Some(&["team:NoExecute"])),
        (json!({ "taints": [not_ready, own] }), ready(), Some(&["team:NoSchedule"])),
        (json!({ "unschedulable": true }), ready(), Some(&["node.kubernetes.io/unschedulable:NoSchedule"])),
        (json!({ "unschedulable": true, "taints": [cordoned] }), ready(), None),
        (json!({ "taints": [cordoned] }), ready(), Some(&[])),
        (json!({}), condition("DiskPressure", "True"), Some(&["node.kubernetes.io/disk-pressure:NoSchedule"])),
        (json!({}), condition("NetworkUnavailable", "False"), None),
        (
            json!({}),
            json!([{ "type": "Ready", "status": "Unknown" }]),
            Some(&["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]),
        ),
    ];
    for (spec, conditions, wanted) in cases {
        let found = taints(spec.clone(), conditions.clone());
        let wanted = wanted.map(|taints| taints.iter().map(|taint| (*taint).to_owned()).collect());
        assert_eq!(found, wanted, "{spec} {conditions}");
    }
}

#[test]
fn leases_are_renewed_evenly_every_ten_seconds() {
    let (mut schedule, start) = (Schedule::new(1000), Instant::now());
    for number in 0..100 {
        schedule.add(format!("n{number}"), "uid".to_owned());
    }
    let mut renewals = Vec::new();
    for step in 0..30_000 {
        let now = start + Duration::from_millis(step);
        if let Some((node, _)) = schedule.next(now) {
            renewals.push((step, node));
        }
    }
    let of = |from: u64, to: u64| renewals.iter().filter(|(at, _)| (from..to).contains(at)).count();
    let created: HashSet<_> = renewals.iter().filter(|(at, _)| *at < 200).map(|(_, node)| node).collect();
    assert_eq!(created.len(), 100, "each is created at once");
    assert_eq!(of(10_000, 20_000), 100, "each is renewed once in every ten seconds");
    assert!((10_000..20_000).step_by(1000).all(|from| of(from, from + 1000) < 25), "evenly");
}

#[test]
fn many_leases_are_renewed_less_often() {
    let (mut schedule, start) = (Schedule::new(100), Instant::now());
    for number in 0..5_000 {
        schedule.add(format!("n{number}"), "uid".to_owned());
    }
    assert_eq!(schedule.interval(), Duration::from_secs(50));
    let renewals = (0..1000).filter(|step| schedule.next(start + Duration::from_millis(*step)).is_some()).count();
    assert!(renewals <= 100, "{renewals} in a second");
}

#[test]
fn a_removed_node_is_not_renewed() {
    let (mut schedule, now) = (Schedule::new(1000), Instant::now());
    schedule.add("n".to_owned(), "old".to_owned());
    assert!(schedule.next(now).is_some());
    schedule.remove("n");
    let later = now + Duration::from_secs(60);
    assert_eq!(schedule.next(later), None);
    schedule.add("n".to_owned(), "new".to_owned());
    assert_eq!(schedule.next(later), Some(("n".to_owned(), "new".to_owned())));
}

#[test]
fn namespaces_get_their_objects_and_are_emptied_when_deleted() {
    let namespace = |more: Value| super::with(json!({ "kind": "Namespace", "metadata": { "name": "a" } }), more);
    let account = json!({ "kind": "ServiceAccount", "metadata": { "namespace": "a", "name": "default" } });
    let going = json!({ "metadata": { "deletionTimestamp": super::ago(1) }, "spec": { "finalizers": ["kubernetes"] } });
    let emptied = json!({ "metadata": { "deletionTimestamp": super::ago(1) }, "spec": { "finalizers": [] } });
    let certificates = json!({ "kind": "ConfigMap", "metadata": { "namespace": "a", "name": "kube-root-ca.crt" } });
    let (new_account, new_certificates) = ("create ServiceAccount a/default", "create ConfigMap a/kube-root-ca.crt");
    let cases: [(Vec<Value>, &[&str]); 6] = [
        (vec![namespace(json!({}))], &[new_account, new_certificates]),
        (vec![namespace(json!({})), account.clone()], &[new_certificates]),
        (vec![namespace(json!({})), certificates.clone()], &[new_account]),
        (vec![namespace(json!({})), account, certificates], &[]),
        (vec![namespace(going)], &["empty a"]),
        (vec![namespace(emptied)], &[]),
    ];
    for (objects, wanted) in cases {
        assert_eq!(lines(&namespace::plan(&cluster(objects), &key("a"))), wanted);
    }
}
