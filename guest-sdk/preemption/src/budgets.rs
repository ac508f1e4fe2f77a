//! PodDisruptionBudgets: finds pods whose eviction violates a budget.

use std::collections::BTreeMap;

use berth_guest::objects::{Kind, Object};
use berth_guest::selector::LabelSelector;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::resident::Resident;

/// PodDisruptionBudgets by namespace and name.
#[derive(Debug, Default)]
pub struct Budgets(BTreeMap<String, BTreeMap<String, Budget>>);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Budget {
    spec: Spec,
    status: Status,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    selector: Option<LabelSelector>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    disruptions_allowed: i32,
    /// Pods, by name, whose eviction the API server has already approved and counted.
    disrupted_pods: Option<BTreeMap<String, IgnoredAny>>,
}

/// Returns the kind with the fields that the plugin reads.
pub fn kind() -> Kind {
    Kind::new(
        "policy/v1",
        "PodDisruptionBudget",
        ["spec.selector", "status.disruptionsAllowed", "status.disruptedPods"],
    )
}

impl Budgets {
    /// Adds or updates a budget. A budget that can't be read protects no pods and is logged.
    pub fn set(&mut self, object: &Object<'_>) {
        match object.read::<Budget>() {
            Ok(budget) => {
                let budgets = self.0.entry(object.namespace.to_owned()).or_default();
                budgets.insert(object.name.to_owned(), budget);
            }
            Err(error) => {
                let (namespace, name) = (object.namespace, object.name);
                berth_guest::warn!(
                    "PodDisruptionBudget can't be read; ignoring it object={namespace}/{name} error={error}"
                );
                self.remove(object);
            }
        }
    }

    /// Removes a budget.
    pub fn remove(&mut self, object: &Object<'_>) {
        if let Some(budgets) = self.0.get_mut(object.namespace) {
            budgets.remove(object.name);
            if budgets.is_empty() {
                self.0.remove(object.namespace);
            }
        }
    }

    /// Returns, for each of `pods`, whether its eviction violates a budget if the pods are evicted in this order.
    pub fn violated_by<'r>(&self, pods: impl Iterator<Item = &'r Resident>) -> Vec<bool> {
        let mut used: BTreeMap<(&str, &str), i32> = BTreeMap::new();
        pods.map(|pod| {
            let mut violates = false;
            for (name, budget) in self.0.get(&*pod.namespace).into_iter().flatten() {
                if budget.protects(pod) {
                    let used = used.entry((&pod.namespace, name)).or_default();
                    *used += 1;
                    violates |= *used > budget.status.disruptions_allowed;
                }
            }
            violates
        })
        .collect()
    }
}

impl Budget {
    /// Returns true if the budget protects the pod. A budget with an absent or empty selector protects no pods. A
    /// pod without labels is never protected, nor is a pod in `disruptedPods`, whose eviction is already counted.
    fn protects(&self, pod: &Resident) -> bool {
        let selects = |selector: &LabelSelector| !selector.is_everything() && selector.matches(&pod.labels);
        let disrupted = self.status.disrupted_pods.as_ref();
        pod.labels.iter().next().is_some()
            && self.spec.selector.as_ref().is_some_and(selects)
            && !disrupted.is_some_and(|pods| pods.contains_key(&pod.name))
    }
}
