//! What happened: all that the core ever learns.

use std::sync::Arc;

use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey};
use crate::profile::Profile;

/// Something that happened in the cluster, to an action of the core, or to its plugins.
#[derive(Clone, Debug)]
pub enum Event {
    /// A node appeared or changed.
    NodeSet(Arc<Node>),
    /// A node went: its name.
    NodeRemoved(Box<str>),
    /// A pod appeared or changed.
    PodSet(Arc<Pod>),
    /// A pod went.
    PodRemoved(PodKey),
    /// Plugins want to read these kinds.
    ObjectsWanted(Vec<ObjectReads>),
    /// An object of a wanted kind appeared or changed.
    ObjectSet(Arc<Object>),
    /// One went.
    ObjectRemoved(ObjectKey),
    /// All objects of the kind have been told, with these fields.
    ObjectsListed(ObjectReads),
    /// The API server doesn't let this kind be listed, for this reason; it is asked again.
    ObjectsRefused(Arc<ObjectKind>, Arc<str>),
    /// The watch of the kind has stopped, for each [`crate::Action::StopWatching`] once: no event of that watch comes after this
    /// one. Events of a later watch of the kind do.
    WatchStopped(Arc<ObjectKind>),
    /// The API server took the binding, or the extender bound the pod.
    Bound(PodKey),
    /// It did not, for this reason; the pod is tried again, or bound otherwise where the extender may be ignored.
    BindFailed(PodKey, String),
    /// All that [`crate::Action::Carry`] of this step asked for the pod is done.
    Carried(PodKey, u64),
    /// Something of it could not be done, for this reason, and nothing after it was tried. The pod is tried again.
    CarryFailed(PodKey, u64, String),
    /// A pod that was to make room stays.
    EvictionFailed(PodKey),
    /// The profiles, or instances in them, were exchanged: from now on these place pods.
    PluginsSwapped(Vec<Profile>),
    /// A plugin that could not answer can again: pods that wait for it are tried again. Its name.
    PluginRecovered(Arc<str>),
    /// Time passed: what was to happen by now, does.
    Tick,
    /// Place the next pod, if there is one: one scheduling cycle.
    Cycle,
}
