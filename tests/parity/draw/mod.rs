//! Draws cases. Shrinking makes a failing case smaller.
//!
//! If a plugin reads fields that are not drawn yet, add a file with the parts of nodes, pods and arguments, and with
//! the [`Objects`] of the kinds that the plugin lists. A row in [`crate::entries`] combines these parts and objects.

pub mod affinity;
pub mod arguments;
pub mod claims;
pub mod containers;
pub mod csi;
mod label_keys;
pub mod labels;
pub mod nodes;
pub mod objects;
pub mod parts;
pub mod pod_affinity;
pub mod pods;
mod ports;
pub mod preemption;
mod quantities;
pub mod scored;
pub mod spread;
pub mod volumes;
pub mod workloads;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Value, json};

pub use self::objects::Objects;
use self::parts::{Part, merged, object};
use self::ports::Owners;
use crate::case::{Case, Change, PROFILE};

/// The parts that the objects of a case are made of, besides their names.
pub struct Draw {
    /// The parts of nodes.
    pub nodes: Vec<Part>,
    /// The parts of pods, both running pods and pods to schedule. The namespace is `default` unless another is
    /// drawn.
    pub pods: Vec<Part>,
    /// Additional parts of the pods of the cluster, which are called residents.
    pub residents: Vec<Part>,
    /// True if some of the residents have a nominated node instead of a node. Then only the result of the cycle is
    /// compared, because kube-scheduler's plugins, called alone, ignore nominated pods.
    pub nominated: bool,
    /// Objects of additional kinds.
    pub objects: Vec<Objects>,
    /// Arguments by plugin.
    pub arguments: Part,
    /// Makes independently drawn parts of a case consistent. Called before `apply_admission`.
    pub settle: fn(&mut Case),
}

const MAX_NODES: usize = 5;
const MAX_RESIDENTS: usize = 6;
const MAX_CHANGES: usize = 3;

/// Draws cases whose objects are made of the parts in `draw`.
pub fn cases(draw: Draw) -> impl Strategy<Value = Case> {
    let Draw { nodes, pods, residents, nominated, objects, arguments, settle } = draw;
    let (node, pod) = (object(nodes), object(pods));
    let nominated = if nominated { any::<bool>().boxed() } else { Just(false).boxed() };
    let resident =
        (pod.clone(), object(residents), 0..MAX_NODES, nominated).prop_map(|(pod, more, node, nominated)| {
            let node = format!("n{node}");
            let place = match nominated {
                // A scheduler ignores nominated pods of other schedulers.
                true => json!({"spec": {"schedulerName": PROFILE}, "status": {"nominatedNodeName": node}}),
                false => json!({"spec": {"nodeName": node}}),
            };
            merged(merged(pod, more), place)
        });
    let resident = resident.boxed();
    let change = change(&node, &resident, &objects);
    let further: Vec<BoxedStrategy<Vec<Value>>> = objects.iter().map(Objects::some).collect();
    let cluster = (vec(node, 1..=MAX_NODES), vec(resident, 0..=MAX_RESIDENTS), further);
    (arguments, cluster, vec(pod, 1..=2), vec(change, 0..=MAX_CHANGES)).prop_map(
        move |(arguments, (nodes, residents, further), pods, drawn_changes)| {
            let nodes = nodes.into_iter().enumerate().map(|(at, node)| named("Node", "n", at, node));
            let residents = residents.into_iter().enumerate().map(|(at, pod)| named("Pod", "r", at, pod));
            let objects: Vec<Value> = nodes.chain(further.into_iter().flatten()).chain(residents).collect();
            let changes = changes(&objects, drawn_changes);
            let pods = pods.into_iter().enumerate().map(|(at, pod)| named("Pod", "p", at, pod)).collect();
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let mut case = Case { arguments, objects, pods, changes, ..Case::default() };
            settle(&mut case);
            apply_admission(&mut case);
            case
        },
    )
}

/// Draws a change: an added or changed object, or a removal. The object to remove may be missing in the cluster.
fn change(node: &Part, resident: &Part, objects: &[Objects]) -> Union<BoxedStrategy<Change>> {
    let node = (0..MAX_NODES, node.clone()).prop_map(|(at, node)| named("Node", "n", at, node));
    let resident = (0..MAX_RESIDENTS, resident.clone()).prop_map(|(at, pod)| named("Pod", "r", at, pod));
    let further = objects.iter().map(Objects::one);
    let all = [node.boxed(), resident.boxed()].into_iter().chain(further);
    let of = |object: Part| [object.clone().prop_map(Change::Set).boxed(), object.prop_map(Change::Remove).boxed()];
    Union::new(all.flat_map(of))
}

