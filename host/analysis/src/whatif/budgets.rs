//! The PodDisruptionBudgets that stand in the way of a drain.

use std::sync::Arc;

use berth_core::model::{Labels, Pod};
use serde_json::Value;

use super::answer::BudgetAnswer;
use super::classes::objects;
use crate::copy::ClusterCopy;

/// The budgets of evicted pods.
#[derive(Debug, Default)]
pub(super) struct Budgets {
    pub answers: Vec<BudgetAnswer>,
    /// What is not known, or why an eviction fails in any case.
    pub notes: Vec<String>,
}

/// Returns the budgets of the pods that a drain evicts. `rules` has the budgets of the cluster.
pub(super) fn of_evicted(rules: &ClusterCopy, evicted: &[Arc<Pod>]) -> Budgets {
    let mut budgets = Budgets::default();
    if evicted.is_empty() {
        return budgets;
    }
    let Some(known) = objects(rules, "PodDisruptionBudget") else {
        budgets.notes.push("PodDisruptionBudgets are not known, so none of them is considered.".to_owned());
        return budgets;
    };
    let mut budgets_of_pod = vec![0_usize; evicted.len()];
    for (object, fields) in known {
        let mut count = 0;
        for (pod, budgets) in evicted.iter().zip(&mut budgets_of_pod) {
            if pod.key.namespace == object.key.namespace && selects(&fields["spec"]["selector"], &pod.labels) {
                count += 1;
                *budgets += 1;
            }
        }
        if count > 0 {
            let allowed = fields["status"]["disruptionsAllowed"].as_i64().unwrap_or_default();
            budgets.answers.push(BudgetAnswer {
                namespace: object.key.namespace.to_string(),
                name: object.key.name.to_string(),
                allowed,
                evicted: count,
                blocks: allowed <= 0,
            });
        }
    }
    let several = evicted.iter().zip(&budgets_of_pod).filter(|(_, budgets)| **budgets > 1);
    budgets.notes.extend(several.map(|(pod, count)| {
        format!("The API server does not evict pod {}, because {count} PodDisruptionBudgets select it.", pod.key)
    }));
    budgets
}

/// Returns whether a label selector, as JSON, selects the labels. As in `policy/v1`, an empty selector selects all pods,
/// and an absent one none.
fn selects(selector: &Value, labels: &Labels) -> bool {
    let Some(selector) = selector.as_object() else { return false };
    let equal = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    equal.into_iter().all(|(key, value)| labels.get(key).is_some_and(|label| value == label))
        && expressions.all(|expression| holds(expression, labels))
}

fn holds(expression: &Value, labels: &Labels) -> bool {
    let label = labels.get(expression["key"].as_str().unwrap_or_default());
    let is_in = || {
        let mut values = expression["values"].as_array().into_iter().flatten();
        label.is_some_and(|label| values.any(|value| value == label))
    };
    match expression["operator"].as_str().unwrap_or_default() {
        "In" => is_in(),
        "NotIn" => !is_in(),
        "Exists" => label.is_some(),
        "DoesNotExist" => label.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_select_as_in_policy_v1() {
        let labels: Labels = [("app", "web"), ("tier", "front")].into_iter().collect();
        for (selector, selected) in [
            (Value::Null, false),
            (json!({}), true),
            (json!({"matchLabels": {"app": "web"}}), true),
            (json!({"matchLabels": {"app": "web", "tier": "back"}}), false),
            (json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api"]}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}), false),
            (json!({"matchExpressions": [{"key": "none", "operator": "NotIn", "values": ["web"]}]}), true),
            (json!({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}), true),
            (json!({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}), false),
            (json!({"matchExpressions": [{"key": "tier", "operator": "Near"}]}), false),
        ] {
            assert_eq!(selects(&selector, &labels), selected, "{selector}");
        }
    }
}
