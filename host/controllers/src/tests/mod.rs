//! Table tests of the controllers: each test takes a cluster state and checks the writes. The tests need no API server
//! and no clock.

mod cluster;
mod collector;
mod cron_job;
mod daemonset;
mod deployment;
mod disruption;
mod job;
mod kubelet;
mod nodes;
mod parts;
mod queue;
mod quotas;
mod replicas;
mod resource_claims;
mod restarts;
mod silent_nodes;
mod statefulset;
mod taint_eviction;
mod volumes;

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::kinds::{self, Kind, Object};
use super::metadata::Key;
use super::write::{Action, Grace, Guard, Plan, Propagation, Write};

/// The current time in all tests.
fn now() -> Timestamp {
    "2026-01-02T03:04:05Z".parse().expect("a timestamp")
}

/// Returns the time `seconds` before [`now`], as the API writes it.
fn ago(seconds: i64) -> String {
    (now() - jiff::SignedDuration::from_secs(seconds)).to_string()
}

/// Returns a cluster state of these objects. Absent fields get defaults: the UID `<name>-uid` and generation 1.
fn cluster(objects: impl IntoIterator<Item = Value>) -> Cluster {
    let mut cluster = Cluster::default();
    for (number, object) in objects.into_iter().enumerate() {
        cluster.put(object_of(object, number + 1));
    }
    cluster
}

fn object_of(mut object: Value, version: usize) -> Object {
    let kinds: HashMap<String, Kind> =
        kinds::typed().into_iter().map(|(kind, resource)| (resource.kind, kind)).collect();
    let kind = *kinds.get(object["kind"].as_str().unwrap_or_default()).unwrap_or(&Kind::Other(1));
    let name = object["metadata"]["name"].as_str().expect("a name").to_owned();
    let meta = object["metadata"].as_object_mut().expect("metadata");
    meta.entry("uid").or_insert(json!(format!("{name}-uid")));
    meta.entry("generation").or_insert(json!(1));
    meta.insert("resourceVersion".to_owned(), json!(version.to_string()));
    Object::decode(kind, &object.to_string()).expect("an object")
}

/// Returns `base` with the fields of `more` merged in.
fn with(mut base: Value, more: Value) -> Value {
    json_patch::merge(&mut base, &more);
    base
}

fn key(text: &str) -> Key {
    let (namespace, name) = text.split_once('/').unwrap_or(("", text));
    Key::new(namespace, name)
}

/// Returns an owner reference with `controller: true`.
fn owned_by(api_version: &str, kind: &str, name: &str) -> Value {
    json!([{
        "apiVersion": api_version, "kind": kind, "name": name, "uid": format!("{name}-uid"),
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// Returns a pod in the namespace `default` with one container.
fn pod(name: &str, more: Value) -> Value {
    let pod = json!({
        "kind": "Pod",
        "metadata": { "namespace": "default", "name": name },
        "spec": { "containers": [{ "name": "main", "image": "busybox" }] },
    });
    with(pod, more)
}

/// Returns the fields of a pod that has been running and ready on a node for `seconds`.
fn running(node: &str, seconds: i64) -> Value {
    json!({
        "spec": { "nodeName": node },
        "status": {
            "phase": "Running",
            "startTime": ago(seconds),
            "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": ago(seconds) }],
        },
    })
}

fn node(name: &str, more: Value) -> Value {
    let node = json!({
        "kind": "Node",
        "metadata": { "name": name, "labels": { "kubernetes.io/hostname": name } },
        "status": {
            "conditions": [{ "type": "Ready", "status": "True" }],
            "addresses": [{ "type": "InternalIP", "address": "192.0.2.1" }],
        },
    });
    with(node, more)
}

/// Formats JSON with sorted keys.
fn text(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\":{}", text(value))).collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// Formats the plan's writes, one in each line. Patches are shown without their UID and resource version.
fn lines(plan: &Plan) -> Vec<String> {
    plan.writes.iter().map(line).collect()
}

fn line(write: &Write) -> String {
    let (kind, key) = (write.kind, &write.key);
    let mut line = match &write.action {
        Action::Create(body) => {
            let meta = &body["metadata"];
            let name = meta["name"].as_str().map(str::to_owned);
            let name = name.unwrap_or_else(|| format!("{}*", meta["generateName"].as_str().unwrap_or_default()));
            format!("create {kind} {key}{name}")
        }
        Action::Patch { subresource, body, .. } => {
            let mut body = body.clone();
            let meta = body["metadata"].as_object_mut().expect("a uid");
            meta.remove("uid");
            meta.remove("resourceVersion");
            if meta.is_empty() {
                body.as_object_mut().map(|body| body.remove("metadata"));
            }
            let subresource = if subresource.is_empty() { "" } else { "/status" };
            format!("patch {kind}{subresource} {key} {}", text(&body))
        }
        Action::Delete { grace, propagation, .. } => {
            let grace = if *grace == Grace::None { " now" } else { "" };
            let propagation = match propagation {
                Propagation::Background => "",
                Propagation::Foreground => " foreground",
                Propagation::Orphan => " orphan",
            };
            format!("delete {kind} {key}{grace}{propagation}")
        }
        Action::Empty => format!("empty {key}"),
    };
    for guard in &write.unless {
        match guard {
            Guard::Owner(owner) => line += &format!(" unless {} {}", owner.kind, owner.name),
            Guard::Object(kind, key, _) => line += &format!(" unless {kind} {key}"),
        }
    }
    line
}

/// Returns the first three words of each line: verb, kind and key.
fn heads(plan: &Plan) -> Vec<String> {
    let head = |line: String| line.split(' ').take(3).collect::<Vec<_>>().join(" ");
    lines(plan).into_iter().map(head).collect()
}

/// Returns the body of the plan's status write for this kind.
fn status(plan: &Plan, wanted: Kind) -> Value {
    let body = plan.writes.iter().find_map(|write| match &write.action {
        Action::Patch { subresource: "status", body, .. } if write.kind == wanted => Some(body["status"].clone()),
        _ => None,
    });
    body.unwrap_or(Value::Null)
}

/// Returns the body of the plan's first create.
fn created(plan: &Plan) -> Value {
    let body = plan.writes.iter().find_map(|write| match &write.action {
        Action::Create(body) => Some((**body).clone()),
        _ => None,
    });
    body.expect("a create")
}
