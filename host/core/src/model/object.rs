//! Objects of kinds that only plugins know: kept as text, and passed on.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// `apiVersion` and `kind`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKind {
    /// `v1`, `apps/v1`.
    pub api_version: Box<str>,
    /// `Service`.
    pub kind: Box<str>,
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.api_version, self.kind)
    }
}

/// A kind, and which fields of its objects are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectReads {
    /// The kind.
    pub kind: Arc<ObjectKind>,
    /// Paths, as the contract's `objects.kind.fields` has them.
    pub fields: BTreeSet<Box<str>>,
}

/// What tells objects apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// The kind.
    pub kind: Arc<ObjectKind>,
    /// `metadata.namespace`; empty where the kind has none.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Kind, namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid`.
    pub uid: Box<str>,
    /// Its fields as JSON, in the shape of the object.
    pub fields: Arc<str>,
}
