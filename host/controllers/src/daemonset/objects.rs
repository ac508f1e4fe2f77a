//! What a DaemonSet makes: a pod meant for one node, that stays through the node's troubles.

use k8s_openapi::api::core::v1::{PodTemplateSpec, Toleration};
use serde_json::{Value, json};

use super::super::metadata;
use super::super::template;
use super::{REVISION, Set};

/// Taints that daemons ignore.
const IGNORED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];
/// And this one those on their node's network.
const NETWORK: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

/// The template's tolerations and those that every daemon has.
pub fn tolerations(template: &PodTemplateSpec) -> Vec<Toleration> {
    let spec = template.spec.as_ref();
    let own = spec.and_then(|spec| spec.tolerations.clone()).unwrap_or_default();
    let on_host = spec.is_some_and(|spec| spec.host_network == Some(true));
    let ignored = IGNORED.into_iter().chain(on_host.then_some(NETWORK)).map(|(key, effect)| Toleration {
        key: Some(key.to_owned()),
        operator: Some("Exists".to_owned()),
        effect: Some(effect.to_owned()),
        ..Toleration::default()
    });
    own.into_iter().chain(ignored).collect()
}

/// A pod that the scheduler can place on this node only.
pub fn pod(set: &Set<'_>, node: &str) -> Value {
    let mut pod = template::pod(&set.spec.template, &set.reference);
    pod["metadata"]["generateName"] = json!(format!("{}-", metadata::name(set.meta)));
    pod["metadata"]["labels"][REVISION] = json!(set.revision);
    pod["spec"]["tolerations"] = json!(set.tolerations);
    if !pod["spec"]["affinity"].is_object() {
        pod["spec"]["affinity"] = json!({});
    }
    pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = json!({
        "nodeSelectorTerms": [{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": [node] }] }],
    });
    pod
}
