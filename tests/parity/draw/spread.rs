//! Topology spread constraints of pods and of profiles, and the topology labels of nodes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::affinity;
use super::labels::label_selector_with_keys;
use super::parts::{Part, any_of, field, list, object, optional};
use crate::case::Case;

const KEYS: [&str; 3] = ["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"];

/// Draws the topology labels of nodes. Some nodes lack some of them.
pub fn topology() -> Vec<Part> {
    let at = |key: &'static str, values: &[&'static str]| {
        let label = any_of(values).prop_map(move |value| json!({"metadata": {"labels": {key: value}}}));
        prop_oneof![5 => label, 1 => Just(json!({}))].boxed()
    };
    let nameless = json!({"metadata": {"labels": {"kubernetes.io/hostname": null}}});
    vec![
        at(KEYS[0], &["a", "b", "c"]),
        at(KEYS[2], &["1", "2", ""]),
        at("disk", &["ssd", "hdd"]),
        prop_oneof![9 => Just(json!({})), 1 => Just(nameless)].boxed(),
    ]
}

fn constraint(selector: Part) -> Part {
    let hard = object(vec![
        field("whenUnsatisfiable", any_of(&["DoNotSchedule"])),
        optional("minDomains", any_of(&[1, 2, 3, 4])),
    ]);
    let soft = field("whenUnsatisfiable", any_of(&["ScheduleAnyway"]));
    let policy = || any_of(&["Honor", "Ignore"]);
    object(vec![
        field("maxSkew", any_of(&[1, 2, 5])),
        field("topologyKey", any_of(&KEYS)),
        prop_oneof![hard, soft].boxed(),
        optional("nodeAffinityPolicy", policy()),
        optional("nodeTaintsPolicy", policy()),
        selector,
    ])
}

/// Draws constraints. No two have the same `topologyKey` and `whenUnsatisfiable`.
fn constraints(selector: Part) -> Part {
    list(constraint(selector), 1..=3)
        .prop_map(|all| {
            let mut kept: Vec<Value> = Vec::new();
            for constraint in all.as_array().into_iter().flatten() {
                let is_duplicate = |kept: &Value| {
                    ["topologyKey", "whenUnsatisfiable"].iter().all(|field| kept[field] == constraint[field])
                };
                if !kept.iter().any(is_duplicate) {
                    kept.push(constraint.clone());
                }
            }
            kept.into()
        })
        .boxed()
}

/// Draws `spec.topologySpreadConstraints` and, sometimes, a node affinity, which affects the nodes whose pods
/// count.
pub fn of_pod() -> Vec<Part> {
    let affinity = prop_oneof![3 => Just(json!({})), 1 => object(affinity::of_pod())];
    vec![optional("spec.topologySpreadConstraints", constraints(label_selector_with_keys(false))), affinity.boxed()]
}

/// Draws `PodTopologySpreadArgs`.
pub fn arguments() -> Part {
    let listed = object(vec![
        field("defaultingType", any_of(&["List"])),
        optional("defaultConstraints", constraints(Just(json!({})).boxed())),
    ]);
    let arguments = prop_oneof![field("defaultingType", any_of(&["System"])), listed];
    optional("PodTopologySpread", arguments)
}

/// Replaces empty selectors of the constraints of pods to schedule with a requirement that all pods meet. With an empty
/// selector, kube-scheduler counts hypothetical pods only (docs/differences.md).
pub fn settle(case: &mut Case) {
    let is_empty =
        |part: &Value| part.as_object().is_none_or(Map::is_empty) && part.as_array().is_none_or(Vec::is_empty);
    let pods = case.pods.iter_mut();
    let constraints = pods.filter_map(|pod| pod["spec"].get_mut("topologySpreadConstraints")?.as_array_mut()).flatten();
    for selector in constraints.filter_map(|constraint| constraint.get_mut("labelSelector")) {
        if is_empty(&selector["matchLabels"]) && is_empty(&selector["matchExpressions"]) {
            *selector = json!({"matchExpressions": [{"key": "nobody-has-it", "operator": "DoesNotExist"}]});
        }
    }
}
