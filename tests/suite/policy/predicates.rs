//! Predicates: each predicate must reject a pod on one node. The pod can go to no other node, so it stays pending.

use anyhow::{Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::Pods;
use berth_tests::objects::{NAMESPACE, node, pod, service, with};
use serde_json::{Value, json};

use super::{Scene, labels, resident};

/// A node, a pod that can only go to this node, and the reason why the node is rejected.
struct Row {
    name: &'static str,
    node: Value,
    pod: Value,
    reason: &'static str,
    /// True if a Policy with only GeneralPredicates also rejects the pod, because the predicate is part of
    /// GeneralPredicates or applies with every Policy.
    always: bool,
}

fn row(name: &'static str, node: Value, pod: Value, reason: &'static str) -> Row {
    Row { name, node, pod, reason, always: false }
}

fn always(name: &'static str, node: Value, pod: Value, reason: &'static str) -> Row {
    Row { always: true, ..row(name, node, pod, reason) }
}

const CONDITIONS: [(&str, &str, &str, &str); 4] = [
    ("not-ready", "Ready", "False", "node(s) were not ready"),
    ("no-network", "NetworkUnavailable", "True", "node(s) had unavailable network"),
    ("full-disk", "DiskPressure", "True", "node(s) had disk pressure"),
    ("no-pids", "PIDPressure", "True", "node(s) had pid pressure"),
];

const TOO_MANY_VOLUMES: &str = "node(s) exceed max volume count";

fn rows() -> Vec<Row> {
    let any = || json!({});
    let (tainted, cordoned) =
        (json!({"taints": [{"key": "own", "effect": "NoSchedule"}]}), json!({"unschedulable": true}));
    let mut rows = vec![
        always("cordoned", json!({"spec": cordoned}), any(), "node(s) were unschedulable"),
        always("tainted", json!({"spec": tainted}), any(), "node(s) had untolerated taint"),
        always("small", any(), with_container(&json!({"requests": {"cpu": "5"}}), &json!([])), "Insufficient cpu"),
        always(
            "port",
            any(),
            with_container(&json!({}), &json!([{"containerPort": 80, "hostPort": 8080}])),
            "node(s) didn't have free ports for the requested pod ports",
        ),
        always(
            "selected",
            any(),
            json!({"nodeSelector": {"disk": "fast"}}),
            "node(s) didn't match Pod's node affinity/selector",
        ),
        row("retiring", labels(&json!({"retiring": "soon"})), any(), "node(s) didn't have the requested labels"),
        row("alone", any(), alone(), "node(s) didn't match pod anti-affinity rules"),
        row("spread", any(), spread(), "node(s) didn't match pod topology spread constraints"),
        row("service", labels(&json!({"region": "west"})), any(), "node(s) didn't match service affinity"),
        row("disk", any(), volumes(1, |_| gce("shared")), "node(s) had no available disk"),
        row(
            "zone",
            labels(&json!({"topology.kubernetes.io/zone": "a"})),
            claim("zone"),
            "node(s) had no available volume zone",
        ),
        row("unbound", any(), claim("unbound"), "pod has unbound immediate PersistentVolumeClaims"),
        row("csi", any(), claim("csi"), TOO_MANY_VOLUMES),
        row(
            "ebs",
            any(),
            volumes(40, |n| json!({"awsElasticBlockStore": {"volumeID": format!("vol-{n}")}})),
            TOO_MANY_VOLUMES,
        ),
        row("gce", any(), volumes(17, |n| gce(&format!("disk-{n}"))), TOO_MANY_VOLUMES),
        row("azure", any(), volumes(17, azure), TOO_MANY_VOLUMES),
        row("cinder", any(), volumes(257, |n| json!({"cinder": {"volumeID": format!("vol-{n}")}})), TOO_MANY_VOLUMES),
        row(
            "memory",
            condition("MemoryPressure", "True"),
            with_container(&json!({}), &json!([])),
            "node(s) had memory pressure",
        ),
    ];
    let bad = |(name, kind, status, reason): (_, &str, &str, _)| row(name, condition(kind, status), any(), reason);
    rows.extend(CONDITIONS.map(bad));
    rows
}

/// Returns the spec of a pod with one container.
fn with_container(resources: &Value, ports: &Value) -> Value {
    json!({"containers": [{"name": "main", "image": "a", "resources": resources, "ports": ports}]})
}

fn condition(kind: &str, status: &str) -> Value {
    let ready = json!({"type": "Ready", "status": "True"});
    let other = json!({"type": kind, "status": status});
    json!({"status": {"conditions": if kind == "Ready" { json!([other]) } else { json!([ready, other]) }}})
}

fn alone() -> Value {
    let term = json!({"labelSelector": {"matchLabels": {"app": "alone"}}, "topologyKey": "kubernetes.io/hostname"});
    json!({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})
}

fn spread() -> Value {
    let selector = json!({"matchLabels": {"app": "spread"}});
    json!({"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector},
    ]})
}

