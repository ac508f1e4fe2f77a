//! What happened: all that the core ever learns.

use std::sync::Arc;

use crate::model::{Node, Pod, PodKey};
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
    /// The API server took the binding.
    Bound(PodKey),
    /// It did not, for this reason; the pod is tried again.
    BindFailed(PodKey, String),
    /// The profiles, or instances in them, were exchanged: from now on these place pods.
    PluginsSwapped(Vec<Profile>),
    /// A plugin that could not answer can again: pods that wait for it are tried again. Its name.
    PluginRecovered(Arc<str>),
    /// Time passed: what was to happen by now, does.
    Tick,
    /// Place the next pod, if there is one: one scheduling cycle.
    Cycle,
}
