//! Matches label selectors.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use kube::core::ObjectMeta;

/// Returns true if the object's labels match. An empty selector matches everything, and an absent selector matches
/// nothing.
pub fn matches(selector: Option<&LabelSelector>, meta: &ObjectMeta) -> bool {
    static NONE: BTreeMap<String, String> = BTreeMap::new();
    let labels = meta.labels.as_ref().unwrap_or(&NONE);
    selector.is_some_and(|selector| {
        let exact = selector.match_labels.iter().flatten().all(|(key, value)| labels.get(key) == Some(value));
        exact && selector.match_expressions.iter().flatten().all(|requirement| meets(labels, requirement))
    })
}

/// Returns true for an empty selector. Workload controllers treat an empty selector as an error.
pub fn is_empty(selector: &LabelSelector) -> bool {
    let labels = selector.match_labels.as_ref().is_none_or(BTreeMap::is_empty);
    labels && selector.match_expressions.as_ref().is_none_or(Vec::is_empty)
}

fn meets(labels: &BTreeMap<String, String>, requirement: &LabelSelectorRequirement) -> bool {
    let value = labels.get(&requirement.key);
    let listed = || value.is_some_and(|value| requirement.values.iter().flatten().any(|allowed| allowed == value));
    match requirement.operator.as_str() {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}
