//! Builds a DaemonSet's pods: each targets one node and tolerates the node's failure taints.

use k8s_openapi::api::core::v1::{PodTemplateSpec, Toleration};
use serde_json::{Value, json};

use super::super::metadata;
use super::super::template;
use super::{REVISION, Set};

/// The taints that every DaemonSet pod tolerates.
const IGNORED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];
/// The taint that DaemonSet pods with `hostNetwork` also tolerate.
const NETWORK: (&str, &str) = ("node.kubernetes.io/network-unavailable", "NoSchedule");

/// Returns the template's tolerations and the tolerations of every DaemonSet pod.
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

/// Returns a pod whose node affinity allows only this node.
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
