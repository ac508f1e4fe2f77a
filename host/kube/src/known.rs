//! Objects that informers have seen: nodes, and pods with the data that a write about them needs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::model::{Node, Pod, PodKey};
use hashbrown::HashMap;

use berth_apimachinery::objects::PodScheduled;

/// A pod as the informer last saw it.
#[derive(Debug)]
pub(super) struct KnownPod {
    /// The core's model of the pod.
    pub(super) pod: Arc<Pod>,
    /// `metadata.resourceVersion`.
    pub(super) resource_version: Box<str>,
    /// `metadata.generation`.
    pub(super) generation: i64,
    /// The condition PodScheduled as last seen or written. `None` if the pod has a node or no such condition.
    pub(super) scheduled: Option<PodScheduled>,
}

/// The objects of a kind by key, each with the number of the newest list that had begun when the object was last seen.
#[derive(Debug)]
pub(super) struct Known<V> {
    entries: HashMap<Box<str>, (u32, V)>,
    list: u32,
}

impl<V> Default for Known<V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), list: 0 }
    }
}

impl<V> Known<V> {
    /// A full list begins. Objects that are not seen before its end are gone.
    pub(super) fn list_begins(&mut self) {
        self.list = self.list.wrapping_add(1);
    }

    /// The full list ended. Removes and returns the objects that were not on it.
    pub(super) fn list_ends(&mut self) -> Vec<V> {
        let list = self.list;
        self.entries.extract_if(|_, (seen, _)| *seen != list).map(|(_, (_, value))| value).collect()
    }

    pub(super) fn get(&self, key: &str) -> Option<&V> {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.entries.get_mut(key).map(|(_, value)| value)
    }

    /// Stores the object and returns its previous value.
    pub(super) fn set(&mut self, key: &str, value: V) -> Option<V> {
        let list = self.list;
        match self.entries.get_mut(key) {
            Some(entry) => Some(std::mem::replace(entry, (list, value)).1),
            None => {
                self.entries.insert(key.into(), (list, value));
                None
            }
        }
    }

    /// Marks the object as seen, without a change. Returns false if the object is unknown.
    pub(super) fn touch(&mut self, key: &str) -> bool {
        let list = self.list;
        self.entries.get_mut(key).map(|(seen, _)| *seen = list).is_some()
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<V> {
        self.entries.remove(key).map(|(_, value)| value)
    }
}

/// All pods by uid. The informer of pods sets the entries. The writer of conditions reads entries and updates
/// `scheduled`. The writer of events reads entries.
#[derive(Debug, Default)]
pub(super) struct KnownPods(Mutex<Known<KnownPod>>);

impl KnownPods {
    /// Locks the pods. Hold the lock for a few instructions only.
    pub(super) fn lock(&self) -> MutexGuard<'_, Known<KnownPod>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the pod's `metadata.resourceVersion`, or an empty string if the pod is unknown.
    pub(super) fn resource_version(&self, pod: &PodKey) -> Box<str> {
        self.lock().get(&pod.uid).map(|known| known.resource_version.clone()).unwrap_or_default()
    }
}

/// All nodes by name.
pub(super) type KnownNodes = Known<Arc<Node>>;
