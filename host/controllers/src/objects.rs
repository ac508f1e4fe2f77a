//! The objects of one kind. An older version of an object never replaces a newer one.

use std::collections::BTreeMap;

use super::kinds::Object;
use super::metadata::{self, Key};

/// The objects of one kind, ordered by key.
#[derive(Debug, Default)]
pub struct Objects {
    objects: BTreeMap<Key, Held>,
    /// The number of lists so far. Each object records the last list that contained it.
    listing: u64,
    listed: bool,
}

#[derive(Debug)]
struct Held {
    object: Object,
    version: u64,
    listing: u64,
}

/// The result of [`Objects::put`].
#[derive(Debug)]
pub enum Put {
    /// The store already had this version or a newer one.
    Known,
    /// The object is new.
    New,
    /// The object replaced this version.
    Changed(Object),
}

impl Objects {
    /// Returns the object with this key.
    pub fn get(&self, key: &str) -> Option<&Object> {
        self.objects.get(key).map(|held| &held.object)
    }

    /// Returns all objects, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Object)> {
        self.objects.iter().map(|(key, held)| (key, &held.object))
    }

    /// Returns the objects in a namespace, ordered by name.
    pub fn within<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a Key, &'a Object)> {
        let first = Key::new(namespace, "");
        let from = self.objects.range(first..);
        from.take_while(move |(key, _)| key.namespace() == namespace).map(|(key, held)| (key, &held.object))
    }

    /// Returns true if the kind has been listed once.
    pub fn listed(&self) -> bool {
        self.listed
    }

    /// Marks the kind as listed, for a kind that is not served.
    pub fn set_listed(&mut self) {
        self.listed = true;
    }

    /// Stores an object's state, from a watch or from the response to a write.
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

    /// Removes and returns the object with this key, if it has this UID.
    pub fn take(&mut self, key: &Key, uid: &str) -> Option<Object> {
        let held = self.objects.get(key)?;
        if metadata::uid(held.object.meta()) != uid {
            return None;
        }
        self.objects.remove(key).map(|held| held.object)
    }

    /// Starts a list.
    pub fn begin(&mut self) {
        self.listing += 1;
    }

    /// Completes a list. Returns the keys of the objects that neither the list nor a later response contained.
    pub fn finish(&mut self) -> Vec<Key> {
        self.listed = true;
        let missing = self.objects.iter().filter(|(_, held)| held.listing < self.listing);
        missing.map(|(key, _)| key.clone()).collect()
    }
}