fn gce(name: &str) -> Value {
    json!({"gcePersistentDisk": {"pdName": name}})
}

fn azure(n: usize) -> Value {
    let (name, uri) = (format!("disk-{n}"), format!("/subscriptions/one/disks/disk-{n}"));
    json!({"azureDisk": {"kind": "Managed", "diskName": name, "diskURI": uri}})
}

/// Returns the spec of a pod with this many volumes.
fn volumes(count: usize, source: impl Fn(usize) -> Value) -> Value {
    let volume = |n| with(json!({"name": format!("volume-{n}")}), &source(n));
    json!({"volumes": (0..count).map(volume).collect::<Vec<_>>()})
}

fn claim(name: &str) -> Value {
    json!({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]})
}

/// Returns the pods' claims and their volumes.
fn objects() -> Vec<Value> {
    let claimed = |name: &str, bound: Value| {
        let claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}},
            },
        });
        with(claim, &bound)
    };
    let bound = |volume: &str| {
        json!({
            "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": volume},
        })
    };
    let volume = |name: &str, change: Value| {
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}},
        });
        with(volume, &change)
    };
    let elsewhere = json!({"metadata": {"labels": {"topology.kubernetes.io/zone": "b"}}, "spec": gce("elsewhere")});
    let csi = json!({"spec": {"csi": {"driver": "csi.example.com", "volumeHandle": "handle"}}});
    vec![
        volume("zone", elsewhere),
        volume("csi", csi),
        claimed("zone", bound("zone")),
        claimed("csi", bound("csi")),
        claimed("unbound", json!({})),
    ]
}

/// Returns objects that the test must delete, because `Target::clean_up` does not cover their kinds.
fn objects_to_delete() -> Vec<Value> {
    vec![
        service("service"),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "csi"},
            "spec": {"drivers": [{"name": "csi.example.com", "nodeID": "csi", "allocatable": {"count": 0}}]},
        }),
    ]
}

fn residents() -> Vec<Value> {
    let app = |name: &str| labels(&json!({"app": name}));
    vec![
        resident(
            "resident-port",
            "port",
            &json!({"spec": with_container(&json!({}), &json!([{"containerPort": 80, "hostPort": 8080}]))}),
        ),
        resident("resident-alone", "alone", &app("alone")),
        resident("resident-service", "elsewhere", &app("service")),
        resident("resident-disk", "disk", &json!({"spec": volumes(1, |_| gce("shared"))})),
    ]
}

pub async fn each_keeps_a_pod_off(scene: &Scene<'_>) -> Result<()> {
    let rows = rows();
    scene.create(rows.iter().map(|row| with(node(row.name, 4), &row.node)).collect()).await?;
    scene.create(vec![with(node("elsewhere", 4), &labels(&json!({"region": "east"})))]).await?;
    scene.create([objects(), objects_to_delete(), residents()].concat()).await?;
    let pinned = |row: &Row| {
        let there = json!({"metadata": {"labels": {"app": row.name}}, "spec": {"nodeSelector": {"kubernetes.io/hostname": row.name}}});
        with(with(pod(row.name, "1m"), &there), &json!({"spec": row.pod}))
    };
    scene.create(rows.iter().map(pinned).collect()).await?;

    let mut every_predicate = scene.scheduler("every-predicate.json")?;
    for row in &rows {
        until_rejected(scene, row).await?;
    }
    every_predicate.stop().await?;
    let mut general_predicates = scene.scheduler("general-predicates.yaml")?;
    for row in rows.iter().filter(|row| !row.always) {
        let node = scene.journal.until_pod_placed(row.name).await?;
        ensure!(node == row.name, "pod {} is on {node}, not on its own node", row.name);
    }
    for row in rows.iter().filter(|row| row.always) {
        until_rejected(scene, row).await?;
    }
    general_predicates.stop().await?;
    scene.delete(&objects_to_delete()).await?;
    scene.journal.check()
}

async fn until_rejected(scene: &Scene<'_>, row: &Row) -> Result<()> {
    let condition = format!("pod {} has the message {:?}", row.name, row.reason);
    let placed = scene.journal.until(&condition, |pods: &Pods| match pods.by_name.get(row.name) {
        Some(seen) if seen.node.is_some() => Look::Yes(seen.node.clone()),
        Some(seen) if seen.rejection().is_some_and(|why| why.contains(row.reason)) => Look::Yes(None),
        seen => Look::NotYet(format!("{seen:?}")),
    });
    let node = placed.await?;
    ensure!(node.is_none(), "pod {} should have the message {:?}, but is on {node:?}", row.name, row.reason);
    Ok(())
}
