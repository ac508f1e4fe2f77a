//! What the informers know: which pods and nodes there are, and of each pod what writing about it needs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use berth_core::model::{Node, Pod, PodKey};
use hashbrown::HashMap;

use super::objects::PodScheduled;

/// A pod as last seen.
#[derive(Debug)]
pub(super) struct KnownPod {
    /// The model that the core has of it.
    pub(super) pod: Arc<Pod>,
    /// `metadata.resourceVersion`.
    pub(super) resource_version: Box<str>,
    /// `metadata.generation`.
    pub(super) generation: i64,
    /// The condition PodScheduled while it has no node: as last seen, or as written since.
    pub(super) scheduled: Option<PodScheduled>,
}

/// Objects of a kind under their key, each with the list in which it was last seen.
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
    /// A complete list begins: what is not seen until it ends is gone.
    pub(super) fn list_begins(&mut self) {
        self.list = self.list.wrapping_add(1);
    }

    /// The list ended: takes out what was not on it and returns it.
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

    /// Sets the object and returns what was known of it.
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

    /// The object is still there, though nothing new is known of it. `false` where it was not known.
    pub(super) fn touch(&mut self, key: &str) -> bool {
        let list = self.list;
        self.entries.get_mut(key).map(|(seen, _)| *seen = list).is_some()
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<V> {
        self.entries.remove(key).map(|(_, value)| value)
    }
}

/// All pods by uid, shared by their informer and by those who write about them.
#[derive(Debug, Default)]
pub(super) struct KnownPods(Mutex<Known<KnownPod>>);

impl KnownPods {
    /// Held for a few instructions at a time only.
    pub(super) fn lock(&self) -> MutexGuard<'_, Known<KnownPod>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `metadata.resourceVersion`, empty where the pod is not known.
    pub(super) fn resource_version(&self, pod: &PodKey) -> Box<str> {
        self.lock().get(&pod.uid).map(|known| known.resource_version.clone()).unwrap_or_default()
    }
}

/// All nodes by name.
pub(super) type KnownNodes = Known<Arc<Node>>;
