//! Reads `metadata`; only the fields that are needed.

use berth_core::model::{Labels, Owner};

use super::json::{Entries, Present, Seconds, partial};

partial! {
    /// `metav1.ObjectMeta` without the fields that are not needed, such as managedFields, which is the largest field.
    ObjectMeta {
        name: Box<str>,
        namespace: Box<str>,
        uid: Box<str>,
        resource_version: Box<str>,
        generation: i64,
        labels: Entries<Box<str>>,
        annotations: Entries<Box<str>>,
        owner_references: Vec<OwnerReference>,
        deletion_timestamp: Present,
        creation_timestamp: Seconds,
    }

    /// `metav1.OwnerReference`.
    OwnerReference {
        api_version: Box<str>,
        kind: Box<str>,
        name: Box<str>,
        uid: Box<str>,
        controller: bool,
    }
}

impl ObjectMeta {
    /// Returns `metadata.name`.
    #[inline]
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `metadata.namespace`.
    #[inline]
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns `metadata.uid`.
    #[inline]
    #[must_use]
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// Returns `metadata.resourceVersion`.
    #[inline]
    #[must_use]
    pub fn resource_version(&self) -> &str {
        &self.resource_version
    }

    /// Returns `metadata.generation`.
    #[inline]
    #[must_use]
    pub fn generation(&self) -> i64 {
        self.generation
    }
}

/// The annotation with a copy of the whole object. No plugin reads the annotation, and the
/// annotation would double the size of every object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl Entries<Box<str>> {
    pub(super) fn into_labels(self) -> Labels {
        self.0.into_iter().collect()
    }

    pub(super) fn into_annotations(self) -> Labels {
        self.0.into_iter().filter(|(key, _)| key.as_ref() != LAST_APPLIED).collect()
    }
}

impl From<OwnerReference> for Owner {
    fn from(owner: OwnerReference) -> Self {
        Self {
            api_version: owner.api_version,
            kind: owner.kind,
            name: owner.name,
            uid: owner.uid,
            controller: owner.controller,
        }
    }
}
