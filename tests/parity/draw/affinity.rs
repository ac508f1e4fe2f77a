//! The node selector of pods, and the node affinity of pods and of profiles (`addedAffinity`).

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::nodes::{LABELS, label_value};
use super::parts::{Part, any_of, field, list, map, object, optional};

fn key() -> BoxedStrategy<&'static str> {
    select([&LABELS[..], &["kubernetes.io/hostname", "absent"]].concat()).boxed()
}

/// Draws a requirement on a label.
fn expression() -> Part {
    let values = |key: &'static str| match key {
        "kubernetes.io/hostname" => any_of(&["n0", "n1", "n2"]),
        key => label_value(key),
    };
    key()
        .prop_flat_map(move |key| {
            let some = move |operator: &'static str| {
                list(values(key), 1..=2)
                    .prop_map(move |values| json!({"key": key, "operator": operator, "values": values}))
            };
            let number = any_of(&["4", "2", "many", "9223372036854775807"]);
            prop_oneof![
                some("In"),
                some("NotIn"),
                Just(json!({"key": key, "operator": "Exists"})),
                Just(json!({"key": key, "operator": "DoesNotExist"})),
                (any_of(&["Gt", "Lt"]), number)
                    .prop_map(move |(operator, number)| json!({"key": key, "operator": operator, "values": [number]})),
            ]
        })
        .boxed()
}

/// Draws a requirement on the node's name.
fn name() -> Part {
    let name = any_of(&["n0", "n1", "n2", "n9"]);
    (any_of(&["In", "NotIn"]), name)
        .prop_map(|(operator, name)| json!({"key": "metadata.name", "operator": operator, "values": [name]}))
        .boxed()
}

/// Draws a term of a node selector. A term without requirements matches nothing.
fn term() -> Part {
    object(vec![optional("matchExpressions", list(expression(), 1..=2)), optional("matchFields", list(name(), 1..=2))])
}

/// Draws a node affinity.
pub fn affinity() -> Part {
    let preferred = object(vec![field("weight", any_of(&[1, 10, 100])), field("preference", term())]);
    object(vec![
        optional("requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms", list(term(), 1..=3)),
        optional("preferredDuringSchedulingIgnoredDuringExecution", list(preferred, 1..=3)),
    ])
}

/// Draws `spec.nodeSelector` and `spec.affinity.nodeAffinity`.
pub fn of_pod() -> Vec<Part> {
    let selector = map(&LABELS, label_value)
        .prop_filter("a selector of everything is drawn as none", |selector: &Value| {
            selector.as_object().is_some_and(|labels| !labels.is_empty())
        });
    vec![
        prop_oneof![3 => Just(json!({})), 1 => field("spec.nodeSelector", selector)].boxed(),
        optional("spec.affinity.nodeAffinity", affinity()),
    ]
}
