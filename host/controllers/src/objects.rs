//! The objects of one kind. An older version of an object never replaces a newer one. An object whose resource version
//! is not a number always replaces the stored object.

use std::collections::BTreeMap;

use super::kinds::Object;
use super::metadata::{self, Key};

/// The objects of one kind, ordered by key.
#[derive(Debug, Default)]
pub struct Objects {
    objects: BTreeMap<Key, Entry>,
    /// The number of lists so far. Each object records this number at its last [`Objects::put`].
    listing: u64,
    listed: bool,
}

#[derive(Debug)]
struct Entry {
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
        self.objects.get(key).map(|entry| &entry.object)
    }

    /// Returns all objects, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Object)> {
        self.objects.iter().map(|(key, entry)| (key, &entry.object))
    }

    /// Returns the objects in a namespace, ordered by name.
    pub fn within<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = (&'a Key, &'a Object)> {
        let first = Key::new(namespace, "");
        let from = self.objects.range(first..);
        from.take_while(move |(key, _)| key.namespace() == namespace).map(|(key, entry)| (key, &entry.object))
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
                self.objects.insert(key.clone(), Entry { object, version, listing });
                Put::New
            }
            Some(entry) => {
                entry.listing = listing;
                if version <= entry.version && version != 0 {
                    return Put::Known;
                }
                entry.version = version;
                Put::Changed(std::mem::replace(&mut entry.object, object))
            }
        }
    }

    /// Removes and returns the object with this key, if it has this UID.
    pub fn take(&mut self, key: &Key, uid: &str) -> Option<Object> {
        let entry = self.objects.get(key)?;
        if metadata::uid(entry.object.meta()) != uid {
            return None;
        }
        self.objects.remove(key).map(|entry| entry.object)
    }

    /// Starts a list.
    pub fn begin(&mut self) {
        self.listing += 1;
    }

    /// Completes a list. Returns the keys of the objects without a call of [`Objects::put`] since
    /// [`Objects::begin`].
    pub fn finish(&mut self) -> Vec<Key> {
        self.listed = true;
        let missing = self.objects.iter().filter(|(_, entry)| entry.listing < self.listing);
        missing.map(|(key, _)| key.clone()).collect()
    }
}
