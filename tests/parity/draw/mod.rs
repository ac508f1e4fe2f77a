//! Drawing cases, smaller ones by shrinking.

pub mod affinity;
pub mod arguments;
pub mod containers;
pub mod nodes;
pub mod parts;
pub mod pods;
mod ports;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use self::parts::{Part, merged, object};
use self::ports::Owners;
use crate::case::{Case, Change};

/// What the objects of a kind of case consist of, besides their names.
pub struct Draw {
    /// Nodes.
    pub nodes: Vec<Part>,
    /// Pods, those that run and those to be placed.
    pub pods: Vec<Part>,
    /// Pods that run, besides.
    pub residents: Vec<Part>,
    /// Arguments by plugin.
    pub arguments: Part,
}

const MOST_NODES: usize = 5;
const MOST_RESIDENTS: usize = 6;
const MOST_CHANGES: usize = 3;

/// Something that happens, before it has a name.
#[derive(Clone, Debug)]
enum Happens {
    Node(usize, Value),
    NodeGoes(usize),
    Resident(usize, Value),
    ResidentGoes(usize),
}

/// Cases made of these parts.
pub fn cases(draw: Draw) -> impl Strategy<Value = Case> {
    let node = object(draw.nodes);
    let pod = object(draw.pods);
    let resident = (pod.clone(), object(draw.residents), 0..MOST_NODES).prop_map(|(pod, more, node)| {
        let place = json!({"spec": {"nodeName": format!("n{node}")}});
        merged(merged(pod, more), place)
    });
    let resident = resident.boxed();
    let happens = prop_oneof![
        (0..MOST_NODES, node.clone()).prop_map(|(at, node)| Happens::Node(at, node)),
        (0..MOST_RESIDENTS, resident.clone()).prop_map(|(at, pod)| Happens::Resident(at, pod)),
        (0..MOST_RESIDENTS).prop_map(Happens::ResidentGoes),
        (0..MOST_NODES).prop_map(Happens::NodeGoes),
    ];
    let nodes = vec(node, 1..=MOST_NODES);
    let residents = vec(resident, 0..=MOST_RESIDENTS);
    let pods = vec(pod, 1..=2);
    (draw.arguments, nodes, residents, pods, vec(happens, 0..=MOST_CHANGES)).prop_map(
        |(arguments, nodes, residents, pods, happens)| {
            let nodes = nodes.into_iter().enumerate().map(|(at, node)| named("Node", "n", at, node));
            let residents = residents.into_iter().enumerate().map(|(at, pod)| named("Pod", "r", at, pod));
            let mut objects: Vec<Value> = nodes.chain(residents).collect();
            let mut changes = changes(&objects, happens);
            let mut owners = Owners::default();
            let set = changes.iter_mut().filter_map(|change| match change {
                Change::Set(object) => Some(object),
                Change::Remove(_) => None,
            });
            objects.iter_mut().chain(set).filter(|object| object["kind"] == "Pod").for_each(|pod| owners.settle(pod));
            let pods = pods.into_iter().enumerate().map(|(at, pod)| named("Pod", "p", at, pod)).collect();
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            Case { arguments, objects, pods, changes, ..Case::default() }
        },
    )
}

/// What is not there can't go.
fn changes(objects: &[Value], happens: Vec<Happens>) -> Vec<Change> {
    let mut there: Vec<(Value, Value)> = objects.iter().map(|object| (identity(object), place(object))).collect();
    let mut changes = Vec::new();
    for happens in happens {
        let (kind, letter, at, object) = match happens {
            Happens::Node(at, node) => ("Node", "n", at, Some(node)),
            Happens::NodeGoes(at) => ("Node", "n", at, None),
            Happens::Resident(at, pod) => ("Pod", "r", at, Some(pod)),
            Happens::ResidentGoes(at) => ("Pod", "r", at, None),
        };
        let identity = identity(&named(kind, letter, at, json!({})));
        let known = there.iter().position(|(known, _)| *known == identity);
        match (object, known) {
            (Some(object), Some(known)) => {
                // No pod moves.
                changes.push(Change::Set(merged(named(kind, letter, at, object), there[known].1.clone())));
            }
            (Some(object), None) => {
                there.push((identity, place(&object)));
                changes.push(Change::Set(named(kind, letter, at, object)));
            }
            (None, Some(known)) => changes.push(Change::Remove(there.remove(known).0)),
            (None, None) => {}
        }
    }
    changes
}

/// The node of a pod that runs, as a part of the pod.
fn place(object: &Value) -> Value {
    match &object["spec"]["nodeName"] {
        Value::Null => json!({}),
        node => json!({"spec": {"nodeName": node}}),
    }
}

fn identity(object: &Value) -> Value {
    let metadata = &object["metadata"];
    let mut identity = json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": {"name": metadata["name"], "uid": metadata["uid"]},
    });
    if let Some(namespace) = metadata.get("namespace") {
        identity["metadata"]["namespace"] = namespace.clone();
    }
    identity
}

fn named(kind: &str, letter: &str, at: usize, object: Value) -> Value {
    let name = format!("{letter}{at}");
    let head = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "uid": name}});
    let own = match kind {
        "Node" => json!({"metadata": {"labels": {"kubernetes.io/hostname": name}}}),
        _ if object["spec"].get("containers").is_some() => json!({"metadata": {"namespace": "default"}}),
        _ => json!({"metadata": {"namespace": "default"}, "spec": {"containers": [{"name": "c0", "image": "app:1"}]}}),
    };
    merged(merged(object, own), head)
}
