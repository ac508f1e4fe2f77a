//! Object metadata: compact decoding, and accessors that every controller uses.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer};

/// kubectl's copy of the applied manifest. The copy is as large as the object, and no controller reads the copy.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The key of an object within its kind: `namespace/name`, or `name` for a cluster-wide kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// Returns the key of the object called `name` in `namespace`. The namespace is empty for a cluster-wide kind.
    pub fn new(namespace: &str, name: &str) -> Self {
        if namespace.is_empty() { Key(name.into()) } else { Key(format!("{namespace}/{name}").into()) }
    }

    /// Returns the key of the object with this metadata.
    pub fn of(meta: &ObjectMeta) -> Self {
        Key::new(namespace(meta), name(meta))
    }

    /// Returns the namespace; empty for a cluster-wide kind.
    pub fn namespace(&self) -> &str {
        self.0.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// Returns the name without the namespace.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns `metadata.name`; empty if absent.
pub fn name(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// Returns `metadata.namespace`; empty for cluster-wide kinds.
pub fn namespace(meta: &ObjectMeta) -> &str {
    meta.namespace.as_deref().unwrap_or_default()
}

/// Returns `metadata.uid`; empty if absent.
pub fn uid(meta: &ObjectMeta) -> &str {
    meta.uid.as_deref().unwrap_or_default()
}

/// Returns `metadata.resourceVersion` as a number; 0 if it is absent or not a number. Versions of objects of one kind
/// are ordered.
pub fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version.as_deref().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Returns true if `metadata.deletionTimestamp` is set.
pub fn deleting(meta: &ObjectMeta) -> bool {
    meta.deletion_timestamp.is_some()
}

/// Returns the value of an annotation.
pub fn annotation<'a>(meta: &'a ObjectMeta, name: &str) -> Option<&'a str> {
    meta.annotations.as_ref()?.get(name).map(String::as_str)
}

/// Returns the value of a label.
pub fn label<'a>(meta: &'a ObjectMeta, name: &str) -> Option<&'a str> {
    meta.labels.as_ref()?.get(name).map(String::as_str)
}

/// Returns true if `metadata.finalizers` contains this finalizer.
pub fn has_finalizer(meta: &ObjectMeta, finalizer: &str) -> bool {
    meta.finalizers.as_deref().unwrap_or_default().iter().any(|name| name == finalizer)
}

/// Returns the object's finalizers except this one.
pub fn finalizers_without(meta: &ObjectMeta, finalizer: &str) -> Vec<String> {
    let finalizers = meta.finalizers.as_deref().unwrap_or_default();
    finalizers.iter().filter(|name| *name != finalizer).cloned().collect()
}

/// Returns `metadata.ownerReferences`.
pub fn owners(meta: &ObjectMeta) -> &[OwnerReference] {
    meta.owner_references.as_deref().unwrap_or_default()
}

/// Returns the owner reference with `controller: true`. An object has at most one.
pub fn controller(meta: &ObjectMeta) -> Option<&OwnerReference> {
    owners(meta).iter().find(|owner| owner.controller == Some(true))
}

/// Returns true if the object's controller has this UID.
pub fn controlled_by(meta: &ObjectMeta, uid: &str) -> bool {
    controller(meta).is_some_and(|owner| owner.uid == uid)
}

/// Decodes metadata without `managedFields` and without kubectl's copy of the manifest, which together are most of an
/// object.
pub fn slim<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ObjectMeta, D::Error> {
    let slim = Slim::deserialize(deserializer)?;
    let mut meta = ObjectMeta {
        annotations: slim.annotations,
        creation_timestamp: slim.creation_timestamp,
        deletion_grace_period_seconds: slim.deletion_grace_period_seconds,
        deletion_timestamp: slim.deletion_timestamp,
        finalizers: slim.finalizers,
        generation: slim.generation,
        labels: slim.labels,
        name: slim.name,
        namespace: slim.namespace,
        owner_references: slim.owner_references,
        resource_version: slim.resource_version,
        uid: slim.uid,
        ..ObjectMeta::default()
    };
    strip(&mut meta);
    Ok(meta)
}

/// Decodes an explicit `null` as the default, as the API server does.
pub fn nullable<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Removes the parts that no controller reads from completely decoded metadata.
pub fn strip(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
    if let Some(annotations) = &mut meta.annotations {
        annotations.remove(LAST_APPLIED);
    }
    // Decoding reserves memory for more items than there are.
    meta.owner_references.iter_mut().for_each(Vec::shrink_to_fit);
    meta.finalizers.iter_mut().for_each(Vec::shrink_to_fit);
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Slim {
    annotations: Option<BTreeMap<String, String>>,
    creation_timestamp: Option<Time>,
    deletion_grace_period_seconds: Option<i64>,
    deletion_timestamp: Option<Time>,
    finalizers: Option<Vec<String>>,
    generation: Option<i64>,
    labels: Option<BTreeMap<String, String>>,
    name: Option<String>,
    namespace: Option<String>,
    owner_references: Option<Vec<OwnerReference>>,
    resource_version: Option<String>,
    uid: Option<String>,
}
