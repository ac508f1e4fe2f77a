//! ElasticQuotas: the resources that a namespace is guaranteed, and the resources that it may use.

use std::collections::BTreeMap;

use berth_guest::objects::{Kind, Object};
use berth_quantity::Quantity;
use serde::Deserialize;

use crate::amounts::{Amounts, NOTHING};

/// ElasticQuotas by namespace and name.
#[derive(Debug, Default)]
pub struct Quotas(BTreeMap<String, BTreeMap<String, Quota>>);

/// An ElasticQuota.
#[derive(Debug, Default)]
pub struct Quota {
    /// `spec.min`: the resources that the namespace is guaranteed.
    pub min: Amounts,
    /// `spec.max`: the resources that the namespace may use; `None` without a limit.
    max: Option<Amounts>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ElasticQuota {
    spec: Spec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    min: Option<BTreeMap<String, Quantity>>,
    max: Option<BTreeMap<String, Quantity>>,
}

/// Returns the kind with the fields that the plugin reads.
pub fn kind() -> Kind {
    Kind::new("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", ["spec.min", "spec.max"])
}

impl Quotas {
    /// Adds or updates a quota. A quota that can't be read is ignored and logged.
    pub fn set(&mut self, object: &Object<'_>) {
        match object.read::<ElasticQuota>() {
            Ok(ElasticQuota { spec: Spec { min, max } }) => {
                let min = min.as_ref().map_or_else(Amounts::default, Amounts::of_list);
                let quota = Quota { min, max: max.as_ref().map(Amounts::of_list) };
                self.0.entry(object.namespace.to_owned()).or_default().insert(object.name.to_owned(), quota);
            }
            Err(error) => {
                let (namespace, name) = (object.namespace, object.name);
                berth_guest::warn!("ElasticQuota can't be read; ignoring it object={namespace}/{name} error={error}");
                self.remove(object);
            }
        }
    }

    /// Removes a quota.
    pub fn remove(&mut self, object: &Object<'_>) {
        if let Some(quotas) = self.0.get_mut(object.namespace) {
            quotas.remove(object.name);
            if quotas.is_empty() {
                self.0.remove(object.namespace);
            }
        }
    }

    /// Returns the quota of a namespace. If the namespace has several, the first by name counts.
    pub fn of(&self, namespace: &str) -> Option<&Quota> {
        self.0.get(namespace)?.values().next()
    }

    /// Returns the namespaces that have a quota, each with its quota.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Quota)> {
        self.0.iter().filter_map(|(namespace, quotas)| Some((namespace.as_str(), quotas.values().next()?)))
    }
}

impl Quota {
    /// Returns true if the namespace uses more than its min.
    pub fn is_over_min(&self, used: &Amounts) -> bool {
        used.exceed(&NOTHING, &self.min, 0)
    }

    /// Returns true if the namespace would use more than its min with this request.
    pub fn is_over_min_with(&self, request: &Amounts, used: &Amounts) -> bool {
        request.exceed(used, &self.min, 0)
    }

    /// Returns true if the namespace would use more than its max with this request.
    pub fn is_over_max_with(&self, request: &Amounts, used: &Amounts) -> bool {
        self.max.as_ref().is_some_and(|max| request.exceed(used, max, i64::MAX))
    }
}
