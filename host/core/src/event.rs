//! Events: the only information that the core receives from outside, apart from the time and the answers of plugins and
//! extenders.

use std::sync::Arc;

use crate::model::{Node, Object, ObjectKey, ObjectKind, ObjectReads, Pod, PodKey};
use crate::profile::Profile;

/// A change in the cluster, the result of an action, a change of plugins, or a request to run.
#[derive(Clone, Debug)]
pub enum Event {
    /// A node appeared or changed.
    NodeSet(Arc<Node>),
    /// The node with this name was deleted.
    NodeRemoved(Box<str>),
    /// A pod appeared or changed.
    PodSet(Arc<Pod>),
    /// A pod was deleted.
    PodRemoved(PodKey),
    /// Plugins want to read these kinds.
    ObjectsWanted(Vec<ObjectReads>),
    /// An object of a wanted kind appeared or changed.
    ObjectSet(Arc<Object>),
    /// An object of a wanted kind was deleted.
    ObjectRemoved(ObjectKey),
    /// A list of all objects of the kind is complete, with these fields.
    ObjectsListed(ObjectReads),
    /// The API server refuses to list this kind, for this reason. The informer tries again.
    ObjectsRefused(Arc<ObjectKind>, Arc<str>),
    /// The watch of the kind has stopped. Sent once for each [`crate::Action::StopWatching`]. No event of that watch
    /// comes after this event, but events of a later watch of the kind do.
    WatchStopped(Arc<ObjectKind>),
    /// The API server accepted the binding, or the extender bound the pod.
    Bound(PodKey),
    /// The binding failed, for this reason. The pod is queued again, or the next binder is used if the failed
    /// extender is ignorable.
    BindFailed(PodKey, String),
    /// All intents of the [`crate::Action::ExecuteIntents`] with this step number are done for the pod.
    IntentsExecuted(PodKey, u64),
    /// An intent of the [`crate::Action::ExecuteIntents`] with this step number failed, for this reason, and the later
    /// intents were not executed. The pod is queued again.
    IntentsFailed(PodKey, u64, String),
    /// A victim of preemption could not be evicted.
    EvictionFailed(PodKey),
    /// The profiles, or plugin instances in them, were exchanged. From now on the core uses these profiles.
    PluginsSwapped(Vec<Profile>),
    /// The plugin with this name, which could not answer, works again.
    PluginRecovered(Arc<str>),
    /// Time passed. The core ends the backoffs and permit waits that are over, and queues pods again that were
    /// unschedulable for the configured time.
    Tick,
    /// Run one scheduling cycle for the next pod, if there is one.
    Cycle,
}
