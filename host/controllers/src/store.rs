//! The objects of one kind, as last seen: older news about an object never replaces newer.

use std::collections::BTreeMap;

use super::kinds::Object;
use super::metadata::{self, Key};

/// The objects of one kind, in the order of their keys.
#[derive(Debug, Default)]
pub struct Store {
    objects: BTreeMap<Key, Held>,
    /// Counts the lists; an object carries the number of the last one that showed it.
    listing: u64,
    listed: bool,
}

#[derive(Debug)]
struct Held {
    object: Object,
    version: u64,
    listing: u64,
}

/// What putting an object in came to.
#[derive(Debug)]
pub enum Put {
    /// The store knew as much or more.
    Known,
    /// The object is new.
    New,
    /// The object was this before.
    Changed(Object),
}

impl Store {
    /// The object with this key.
    pub fn get(&self, key: &str) -> Option<&Object> {
        self.objects.get(key).map(|held| &held.object)
    }

    /// All objects in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Object)> {
        self.objects.iter().map(|(key, held)| (key, &held.object))
    }

    /// The objects in a namespace, in the order of their names.
    pub fn within<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a Key, &'a Object)> {
        let first = Key::new(namespace, "");
        let from = self.objects.range(first..);
        from.take_while(move |(key, _)| key.namespace() == namespace).map(|(key, held)| (key, &held.object))
    }

    /// Whether the kind has been listed once.
    pub fn listed(&self) -> bool {
        self.listed
    }

    /// Says that nothing of this kind is to be expected.
    pub fn set_listed(&mut self) {
        self.listed = true;
    }

    /// Takes in an object's state, from a watch or as the answer to a write.
    pub fn put(&mut self, key: &Key, object: Object) -> Put {
        let version = metadata::version(object.meta());
        let listing = self.listing;
        match self.objects.get_mut(key) {
            None => {
                self.objects.insert(key.clone(), Held { object, version, listing });
                Put::New
            }
            Some(held) => {
                held.listing = listing;
                if version <= held.version && version != 0 {
                    return Put::Known;
                }
                held.version = version;
                Put::Changed(std::mem::replace(&mut held.object, object))
            }
        }
    }

    /// Takes out the object with this key if its uid is this one.
    pub fn take(&mut self, key: &Key, uid: &str) -> Option<Object> {
        let held = self.objects.get(key)?;
        if metadata::uid(held.object.meta()) != uid {
            return None;
        }
        self.objects.remove(key).map(|held| held.object)
    }

    /// A list begins.
    pub fn begin(&mut self) {
        self.listing += 1;
    }

    /// The list is complete: the keys of the objects that neither it nor a later answer showed.
    pub fn finish(&mut self) -> Vec<Key> {
        self.listed = true;
        let missing = self.objects.iter().filter(|(_, held)| held.listing < self.listing);
        missing.map(|(key, _)| key.clone()).collect()
    }
}
