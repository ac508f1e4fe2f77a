//! What plugins want done to the cluster: returned, never done by them.

use std::sync::Arc;

/// An object by all of its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectReference {
    /// `v1`, `apps/v1`.
    pub api_version: Box<str>,
    /// `Pod`.
    pub kind: Box<str>,
    /// Empty where the kind has none.
    pub namespace: Box<str>,
    /// `metadata.name`.
    pub name: Box<str>,
    /// `metadata.uid`: an object of the same name that is another one is left alone.
    pub uid: Box<str>,
}

/// A change of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// Which.
    pub object: ObjectReference,
    /// A subresource such as `status`; empty for the object itself.
    pub subresource: Box<str>,
    /// A JSON merge patch.
    pub patch: Arc<str>,
}

/// Something to be done to the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Change an object.
    Patch(Patch),
}
