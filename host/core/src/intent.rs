//! What plugins want done to the cluster: returned, never done by them.

use std::sync::Arc;
use std::time::Duration;

use crate::model::Object;

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
    /// A JSON merge patch, or as `patch_type` says.
    pub patch: Arc<str>,
    /// How it is read.
    pub patch_type: PatchType,
}

/// How a patch is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatchType {
    /// RFC 7386.
    #[default]
    Merge,
    /// Kubernetes' own, which knows the keys of lists.
    StrategicMerge,
}

/// Waiting for an object to become so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// Which.
    pub object: ObjectReference,
    /// A CEL expression over `object`: true ends the wait, a text fails it for that reason, anything else waits on.
    pub until: Arc<str>,
    /// After which it fails.
    pub timeout: Duration,
}

/// Something to be done to the cluster, or to be taken as done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Change an object.
    Patch(Patch),
    /// Wait for one.
    WaitUntil(Wait),
    /// Delete this pod, for the reason given, which its condition DisruptionTarget tells.
    Evict(ObjectReference, Arc<str>),
    /// The object as it will be: whoever reads the kind sees it so from now on, marked assumed. It never leaves the core.
    ///
    /// `fields` hold all that is read of the kind by anyone (`cache.objects().fields(kind_id)`), in the form in which the
    /// informer writes it: whoever implements [`crate::Plugins`] sees to that. A plugin names the fields that it reads itself;
    /// the others stay as they show now. An object that is not there yet has an empty uid, or the one that it will have.
    ///
    /// It is so until the informer brings the object with other fields than it was assumed over, or the reservation is
    /// undone; then what the informer brought last shows.
    Assume(Arc<Object>),
    /// Make this object: what it has beyond kind and names, as JSON. There must be none of its name.
    Create(ObjectReference, Arc<str>),
    /// Delete this object, if it is there.
    Delete(ObjectReference),
}

impl Intent {
    /// It changes the cluster at once: neither waits nor only seems so, and is no eviction, of which the core keeps account.
    #[must_use]
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Patch(_) | Self::Create(..) | Self::Delete(_))
    }
}
