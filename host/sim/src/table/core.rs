//! The kubectl columns of core kinds (except pods, volumes and ReplicationControllers), Leases, PriorityClasses,
//! PodDisruptionBudgets and CustomResourceDefinitions.

use jiff::Timestamp;
use serde_json::Value;

use super::{AGE_COLUMN, Column, age_column, number, number_column, or_none, pairs, text_column, wide_column};
use crate::clock;
use crate::value::{is_true, items, members, text, text_at};

/// The columns of Nodes.
pub const NODES: &[Column] = &[
    text_column("Status", node_status),
    text_column("Roles", roles),
    AGE_COLUMN,
    text_column("Version", |node| text_at(node, "/status/nodeInfo/kubeletVersion").into()),
    wide_column("Internal-IP", |node| address(node, "InternalIP")),
    wide_column("External-IP", |node| address(node, "ExternalIP")),
    wide_column("OS-Image", |node| or_unknown(node, "/status/nodeInfo/osImage")),
    wide_column("Kernel-Version", |node| or_unknown(node, "/status/nodeInfo/kernelVersion")),
    wide_column("Container-Runtime", |node| or_unknown(node, "/status/nodeInfo/containerRuntimeVersion")),
];

fn node_status(node: &Value) -> Value {
    let ready = items(&node["status"], "conditions").find(|condition| text(condition, "type") == "Ready");
    let mut status = match ready.map(|condition| text(condition, "status")) {
        Some("True") => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if is_true(&node["spec"], "unschedulable") {
        status.push_str(",SchedulingDisabled");
    }
    status.into()
}

fn roles(node: &Value) -> Value {
    let mut roles: Vec<&str> = Vec::new();
    for (label, value) in members(&node["metadata"], "labels") {
        match label.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => roles.push(role),
            _ if label == "kubernetes.io/role" => roles.push(value.as_str().unwrap_or_default()),
            _ => {}
        }
    }
    if roles.is_empty() { "<none>".into() } else { roles.join(",").into() }
}

fn address(node: &Value, kind: &str) -> Value {
    let found = items(&node["status"], "addresses").find(|address| text(address, "type") == kind);
    found.map_or("<none>", |address| text(address, "address")).into()
}

fn or_unknown(object: &Value, pointer: &str) -> Value {
    match text_at(object, pointer) {
        "" => "<unknown>".into(),
        found => found.into(),
    }
}

/// The columns of Namespaces.
pub const NAMESPACES: &[Column] =
    &[text_column("Status", |namespace| text_at(namespace, "/status/phase").into()), AGE_COLUMN];

/// The columns of Events in the stored core/v1 form, after the name column.
pub const EVENTS: &[Column] = &[
    age_column("Last Seen", false, last_seen),
    text_column("Type", |event| text(event, "type").into()),
    text_column("Reason", |event| text(event, "reason").into()),
    text_column("Object", |event| {
        let about = &event["involvedObject"];
        format!("{}/{}", text(about, "kind").to_lowercase(), text(about, "name")).into()
    }),
    wide_column("Subobject", |event| text_at(event, "/involvedObject/fieldPath").into()),
    wide_column("Source", source),
    text_column("Message", |event| text(event, "message").trim().into()),
    age_column("First Seen", true, first_seen),
    wide_column("Count", count),
];

fn last_seen(event: &Value, now: Timestamp) -> Value {
    let series = text_at(event, "/series/lastObservedTime");
    let candidates = [series, text(event, "lastTimestamp"), text(event, "eventTime")];
    clock::age(candidates.into_iter().find(|time| !time.is_empty()), now).into()
}

fn first_seen(event: &Value, now: Timestamp) -> Value {
    let candidates = [text(event, "firstTimestamp"), text(event, "eventTime")];
    clock::age(candidates.into_iter().find(|time| !time.is_empty()), now).into()
}

fn source(event: &Value) -> Value {
    let component = match text_at(event, "/source/component") {
        "" => text(event, "reportingComponent"),
        component => component,
    };
    match text_at(event, "/source/host") {
        "" => component.into(),
        host => format!("{component}, {host}").into(),
    }
}

fn count(event: &Value) -> Value {
    let series = number(event, "/series/count");
    match if series > 0 { series } else { number(event, "/count") } {
        0 => 1.to_string().into(),
        count => count.to_string().into(),
    }
}

/// The columns of Services.
pub const SERVICES: &[Column] = &[
    text_column("Type", |service| text_at(service, "/spec/type").into()),
    text_column("Cluster-IP", |service| or_none(service, "/spec/clusterIP")),
    text_column("External-IP", |service| or_none(service, "/spec/externalIPs/0")),
    text_column("Port(s)", ports),
    AGE_COLUMN,
    wide_column("Selector", |service| pairs(service.pointer("/spec/selector"))),
];

fn ports(service: &Value) -> Value {
    let list: Vec<String> = items(&service["spec"], "ports")
        .map(|port| match port["nodePort"].as_i64() {
            Some(node) => format!("{}:{node}/{}", port["port"], text(port, "protocol")),
            None => format!("{}/{}", port["port"], text(port, "protocol")),
        })
        .collect();
    if list.is_empty() { "<none>".into() } else { list.join(",").into() }
}

/// The columns of ConfigMaps.
pub const CONFIG_MAPS: &[Column] = &[
    number_column("Data", |map| (members(map, "data").count() + members(map, "binaryData").count()).into()),
    AGE_COLUMN,
];

/// The columns of Secrets.
pub const SECRETS: &[Column] = &[
    text_column("Type", |secret| text(secret, "type").into()),
    number_column("Data", |secret| members(secret, "data").count().into()),
    AGE_COLUMN,
];

/// The columns of Leases.
pub const LEASES: &[Column] =
    &[text_column("Holder", |lease| text_at(lease, "/spec/holderIdentity").into()), AGE_COLUMN];

/// The columns of PriorityClasses.
pub const PRIORITY_CLASSES: &[Column] = &[
    number_column("Value", |class| class["value"].clone()),
    text_column("Global-Default", |class| is_true(class, "globalDefault").into()),
    AGE_COLUMN,
    text_column("PreemptionPolicy", |class| text(class, "preemptionPolicy").into()),
];

/// The columns of PodDisruptionBudgets.
pub const DISRUPTION_BUDGETS: &[Column] = &[
    text_column("Min Available", |budget| or_absent(budget, "/spec/minAvailable")),
    text_column("Max Unavailable", |budget| or_absent(budget, "/spec/maxUnavailable")),
    number_column("Allowed Disruptions", |budget| number(budget, "/status/disruptionsAllowed").into()),
    AGE_COLUMN,
];

fn or_absent(object: &Value, pointer: &str) -> Value {
    match object.pointer(pointer) {
        Some(Value::String(text)) => text.as_str().into(),
        Some(Value::Number(number)) => number.to_string().into(),
        _ => "N/A".into(),
    }
}

/// The columns of CustomResourceDefinitions.
pub const DEFINITIONS: &[Column] =
    &[text_column("Created At", |definition| definition["metadata"]["creationTimestamp"].clone())];
