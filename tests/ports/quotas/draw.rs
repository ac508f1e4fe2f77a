//! Draws cases of CapacityScheduling: few namespaces with quotas, nodes that are nearly full, and pods that preempt.

use berth_tests::comparison::case::{Case, Change};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

const NAMESPACES: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
struct DrawnPod {
    namespace: usize,
    cpu: u64,
    memory: u64,
    priority: i64,
    node: usize,
    state: &'static str,
    app: bool,
}

/// Draws cases.
pub fn cases() -> impl Strategy<Value = Case> {
    let cluster = (vec((2..=6_u64, 3..=8_u64), 1..=3), vec(quota(), 1..=3), vec(pod(), 1..=8), vec(0..=1_u64, 0..=2));
    let change = prop_oneof![
        2 => quota().prop_map(Change::Set),
        1 => quota().prop_map(Change::Remove),
    ];
    (cluster, vec(pod(), 1..=3), vec(change, 0..=2)).prop_map(|((nodes, quotas, residents, budgets), pods, changes)| {
        let mut objects: Vec<Value> = Vec::new();
        for (at, (cpu, pods)) in nodes.iter().enumerate() {
            let amounts = json!({"cpu": cpu.to_string(), "memory": "8Gi", "pods": pods.to_string()});
            objects.push(json!({
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": format!("n{at}"), "uid": format!("n{at}")},
                "status": {"allocatable": amounts, "capacity": amounts},
            }));
        }
        for quota in quotas {
            replace(&mut objects, quota);
        }
        for (at, allowed) in budgets.into_iter().enumerate() {
            objects.push(budget(at, allowed));
        }
        let mut free: Vec<(u64, u64, u64)> = nodes.iter().map(|(cpu, pods)| (*cpu, 8, *pods)).collect();
        for (at, of) in residents.iter().enumerate() {
            let node = of.node % free.len();
            if of.state == "nominated" {
                objects.push(object(&format!("r{at}"), at, of, &format!("n{node}")));
                continue;
            }
            // A node has room for its pods, as in a real cluster.
            let (cpu, memory, pods) = free[node];
            if of.cpu <= cpu && of.memory <= memory && pods > 0 {
                free[node] = (cpu - of.cpu, memory - of.memory, pods - 1);
                objects.push(object(&format!("r{at}"), at, of, &format!("n{node}")));
            }
        }
        let pods = pods.iter().enumerate().map(|(at, of)| {
            let of = DrawnPod { state: "pending", ..of.clone() };
            object(&format!("p{at}"), at, &of, "")
        });
        let pods = pods.collect();
        let changes = existing(&objects, changes);
        Case { objects, pods, changes, arguments: Map::new(), why: String::new() }
    })
}

/// Adds an object, or replaces the object of the same kind, namespace and name.
fn replace(objects: &mut Vec<Value>, object: Value) {
    objects.retain(|other| !is_same(other, &object));
    objects.push(object);
}

fn is_same(one: &Value, other: &Value) -> bool {
    one["kind"] == other["kind"]
        && ["namespace", "name"].iter().all(|field| one["metadata"][field] == other["metadata"][field])
}

/// Drops removals of objects that do not exist.
fn existing(objects: &[Value], changes: Vec<Change>) -> Vec<Change> {
    let mut all = objects.to_vec();
    let mut kept = Vec::new();
    for change in changes {
        match &change {
            Change::Set(object) => replace(&mut all, object.clone()),
            Change::Remove(object) if all.iter().any(|other| is_same(other, object)) => {
                all.retain(|other| !is_same(other, object));
            }
            Change::Remove(_) => continue,
        }
        kept.push(change);
    }
    kept
}

fn quota() -> impl Strategy<Value = Value> {
    let amounts = || {
        let cpu = prop_oneof![4 => (0..=8_u64).prop_map(Some), 1 => Just(None)];
        let memory = prop_oneof![4 => (2..=9_u64).prop_map(Some), 1 => Just(None)];
        prop_oneof![4 => (cpu, memory).prop_map(Some), 1 => Just(None)]
    };
    let wide = prop_oneof![3 => Just(6_u64), 1 => Just(0)];
    (0..2_usize, amounts(), amounts(), wide).prop_map(|(namespace, min, max, wide)| {
        let list = |of: (Option<u64>, Option<u64>), more: u64| {
            let mut list = json!({});
            for (name, amount, unit) in [("cpu", of.0, ""), ("memory", of.1, "Gi")] {
                if let Some(amount) = amount {
                    list[name] = format!("{}{unit}", amount + more).into();
                }
            }
            list
        };
        let mut spec = json!({});
        for (field, amounts, more) in [("min", min, 0), ("max", max, wide)] {
            if let Some(amounts) = amounts {
                spec[field] = list(amounts, more);
            }
        }
        json!({
            "apiVersion": "scheduling.x-k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"namespace": NAMESPACES[namespace], "name": "quota", "uid": NAMESPACES[namespace]},
            "spec": spec,
        })
    })
}

fn budget(at: usize, allowed: u64) -> Value {
    json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"namespace": NAMESPACES[at], "name": "budget", "uid": format!("budget{at}")},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": allowed, "expectedPods": 0, "currentHealthy": 0, "desiredHealthy": 0},
    })
}

fn pod() -> impl Strategy<Value = DrawnPod> {
    let state = prop_oneof![6 => Just("running"), 1 => Just("nominated")];
    let priority = select(vec![0, 0, 5, 10]);
    let namespace = prop_oneof![3 => 0..2_usize, 1 => Just(2_usize)];
    (namespace, 1..=3_u64, 0..=3_u64, priority, 0..3_usize, state, any::<bool>()).prop_map(
        |(namespace, cpu, memory, priority, node, state, app)| DrawnPod {
            namespace,
            cpu,
            memory,
            priority,
            node,
            state,
            app,
        },
    )
}

/// Returns a pod. A nominated pod has a scheduling gate, so that Berth's cycles are about other pods.
fn object(name: &str, at: usize, of: &DrawnPod, node: &str) -> Value {
    let namespace = NAMESPACES[of.namespace];
    let requests = json!({"cpu": of.cpu.to_string(), "memory": format!("{}Gi", of.memory)});
    let app = if of.app { "web" } else { "db" };
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": namespace, "name": name, "uid": format!("{namespace}/{name}"), "labels": {"app": app}},
        "spec": {
            "schedulerName": "default-scheduler",
            "priority": of.priority,
            "containers": [{"name": "c", "image": "app:1", "resources": {"requests": requests}}],
        },
    });
    match of.state {
        "running" => {
            pod["spec"]["nodeName"] = node.into();
            pod["status"] = json!({"phase": "Running", "startTime": format!("2025-12-01T00:00:{at:02}Z")});
        }
        "nominated" => {
            pod["spec"]["schedulingGates"] = json!([{"name": "example.com/gate"}]);
            pod["status"] = json!({"nominatedNodeName": node});
        }
        _ => {}
    }
    pod
}
