//! Affinity and anti-affinity between pods.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::labels::{NAMESPACES, label_selector_with_keys, namespace_selector};
use super::parts::{Part, any_of, field, list, object, optional};

fn term() -> Part {
    let namespaces = list(any_of(&NAMESPACES), 1..=2);
    let key = any_of(&["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"]);
    let seldom = |part: Part| prop_oneof![2 => Just(json!({})), 1 => part].boxed();
    object(vec![
        field("topologyKey", key),
        label_selector_with_keys(true),
        seldom(field("namespaces", namespaces)),
        seldom(field("namespaceSelector", namespace_selector())),
    ])
}

fn terms() -> Part {
    let preferred = object(vec![field("weight", any_of(&[1, 10, 100])), field("podAffinityTerm", term())]);
    object(vec![seldom_required(), optional("preferredDuringSchedulingIgnoredDuringExecution", list(preferred, 1..=2))])
}

/// Draws required terms, in fewer cases than preferred terms, because few nodes satisfy several required terms.
fn seldom_required() -> Part {
    let required = field("requiredDuringSchedulingIgnoredDuringExecution", list(term(), 1..=2));
    prop_oneof![2 => Just(json!({})), 1 => required].boxed()
}

/// Draws `spec.affinity.podAffinity` and `spec.affinity.podAntiAffinity`.
pub fn of_pod() -> Vec<Part> {
    vec![optional("spec.affinity.podAffinity", terms()), optional("spec.affinity.podAntiAffinity", terms())]
}

/// Draws `InterPodAffinityArgs`.
pub fn arguments() -> Part {
    let weight: Vec<Value> = [1, 0, 10, 100].into_iter().map(Value::from).collect();
    object(vec![
        optional("InterPodAffinity.hardPodAffinityWeight", any_of(&weight)),
        optional("InterPodAffinity.ignorePreferredTermsOfExistingPods", any_of(&[false, true])),
    ])
}