/// Drops removals of objects that do not exist, and keeps the immutable fields of objects that change.
fn changes(objects: &[Value], drawn: Vec<Change>) -> Vec<Change> {
    let mut existing: Vec<Value> = objects.iter().map(immutable_fields).collect();
    let mut changes = Vec::new();
    for change in drawn {
        let (Change::Set(object) | Change::Remove(object)) = &change;
        let at = existing.iter().position(|other| is_same(other, object));
        match (change, at) {
            (Change::Set(object), Some(at)) => {
                let object = changed(object, &existing[at]);
                existing[at] = immutable_fields(&object);
                changes.push(Change::Set(object));
            }
            (Change::Set(object), None) => {
                existing.push(immutable_fields(&object));
                changes.push(Change::Set(object));
            }
            (Change::Remove(_), Some(at)) => {
                let mut removed = existing.remove(at);
                removed.as_object_mut().map(|fields| fields.remove("spec"));
                changes.push(Change::Remove(removed));
            }
            (Change::Remove(_), None) => {}
        }
    }
    changes
}

/// Compares objects by kind and uid. A pod's uid is its name alone, whatever its namespace.
fn is_same(one: &Value, other: &Value) -> bool {
    one["kind"] == other["kind"] && one["metadata"]["uid"] == other["metadata"]["uid"]
}

/// Returns the object after a change, with the immutable fields `before`. A pod without a node keeps its spec, and can
/// get a node.
fn changed(object: Value, before: &Value) -> Value {
    let node = object["spec"].get("nodeName").cloned();
    let mut changed = merged(object, before.clone());
    if before["spec"].get("containers").is_some() {
        changed["spec"] = before["spec"].clone();
        changed["spec"].as_object_mut().zip(node).map(|(spec, node)| spec.insert("nodeName".into(), node));
    }
    changed
}

/// Returns the fields that never change in these cases: an object's type, name, namespace and uid, the node of a pod,
/// and the spec of a pod without a node.
fn immutable_fields(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut immutable_fields = json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": {"name": metadata["name"], "uid": metadata["uid"]},
    });
    if let Some(namespace) = metadata.get("namespace") {
        immutable_fields["metadata"]["namespace"] = namespace.clone();
    }
    match object["spec"].get("nodeName") {
        Some(node) => immutable_fields["spec"] = json!({"nodeName": node}),
        None if object["kind"] == "Pod" => immutable_fields["spec"] = object["spec"].clone(),
        None => {}
    }
    immutable_fields
}

/// Makes the changes that the API server and kubelets make: removes host ports that are in use, merges the keys of
/// `matchLabelKeys` and `mismatchLabelKeys` into selectors, and sets resource versions.
fn apply_admission(case: &mut Case) {
    let mut owners = Owners::default();
    for (version, pod) in (1_u64..).zip(case.set_mut().filter(|object| object["kind"] == "Pod")) {
        owners.settle(pod);
        label_keys::settle(pod);
        // A scheduler ignores an update of a pod with an unchanged resource version.
        pod["metadata"]["resourceVersion"] = version.to_string().into();
    }
    case.pods.iter_mut().for_each(label_keys::settle);
}

/// Returns a node or pod with default fields. Its name and uid are the letter followed by the number `at`.
fn named(kind: &str, letter: &str, at: usize, object: Value) -> Value {
    let name = format!("{letter}{at}");
    let head = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "uid": name}});
    let default = match kind {
        "Node" => json!({"metadata": {"labels": {"kubernetes.io/hostname": name}}}),
        _ => json!({"metadata": {"namespace": "default"}, "spec": {"containers": [{"name": "c0", "image": "app:1"}]}}),
    };
    let mut object = merged(merged(default, object), head);
    // Null means that the node does not have the label.
    if let Some(labels) = object["metadata"].get_mut("labels").and_then(Value::as_object_mut) {
        labels.retain(|_, value| !value.is_null());
    }
    object
}
