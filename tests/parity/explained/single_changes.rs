//! Finds out by trying whether one change of a pod or of a node makes the pod fit.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_analysis::Sandbox;
use berth_core::model::Node;
use serde_json::{Value, json};

use crate::case::Case;

/// Returns the first single change that makes the pod fit, in words, or `None` if no single change does.
pub fn is_fixed_by_one_change(sandbox: &mut Sandbox, case: &Case, pod: &Value) -> Result<Option<String>> {
    for (change, changed) in changed_pods(case, pod) {
        let Ok(changed) = sandbox.read_pod(&changed) else { continue };
        if sandbox.fits(&changed).context("a profile")?.is_ok() {
            return Ok(Some(change));
        }
    }
    let asked = sandbox.read_pod(pod)?;
    let nodes: Vec<Arc<Node>> = sandbox.core().cache().nodes().map(|info| Arc::clone(&info.node)).collect();
    let before = sandbox.position();
    for node in nodes.into_iter().filter(|node| node.unschedulable) {
        let taints = node.taints.iter().filter(|taint| *taint.key != *"node.kubernetes.io/unschedulable").cloned();
        let uncordoned = Node { unschedulable: false, taints: taints.collect(), ..Node::clone(&node) };
        sandbox.set_node(Arc::new(uncordoned));
        let fits = sandbox.fits(&asked).context("a profile")?.is_ok();
        sandbox.revert_to(before);
        if fits {
            return Ok(Some(format!("uncordon {}", node.name)));
        }
    }
    Ok(None)
}

/// Returns the pod after each single change, with the change in words.
fn changed_pods(case: &Case, pod: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut remove = |path: String| {
        let mut changed = pod.clone();
        if remove_at(&mut changed, &path) {
            all.push((format!("remove {path}"), changed));
        }
    };
    places(pod).into_iter().for_each(&mut remove);
    remove("/spec/nodeSelector".into());
    for key in pod["spec"]["nodeSelector"].as_object().into_iter().flat_map(serde_json::Map::keys) {
        remove(format!("/spec/nodeSelector/{}", key.replace('~', "~0").replace('/', "~1")));
    }
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    remove(format!("/spec/affinity/nodeAffinity/{REQUIRED}"));
    for kind in ["podAffinity", "podAntiAffinity"] {
        let list = format!("/spec/affinity/{kind}/{REQUIRED}");
        let terms = pod.pointer(&list).and_then(Value::as_array).map_or(0, Vec::len);
        (0..terms).for_each(|at| remove(format!("{list}/{at}")));
        remove(list);
    }
    let constraints = pod["spec"]["topologySpreadConstraints"].as_array().map_or(0, Vec::len);
    for at in 0..constraints {
        let mut changed = pod.clone();
        changed["spec"]["topologySpreadConstraints"][at]["whenUnsatisfiable"] = "ScheduleAnyway".into();
        all.push((format!("relax constraint {at}"), changed));
    }
    all.extend(tolerating_pods(case, pod));
    all
}

/// Returns the pod with a toleration for each taint of a node that does not stand for a condition of the node.
fn tolerating_pods(case: &Case, pod: &Value) -> Vec<(String, Value)> {
    let nodes = case.objects.iter().filter(|object| object["kind"] == "Node");
    let taints = nodes.flat_map(|node| node["spec"]["taints"].as_array().into_iter().flatten());
    let keys: BTreeSet<(String, String)> = taints
        .map(|taint| [&taint["key"], &taint["effect"]].map(|text| text.as_str().unwrap_or_default().to_owned()))
        .map(|[key, effect]| (key, effect))
        .filter(|(key, _)| !key.starts_with("node.kubernetes.io/"))
        .collect();
    let tolerating = |(key, effect): (String, String)| {
        let mut changed = pod.clone();
        let mut tolerations = changed["spec"]["tolerations"].as_array().cloned().unwrap_or_default();
        tolerations.push(json!({"key": key, "operator": "Exists", "effect": effect}));
        changed["spec"]["tolerations"] = tolerations.into();
        (format!("tolerate {key}:{effect}"), changed)
    };
    keys.into_iter().map(tolerating).collect()
}

/// Returns the pointers of all requests and host ports of the pod.
fn places(pod: &Value) -> Vec<String> {
    let mut found = keys_at(pod, "/spec/resources/requests");
    for list in ["containers", "initContainers"] {
        for (at, container) in pod["spec"][list].as_array().into_iter().flatten().enumerate() {
            let at = format!("/spec/{list}/{at}");
            found.extend(keys_at(pod, &format!("{at}/resources/requests")));
            let ports = container["ports"].as_array().map_or(0, Vec::len);
            found.extend((0..ports).map(|port| format!("{at}/ports/{port}/hostPort")));
        }
    }
    found
}

/// Returns the pointers of the fields of the object at a pointer.
fn keys_at(pod: &Value, at: &str) -> Vec<String> {
    let keys = pod.pointer(at).and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys);
    keys.map(|key| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Removes the value at a pointer. Returns false if the pod has no such value.
fn remove_at(pod: &mut Value, pointer: &str) -> bool {
    let patch = json!([{"op": "remove", "path": pointer}]);
    let Ok(patch) = serde_json::from_value::<json_patch::Patch>(patch) else { return false };
    json_patch::patch(pod, &patch).is_ok()
}
