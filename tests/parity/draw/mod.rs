//! Drawing cases, smaller ones by shrinking.
//!
//! A plugin that reads more than there is here gets a file of its own for the parts of nodes, pods and arguments, and for
//! [`Objects`] of the kinds that it lists; then a row in [`crate::entries`] puts them together.

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

/// What the objects of a kind of case consist of, besides their names.
pub struct Draw {
    /// Nodes.
    pub nodes: Vec<Part>,
    /// Pods, those that run and those to be placed. They are in the namespace `default` where nothing else is drawn.
    pub pods: Vec<Part>,
    /// Pods that run, besides.
    pub residents: Vec<Part>,
    /// Some of them do not run yet, but are promised room on a node. Then the whole cycle alone is compared: kube-scheduler's
    /// plugins by themselves know of no promises.
    pub nominated: bool,
    /// Objects of further kinds.
    pub objects: Vec<Objects>,
    /// Arguments by plugin.
    pub arguments: Part,
    /// Makes whole what parts drawn for themselves can't say together. It is called before the API server's own part is done.
    pub settle: fn(&mut Case),
}

const MOST_NODES: usize = 5;
const MOST_RESIDENTS: usize = 6;
const MOST_CHANGES: usize = 3;

/// Cases made of these parts.
pub fn cases(draw: Draw) -> impl Strategy<Value = Case> {
    let Draw { nodes, pods, residents, nominated, objects, arguments, settle } = draw;
    let (node, pod) = (object(nodes), object(pods));
    let nominated = if nominated { any::<bool>().boxed() } else { Just(false).boxed() };
    let resident =
        (pod.clone(), object(residents), 0..MOST_NODES, nominated).prop_map(|(pod, more, node, nominated)| {
            let node = format!("n{node}");
            let place = match nominated {
                // Others than its own a scheduler does not keep in mind.
                true => json!({"spec": {"schedulerName": PROFILE}, "status": {"nominatedNodeName": node}}),
                false => json!({"spec": {"nodeName": node}}),
            };
            merged(merged(pod, more), place)
        });
    let resident = resident.boxed();
    let happens = happens(&node, &resident, &objects);
    let further: Vec<BoxedStrategy<Vec<Value>>> = objects.iter().map(Objects::some).collect();
    let there = (vec(node, 1..=MOST_NODES), vec(resident, 0..=MOST_RESIDENTS), further);
    (arguments, there, vec(pod, 1..=2), vec(happens, 0..=MOST_CHANGES)).prop_map(
        move |(arguments, (nodes, residents, further), pods, happens)| {
            let nodes = nodes.into_iter().enumerate().map(|(at, node)| named("Node", "n", at, node));
            let residents = residents.into_iter().enumerate().map(|(at, pod)| named("Pod", "r", at, pod));
            let objects: Vec<Value> = nodes.chain(further.into_iter().flatten()).chain(residents).collect();
            let changes = changes(&objects, happens);
            let pods = pods.into_iter().enumerate().map(|(at, pod)| named("Pod", "p", at, pod)).collect();
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let mut case = Case { arguments, objects, pods, changes, ..Case::default() };
            settle(&mut case);
            as_taken(&mut case);
            case
        },
    )
}

/// Something that happens: an object as it is then, or one that goes. It may not even be there.
fn happens(node: &Part, resident: &Part, objects: &[Objects]) -> Union<BoxedStrategy<Change>> {
    let node = (0..MOST_NODES, node.clone()).prop_map(|(at, node)| named("Node", "n", at, node));
    let resident = (0..MOST_RESIDENTS, resident.clone()).prop_map(|(at, pod)| named("Pod", "r", at, pod));
    let further = objects.iter().map(Objects::one);
    let all = [node.boxed(), resident.boxed()].into_iter().chain(further);
    let of = |object: Part| [object.clone().prop_map(Change::Set).boxed(), object.prop_map(Change::Remove).boxed()];
    Union::new(all.flat_map(of))
}

/// What is not there can't go; and of what is there, some things never change.
fn changes(objects: &[Value], happens: Vec<Change>) -> Vec<Change> {
    let mut there: Vec<Value> = objects.iter().map(lasting).collect();
    let mut changes = Vec::new();
    for happens in happens {
        let (Change::Set(object) | Change::Remove(object)) = &happens;
        let known = there.iter().position(|known| is_same(known, object));
        match (happens, known) {
            (Change::Set(object), Some(known)) => {
                let object = changed(object, &there[known]);
                there[known] = lasting(&object);
                changes.push(Change::Set(object));
            }
            (Change::Set(object), None) => {
                there.push(lasting(&object));
                changes.push(Change::Set(object));
            }
            (Change::Remove(_), Some(known)) => {
                let mut gone = there.remove(known);
                gone.as_object_mut().map(|fields| fields.remove("spec"));
                changes.push(Change::Remove(gone));
            }
            (Change::Remove(_), None) => {}
        }
    }
    changes
}

/// Pods are told apart by their names alone, whatever their namespace.
fn is_same(one: &Value, other: &Value) -> bool {
    one["kind"] == other["kind"] && one["metadata"]["uid"] == other["metadata"]["uid"]
}

/// An object as it is then. A pod that waited keeps its spec, and may have a node now.
fn changed(object: Value, before: &Value) -> Value {
    let node = object["spec"].get("nodeName").cloned();
    let mut changed = merged(object, before.clone());
    if before["spec"].get("containers").is_some() {
        changed["spec"] = before["spec"].clone();
        changed["spec"].as_object_mut().zip(node).map(|(spec, node)| spec.insert("nodeName".into(), node));
    }
    changed
}

/// What an object keeps as long as it is there: its name, the node of a pod, and the spec of one that waits for a node.
fn lasting(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut lasting = json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": {"name": metadata["name"], "uid": metadata["uid"]},
    });
    if let Some(namespace) = metadata.get("namespace") {
        lasting["metadata"]["namespace"] = namespace.clone();
    }
    match object["spec"].get("nodeName") {
        Some(node) => lasting["spec"] = json!({"nodeName": node}),
        None if object["kind"] == "Pod" => lasting["spec"] = object["spec"].clone(),
        None => {}
    }
    lasting
}

/// What the API server and kubelets see to.
fn as_taken(case: &mut Case) {
    let mut owners = Owners::default();
    for (version, pod) in (1_u64..).zip(case.set_mut().filter(|object| object["kind"] == "Pod")) {
        owners.settle(pod);
        label_keys::settle(pod);
        // A scheduler takes no notice of a pod that comes again in the same version.
        pod["metadata"]["resourceVersion"] = version.to_string().into();
    }
    case.pods.iter_mut().for_each(label_keys::settle);
}

fn named(kind: &str, letter: &str, at: usize, object: Value) -> Value {
    let name = format!("{letter}{at}");
    let head = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "uid": name}});
    let default = match kind {
        "Node" => json!({"metadata": {"labels": {"kubernetes.io/hostname": name}}}),
        _ => json!({"metadata": {"namespace": "default"}, "spec": {"containers": [{"name": "c0", "image": "app:1"}]}}),
    };
    let mut object = merged(merged(default, object), head);
    // Drawn as null where a node is to have none.
    if let Some(labels) = object["metadata"].get_mut("labels").and_then(Value::as_object_mut) {
        labels.retain(|_, value| !value.is_null());
    }
    object
}
