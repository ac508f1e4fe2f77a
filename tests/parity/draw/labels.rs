//! Labels of pods, selectors of pods, and their namespaces.

use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Value, json};

use super::Objects;
use super::parts::{Part, any_of, field, list, map, object, optional};

/// The namespaces of pods.
pub const NAMESPACES: [&str; 3] = ["default", "blue", "red"];

const KEYS: [&str; 3] = ["app", "tier", "version"];

fn value(key: &'static str) -> Part {
    match key {
        "app" => any_of(&["web", "web", "api"]),
        "tier" => any_of(&["front", "back"]),
        _ => any_of(&["1", "2", ""]),
    }
}

/// Draws `metadata.labels` and `metadata.namespace` of pods.
pub fn of_pod() -> Vec<Part> {
    let namespace = prop_oneof![2 => Just("default".into()), 1 => any_of(&NAMESPACES)];
    vec![field("metadata.labels", map(&KEYS, value)), field("metadata.namespace", namespace)]
}

fn expression(keys: &'static [&'static str], value: fn(&'static str) -> Part) -> Part {
    proptest::sample::select(keys)
        .prop_flat_map(move |key| {
            let some = |operator: &'static str| {
                list(value(key), 1..=2)
                    .prop_map(move |values| json!({"key": key, "operator": operator, "values": values}))
            };
            prop_oneof![
                some("In"),
                some("NotIn"),
                Just(json!({"key": key, "operator": "Exists"})),
                Just(json!({"key": key, "operator": "DoesNotExist"})),
            ]
        })
        .boxed()
}

fn label_selector(keys: &'static [&'static str], value: fn(&'static str) -> Part) -> Part {
    let labels = map(&keys[..1], value);
    prop_oneof![
        3 => object(vec![field("matchLabels", labels)]),
        2 => object(vec![optional("matchExpressions", list(expression(keys, value), 1..=2))]),
    ]
    .boxed()
}

/// Draws `labelSelector`, or none, with `matchLabelKeys` and, if `mismatch` is set, `mismatchLabelKeys`.
pub fn label_selector_with_keys(mismatch: bool) -> Part {
    let selector = prop_oneof![1 => Just(Value::Null), 6 => label_selector(&KEYS, value)];
    let keys = || prop_oneof![2 => Just(Vec::new()), 1 => subsequence(KEYS.to_vec(), 1..=2)];
    (selector, keys(), keys())
        .prop_map(move |(selector, same, other)| {
            if selector.is_null() {
                return json!({});
            }
            // The API server refuses a key that occurs twice.
            let text = selector.to_string();
            let same: Vec<&str> = same.into_iter().filter(|key| !text.contains(&format!("\"{key}\""))).collect();
            let other: Vec<&str> = other.into_iter().filter(|key| mismatch && !same.contains(key)).collect();
            let mut all = json!({"labelSelector": selector});
            for (name, keys) in [("matchLabelKeys", same), ("mismatchLabelKeys", other)] {
                if !keys.is_empty() {
                    all[name] = keys.into();
                }
            }
            all
        })
        .boxed()
}

fn team(_: &'static str) -> Part {
    any_of(&["blue", "red"])
}

/// Draws a selector of namespaces.
pub fn namespace_selector() -> Part {
    label_selector(&["team"], team)
}

/// Draws namespaces with labels.
pub fn namespaces() -> Objects {
    Objects {
        api_version: "v1",
        kind: "Namespace",
        names: &NAMESPACES,
        namespaces: &[],
        parts: vec![field("metadata.labels", map(&["team"], team))],
    }
}
