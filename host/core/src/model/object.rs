//! Objects of kinds that only plugins know. Their fields are kept as JSON text and passed on to plugins.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// `apiVersion` and `kind`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectKind {
    /// For example `v1` or `apps/v1`.
    pub api_version: Box<str>,
    /// For example `Service`.
    pub kind: Box<str>,
}

impl ObjectKind {
    /// Returns whether a plugin names this kind so in an event: `apiVersion/Kind`, or the kind alone for any API version.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        match name.rsplit_once('/') {
            Some((api_version, kind)) => *api_version == *self.api_version && *kind == *self.kind,
            None => *name == *self.kind,
        }
    }

    /// Returns `v1 Pod`.
    #[must_use]
    pub fn pod() -> Self {
        Self { api_version: "v1".into(), kind: "Pod".into() }
    }

    /// Returns `v1 Node`.
    #[must_use]
    pub fn node() -> Self {
        Self { api_version: "v1".into(), kind: "Node".into() }
    }

    /// Returns whether this is `v1 Pod` or `v1 Node`, which have types of their own in the model. An [`ObjectReads`] of
    /// such a kind names further fields of pods or nodes.
    #[must_use]
    pub fn is_pod_or_node(&self) -> bool {
        *self.api_version == *"v1" && matches!(&*self.kind, "Pod" | "Node")
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)
    }
}

/// A kind, and the fields of its objects that are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReads {
    /// The kind.
    pub kind: Arc<ObjectKind>,
    /// Field paths, as in the contract's `objects.kind.fields`.
    pub fields: BTreeSet<Box<str>>,
}

/// The key of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Arc<ObjectKind>,
    /// `metadata.namespace`; empty for a cluster-scoped kind.
    pub namespace: Box<str>,
    /// `metadata.name`.
    pub name: Box<str>,
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// An object, pruned to the fields that plugins read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Object {
    /// Kind, namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Box<str>,
    /// The fields as JSON, with the structure of the object.
    pub fields: Arc<str>,
}
