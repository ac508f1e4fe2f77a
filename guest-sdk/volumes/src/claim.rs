//! PersistentVolumeClaims.

use std::collections::BTreeMap;

use berth_guest::selector::WrittenLabelSelector;
use berth_quantity::Quantity;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The access mode of claims that only one pod may use.
pub const READ_WRITE_ONCE_POD: &str = "ReadWriteOncePod";

/// The annotation that named the class before `storageClassName` existed. It takes precedence over the field.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

/// `v1.PersistentVolumeClaim`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct PersistentVolumeClaim {
    /// `metadata`.
    pub metadata: Metadata,
    /// `spec`.
    pub spec: ClaimSpec,
    /// `status`.
    pub status: ClaimStatus,
}

/// `metadata` of any object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Metadata {
    /// `labels`.
    pub labels: BTreeMap<String, String>,
    /// `annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `ownerReferences`.
    pub owner_references: Vec<OwnerReference>,
    /// `resourceVersion`.
    pub resource_version: String,
    /// `deletionTimestamp`; set if the object is being deleted.
    pub deletion_timestamp: Option<IgnoredAny>,
}

/// `metadata.ownerReferences[]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct OwnerReference {
    /// `uid`.
    pub uid: String,
    /// `controller`.
    pub controller: bool,
}

/// `spec` of a claim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ClaimSpec {
    /// `accessModes`.
    pub access_modes: Vec<String>,
    /// `resources.requests`.
    pub resources: Resources,
    /// `selector`.
    pub selector: Option<WrittenLabelSelector>,
    /// `storageClassName`. Use [`PersistentVolumeClaim::class`] to get the class.
    pub storage_class_name: Option<String>,
    /// `volumeAttributesClassName`; empty if absent.
    pub volume_attributes_class_name: String,
    /// `volumeMode`; `Filesystem` if absent.
    pub volume_mode: Option<String>,
    /// `volumeName`; empty while the claim has no volume.
    pub volume_name: String,
}

/// `spec.resources` of a claim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// `requests`.
    pub requests: Storage,
}

/// A list of resources. Only storage is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Storage {
    /// `storage`.
    pub storage: Option<Quantity>,
}

/// `status` of a claim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClaimStatus {
    /// `phase`: `Pending`, `Bound` or `Lost`.
    pub phase: String,
}

impl Metadata {
    /// Returns the storage class: the deprecated annotation if set, and `field` otherwise.
    pub(crate) fn class<'a>(&'a self, field: &'a str) -> &'a str {
        self.annotations.get(CLASS_ANNOTATION).map_or(field, String::as_str)
    }

    /// Returns true if the object with this uid is the controller that owns this object.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        self.owner_references.iter().find(|owner| owner.controller).is_some_and(|owner| owner.uid == uid)
    }

    /// Returns true if the object is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.deletion_timestamp.is_some()
    }
}

impl PersistentVolumeClaim {
    /// Returns the claim's storage class; empty if it names none.
    pub fn class(&self) -> &str {
        self.metadata.class(self.spec.storage_class_name.as_deref().unwrap_or_default())
    }

    /// Returns true if the claim has a volume and the volume controller has completed the binding.
    pub fn is_fully_bound(&self) -> bool {
        !self.spec.volume_name.is_empty() && self.metadata.annotations.contains_key(BIND_COMPLETED)
    }

    /// Returns true if only one pod may use the claim.
    pub fn is_for_one_pod(&self) -> bool {
        self.spec.access_modes.iter().any(|mode| mode == READ_WRITE_ONCE_POD)
    }

    /// Returns the requested storage; 0 if absent.
    pub fn requested(&self) -> Quantity {
        self.spec.resources.requests.storage.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(json: &str) -> PersistentVolumeClaim {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_class_annotation_overrides_the_field() {
        let old = r#""metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}}"#;
        for (json, class) in [
            ("{}".to_owned(), ""),
            (r#"{"spec": {"storageClassName": "new"}}"#.to_owned(), "new"),
            (format!(r#"{{{old}, "spec": {{"storageClassName": "new"}}}}"#), "old"),
        ] {
            assert_eq!(claim(&json).class(), class, "{json}");
        }
    }

    #[test]
    fn a_claim_is_bound_with_the_bind_completed_annotation() {
        let done = r#""metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}"#;
        for (json, bound) in [
            (r#"{"spec": {"volumeName": "pv"}}"#.to_owned(), false),
            (format!("{{{done}}}"), false),
            (format!(r#"{{{done}, "spec": {{"volumeName": "pv"}}}}"#), true),
        ] {
            assert_eq!(claim(&json).is_fully_bound(), bound, "{json}");
        }
    }

    #[test]
    fn only_the_controlling_owner_counts() {
        let owned = claim(r#"{"metadata": {"ownerReferences": [{"uid": "a"}, {"uid": "b", "controller": true}]}}"#);
        assert_eq!(["a", "b"].map(|uid| owned.metadata.is_controlled_by(uid)), [false, true]);
    }
}
