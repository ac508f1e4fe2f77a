//! Tests selectors, percentages, hashes and completion indexes.

use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::core::{ApiResource, GroupVersionKind, ObjectMeta};
use serde_json::{Value, json};

use super::super::job::Indexes;
use super::super::kinds::{Kind, Kinds, Served};
use super::super::percent::{Round, resolve};
use super::super::{selector, template};

#[test]
fn selectors_match_labels() {
    let labels: ObjectMeta = serde_json::from_value(json!({ "labels": { "a": "1", "b": "2" } })).expect("metadata");
    let expression = |operator: &str, values: Value| json!({ "matchExpressions": [{ "key": "a", "operator": operator, "values": values }] });
    let cases = [
        (json!({}), true),
        (json!({ "matchLabels": { "a": "1" } }), true),
        (json!({ "matchLabels": { "a": "2" } }), false),
        (json!({ "matchLabels": { "a": "1", "c": "3" } }), false),
        (expression("In", json!(["0", "1"])), true),
        (expression("NotIn", json!(["0", "1"])), false),
        (expression("Exists", json!(null)), true),
        (expression("DoesNotExist", json!(null)), false),
        (expression("Unheard", json!(null)), false),
    ];
    for (text, wanted) in cases {
        let selector: LabelSelector = serde_json::from_value(text.clone()).expect("a selector");
        assert_eq!(selector::matches(Some(&selector), &labels), wanted, "{text}");
    }
    assert!(!selector::matches(None, &labels), "no selector matches nothing");
}

#[test]
fn percentages_round_up_or_down() {
    let text = |text: &str| IntOrString::String(text.to_owned());
    let cases = [
        (IntOrString::Int(3), 10, 3, 3),
        (IntOrString::Int(-3), 10, 0, 0),
        (text("25%"), 10, 3, 2),
        (text("100%"), 7, 7, 7),
        (text("0%"), 7, 0, 0),
        (text("abc"), 7, 0, 0),
        (text("200%"), i32::MAX, i32::MAX, i32::MAX),
    ];
    for (value, total, up, down) in cases {
        assert_eq!(
            (resolve(&value, total, Round::Up), resolve(&value, total, Round::Down)),
            (up, down),
            "{value:?} of {total}"
        );
    }
}

#[test]
fn different_templates_have_different_hashes() {
    let of = |image: &str| PodTemplateSpec {
        spec: serde_json::from_value(json!({ "containers": [{ "name": "main", "image": image }] })).expect("a spec"),
        metadata: None,
    };
    assert_eq!(template::hash(&of("a"), 0), template::hash(&of("a"), 0));
    assert_ne!(template::hash(&of("a"), 0), template::hash(&of("b"), 0));
    assert_ne!(template::hash(&of("a"), 0), template::hash(&of("a"), 1));
    assert!(template::hash(&of("a"), 0).bytes().all(|letter| letter.is_ascii_alphanumeric()));
}

#[test]
fn indexes_are_written_in_ranges() {
    let cases = [("", ""), ("3", "3"), ("0,1", "0,1"), ("2,0,1,7", "0-2,7"), ("0-2,5-9", "0-2,5-7"), ("x,1,-4", "1")];
    for (text, wanted) in cases {
        assert_eq!(Indexes::parse(text, 8).notation(), wanted, "{text}");
    }
    assert_eq!(Indexes::parse("0-2000000000", 8).len(), 8, "a wild range is bounded");
}

#[test]
fn kinds_keep_their_numbers() {
    let served = |group: &str, kind: &str| Served {
        resource: ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind)),
        namespaced: true,
        collective: true,
        watched: true,
    };
    let mut kinds = Kinds::default();
    let (mut new, lost) = kinds.update(vec![served("", "Pod"), served("x", "A"), served("x", "B")]);
    new.sort();
    assert_eq!((new.len(), lost.len(), new[0]), (3, 0, Kind::Pod));
    let b = kinds.of_owner("x/v2", "B").expect("B is served");
    let (new, lost) = kinds.update(vec![served("", "Pod"), served("x", "B"), served("y", "B")]);
    assert_eq!((new.len(), lost.len()), (1, 1));
    assert_eq!(kinds.of_owner("x/v1", "B"), Some(b));
    assert_ne!(kinds.of_owner("y/v1", "B"), Some(b));
    assert_eq!(kinds.of_owner("x/v1", "A"), None);
    assert_eq!(kinds.of_owner("v1", "Pod"), Some(Kind::Pod));
}
