//! A collection of the objects of one kind.

use std::collections::BTreeMap;

use berth_guest::objects::Object;
use serde::de::DeserializeOwned;

/// The objects of one kind, by namespace and name. The namespace is empty for a cluster-scoped kind.
#[derive(Clone, Debug)]
pub struct Known<T>(BTreeMap<String, BTreeMap<String, T>>);

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known(BTreeMap::new())
    }
}

impl<T> Known<T> {
    /// Returns the object with this namespace and name.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&T> {
        self.0.get(namespace)?.get(name)
    }

    /// Returns the namespace, the name and the value of all objects, sorted by namespace and name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &T)> {
        self.0.iter().flat_map(|(namespace, named)| {
            named.iter().map(move |(name, object)| (namespace.as_str(), name.as_str(), object))
        })
    }

    /// Stores a value for an object.
    pub fn insert(&mut self, object: &Object<'_>, value: T) {
        self.0.entry(object.namespace.to_owned()).or_default().insert(object.name.to_owned(), value);
    }

    /// Removes an object and returns its value.
    pub fn remove(&mut self, object: &Object<'_>) -> Option<T> {
        let named = self.0.get_mut(object.namespace)?;
        let removed = named.remove(object.name);
        if named.is_empty() {
            self.0.remove(object.namespace);
        }
        removed
    }
}

impl<T: DeserializeOwned> Known<T> {
    /// Reads and stores an object that is new or changed. An object that can't be read is removed, with a warning in
    /// the log.
    pub fn set(&mut self, object: &Object<'_>) {
        match object.read() {
            Ok(read) => self.insert(object, read),
            Err(error) => {
                let name = path(object);
                berth_guest::warn!("storage object can't be read; ignoring it object={name} error={error}");
                self.remove(object);
            }
        }
    }
}

/// Returns the object's namespace and name, or its name if it is cluster-scoped.
pub fn path(object: &Object<'_>) -> String {
    if object.namespace.is_empty() { object.name.to_owned() } else { format!("{}/{}", object.namespace, object.name) }
}

/// Returns the API machinery's message for an object that does not exist. `resource` is the singular name with its
/// group: `persistentvolumeclaim`, `storageclass.storage.k8s.io`.
pub fn not_found(resource: &str, name: &str) -> String {
    format!("{resource} \"{name}\" not found")
}
