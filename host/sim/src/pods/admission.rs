//! The admission of a new pod: priority, tolerations of node failures, overhead of the runtime class, LimitRanges, topology
//! labels of the node, and service account.

use serde_json::{Value, json};

use super::limits;
use crate::failure::{Failure, Subject};
use crate::state::State;
use crate::value::{copy_member, is_true, items, members, object_mut, set_default, text};

/// The labels that a node's pods copy from the node.
const TOPOLOGY_LABELS: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/// The seconds that a pod tolerates a node that is not ready or not reachable.
const BRIEFLY: i64 = 300;

/// Applies admission to a new pod.
pub fn admit(state: &State, pod: &mut Value) -> Result<(), Failure> {
    let name = text(&pod["metadata"], "name").to_owned();
    let labels = topology_labels(state, text(&pod["spec"], "nodeName"));
    add_labels(pod, labels);
    prioritize(state, &mut pod["spec"]).map_err(|why| Failure::forbidden(subject(&name), &why))?;
    add_runtime(state, &mut pod["spec"]).map_err(|why| Failure::forbidden(subject(&name), &why))?;
    tolerate_briefly(&mut pod["spec"]);
    limits::admit_pod(state, pod).map_err(|why| Failure::forbidden(subject(&name), &why))?;
    // Set only the name of the service account: the simulated pods run no processes, so they need no mounted token.
    for member in ["serviceAccountName", "serviceAccount"] {
        set_default(&mut pod["spec"], member, "default");
    }
    Ok(())
}

fn subject(name: &str) -> Subject<'_> {
    Subject { group: "", kind: "pods", name }
}

/// Returns the topology labels of the node called `node`; nothing if the node does not exist.
pub fn topology_labels(state: &State, node: &str) -> Vec<(String, Value)> {
    if node.is_empty() {
        return Vec::new();
    }
    let node = state.object("", "nodes", "", node);
    let labels = node.iter().flat_map(|node| node.labels());
    labels.filter(|(key, _)| TOPOLOGY_LABELS.contains(key)).map(|(k, v)| (k.to_owned(), v.into())).collect()
}

/// Adds labels, replacing labels with the same key.
pub fn add_labels(object: &mut Value, labels: impl IntoIterator<Item = (String, Value)>) {
    let mut labels = labels.into_iter().peekable();
    if labels.peek().is_some()
        && let Some(existing) = object_mut(&mut object["metadata"], "labels")
    {
        existing.extend(labels);
    }
}

/// Sets the priority and preemption policy from the pod's priority class, or else from the global default class.
/// Without either, the priority is 0.
fn prioritize(state: &State, spec: &mut Value) -> Result<(), String> {
    let named = text(spec, "priorityClassName").to_owned();
    let class = match named.as_str() {
        "" => state
            .values("scheduling.k8s.io", "priorityclasses", None)
            .into_iter()
            .find(|class| is_true(class, "globalDefault")),
        name => Some(
            state
                .value("scheduling.k8s.io", "priorityclasses", "", name)
                .ok_or(format!("no PriorityClass with name {name} was found"))?,
        ),
    };
    let class = class.unwrap_or_default();
    if named.is_empty() && !class.is_null() {
        spec["priorityClassName"] = class["metadata"]["name"].clone();
    }
    let priority = class["value"].as_i64().unwrap_or_default();
    if let Some(given) = spec.get("priority").filter(|given| given.as_i64() != Some(priority)) {
        return Err(format!(
            "the integer value of priority ({given}) must not be provided in pod spec; \
             priority admission controller computed {priority} from the given PriorityClass name"
        ));
    }
    spec["priority"] = priority.into();
    let policy = class.get("preemptionPolicy").and_then(Value::as_str).unwrap_or("PreemptLowerPriority").to_owned();
    let given = text(spec, "preemptionPolicy");
    if !given.is_empty() && given != policy {
        return Err(format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; \
             priority admission controller computed {policy} from the given PriorityClass name"
        ));
    }
    spec["preemptionPolicy"] = policy.into();
    Ok(())
}

/// Adds the overhead, node selector and tolerations of the pod's runtime class.
fn add_runtime(state: &State, spec: &mut Value) -> Result<(), String> {
    let name = text(spec, "runtimeClassName").to_owned();
    if name.is_empty() {
        return match spec.get("overhead") {
            Some(_) => Err("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".into()),
            None => Ok(()),
        };
    }
    let missing = || format!("pod rejected: RuntimeClass \"{name}\" not found");
    let class = state.value("node.k8s.io", "runtimeclasses", "", &name).ok_or_else(missing)?;
    let overhead = class.pointer("/overhead/podFixed");
    match (spec.get("overhead"), overhead) {
        (Some(given), defined) if Some(given) != defined => {
            return Err(format!("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead: {given}"));
        }
        (None, Some(defined)) => spec["overhead"] = defined.clone(),
        _ => {}
    }
    let scheduling = &class["scheduling"];
    for (key, value) in members(scheduling, "nodeSelector") {
        let selector = object_mut(spec, "nodeSelector");
        let existing = selector.map(|selector| selector.entry(key.clone()).or_insert_with(|| value.clone()).clone());
        if existing.as_ref() != Some(value) {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {}",
                existing.unwrap_or_default()
            ));
        }
    }
    for toleration in items(scheduling, "tolerations") {
        tolerate(spec, toleration.clone());
    }
    Ok(())
}

/// Adds tolerations for nodes that are not ready or not reachable, unless the pod has its own (admission plugin
/// `DefaultTolerationSeconds`).
pub fn tolerate_briefly(spec: &mut Value) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let applies = |toleration: &Value| {
            matches!(text(toleration, "key"), found if found == key || found.is_empty())
                && matches!(text(toleration, "effect"), "NoExecute" | "")
        };
        if !items(spec, "tolerations").any(applies) {
            tolerate(
                spec,
                json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": BRIEFLY}),
            );
        }
    }
}

fn tolerate(spec: &mut Value, toleration: Value) {
    set_default(spec, "tolerations", json!([]));
    if let Some(list) = spec["tolerations"].as_array_mut()
        && !list.contains(&toleration)
    {
        list.push(toleration);
    }
}

/// Copies the annotations of a binding to its pod.
pub fn add_annotations(pod: &mut Value, binding: &Value) {
    let mut metadata = std::mem::take(&mut pod["metadata"]);
    for (key, _) in members(&binding["metadata"], "annotations") {
        set_default(&mut metadata, "annotations", json!({}));
        copy_member(&mut metadata["annotations"], &binding["metadata"]["annotations"], key);
    }
    pod["metadata"] = metadata;
}
