//! The custom resource PodGroup, `scheduling.x-k8s.io/v1alpha1`.

use std::collections::BTreeMap;

use berth_guest::objects::{Kind, Object};
use berth_quantity::Quantity;
use serde::Deserialize;

use crate::time;

/// The kind, without its API version.
pub(crate) const KIND: &str = "PodGroup";

/// What the plugin reads of a PodGroup.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PodGroup {
    /// `metadata.creationTimestamp` in milliseconds since 1970; `None` if absent.
    pub created: Option<i64>,
    /// `spec.minMember`: the number of pods that start together.
    pub min_member: i64,
    /// `spec.minResources`: the free resources that the cluster must have before a pod of the group is tried. `None`:
    /// resources are not checked.
    pub min_resources: Option<BTreeMap<String, Quantity>>,
    /// `spec.scheduleTimeoutSeconds`: the time that a pod waits for the other pods.
    pub schedule_timeout_seconds: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    metadata: Metadata,
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    creation_timestamp: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    min_member: i64,
    min_resources: Option<BTreeMap<String, Quantity>>,
    schedule_timeout_seconds: Option<u32>,
}

impl PodGroup {
    /// Returns the kind with the fields that the plugin reads.
    pub fn kind() -> Kind {
        let fields =
            ["metadata.creationTimestamp", "spec.minMember", "spec.minResources", "spec.scheduleTimeoutSeconds"];
        Kind::new("scheduling.x-k8s.io/v1alpha1", KIND, fields)
    }

    /// Reads a PodGroup.
    ///
    /// # Errors
    /// A field has a value of another type. The error names the object and the field.
    pub fn read(object: &Object<'_>) -> Result<PodGroup, String> {
        let name = || format!("{KIND} {}/{} is invalid", object.namespace, object.name);
        let Fields { metadata, spec } = object.read().map_err(|error| format!("{}: {error}; correct it", name()))?;
        Ok(PodGroup {
            created: metadata.creation_timestamp.as_deref().and_then(time::millis),
            min_member: spec.min_member,
            min_resources: spec.min_resources,
            schedule_timeout_seconds: spec.schedule_timeout_seconds,
        })
    }
}
