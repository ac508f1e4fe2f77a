//! Intents: changes of the cluster that plugins ask for. Plugins return intents; they never execute them.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::model::Object;

/// A reference to an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// `apiVersion`, for example `v1` or `apps/v1`.
    pub api_version: Box<str>,
    /// `kind`, for example `Pod`.
    pub kind: Box<str>,
    /// `metadata.namespace`. Empty for a cluster-scoped kind.
    pub namespace: Box<str>,
    /// `metadata.name`.
    pub name: Box<str>,
    /// `metadata.uid`. An object of the same name with another uid is left alone. Empty means any uid.
    pub uid: Box<str>,
}

/// A change of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Patch {
    /// The object to change.
    pub object: ObjectReference,
    /// A subresource such as `status`; empty for the object itself.
    pub subresource: Box<str>,
    /// A JSON merge patch, or the format that `patch_type` names.
    pub patch: Arc<str>,
    /// The format of `patch`.
    pub patch_type: PatchType,
}

/// The format of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PatchType {
    /// A JSON merge patch (RFC 7386).
    #[default]
    Merge,
    /// A Kubernetes strategic merge patch, which merges lists by their keys.
    StrategicMerge,
}

/// A wait for a condition of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    /// The object.
    pub object: ObjectReference,
    /// A CEL expression over `object`. `true` ends the wait, a string fails the wait with this reason, and with any
    /// other value the wait goes on.
    pub until: Arc<str>,
    /// The time after which the wait fails.
    pub timeout: Duration,
}

/// A change of the cluster, a wait, or an assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Intent {
    /// Change an object.
    Patch(Patch),
    /// Wait for a condition of an object.
    WaitUntil(Wait),
    /// Evict this pod. The reason becomes the message of its condition DisruptionTarget.
    Evict(ObjectReference, Arc<str>),
    /// Assume the object: from now on each plugin that reads the kind sees this version, marked as assumed. This
    /// intent never leaves the core.
    ///
    /// `fields` hold all fields of the kind that any plugin reads (`cache.objects().fields(kind_id)`), in the form in
    /// which the informer writes them. A plugin gives only the fields that the plugin reads. The implementor of
    /// [`crate::Plugins`] must add the other fields, with the values that the cache shows now. For an object that does
    /// not exist yet, the uid is empty or its future uid.
    ///
    /// The assumption ends when the informer reports the object's deletion or a change of an assumed field, or when the
    /// reservation is undone. For a bound pod, the next complete list of the kind also ends the assumption. Then
    /// plugins see the version that the informer reported last.
    Assume(Arc<Object>),
    /// Create this object. The JSON holds all fields of the object that the reference does not give. No object of this
    /// name may exist.
    Create(ObjectReference, Arc<str>),
    /// Delete this object, if it exists.
    Delete(ObjectReference),
}

impl Intent {
    /// Returns true for intents that change the API server now (not a wait, an assumption or an eviction). The core
    /// keeps its own record of evictions.
    #[must_use]
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Patch(_) | Self::Create(..) | Self::Delete(_))
    }
}
