//! The registry of served resources: the built-in kinds, and the custom resources of definitions.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};

use jiff::Timestamp;
use serde_json::Value;

use super::custom;
use super::kinds::KINDS;
use super::resource::Resource;
use super::store::{Collection, Retention};

/// The key of a resource: group, version and plural.
type ResourceKey = (String, String, String);

#[derive(Debug, Default)]
struct Inner {
    resources: BTreeMap<ResourceKey, Arc<Resource>>,
    /// The collections of custom resources, by the name of their definition.
    defined: HashMap<String, Arc<Collection>>,
}

/// The resources that the server serves.
#[derive(Debug)]
pub struct Registry {
    inner: RwLock<Inner>,
    counter: Arc<AtomicU64>,
    retention: Retention,
}

impl Registry {
    /// Returns a registry of the built-in kinds, without objects, for a server that starts at `now`.
    pub fn new(retention: Retention, now: Timestamp) -> Self {
        let counter = Arc::new(AtomicU64::new(first_version(now)));
        let mut inner = Inner::default();
        // Kinds with the same plural share one collection: Event is served in two API groups.
        let mut collections: HashMap<&str, Arc<Collection>> = HashMap::new();
        for kind in KINDS {
            let objects =
                collections.entry(kind.plural).or_insert_with(|| Arc::new(Collection::new(counter.clone(), retention)));
            let resource = Arc::new(Resource::built_in(kind, objects.clone()));
            inner.resources.insert(key_of(&resource), resource);
        }
        Self { inner: RwLock::new(inner), counter, retention }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the resource with this group, version and plural.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        self.read().resources.get(&(group.to_owned(), version.to_owned(), plural.to_owned())).cloned()
    }

    /// Returns all resources, ordered by group, version and plural.
    pub fn all(&self) -> Vec<Arc<Resource>> {
        self.read().resources.values().cloned().collect()
    }

    /// Serves the resources of a definition, and replaces the resources that an earlier version of the
    /// definition served. The objects stay.
    pub fn define(&self, definition: &Value) {
        let name = super::value::text(&definition["metadata"], "name");
        let mut inner = self.write();
        let fresh = || Arc::new(Collection::new(self.counter.clone(), self.retention));
        let objects = inner.defined.entry(name.to_owned()).or_insert_with(fresh).clone();
        inner.resources.retain(|_, resource| !Arc::ptr_eq(&resource.objects, &objects));
        for (version, custom) in custom::versions(definition) {
            let resource = Arc::new(Resource::custom(custom, &version, objects.clone()));
            // A definition cannot replace a built-in kind.
            inner.resources.entry(key_of(&resource)).or_insert(resource);
        }
    }

    /// Returns one of the served resources of the definition called `name`.
    pub fn defined_by(&self, name: &str) -> Option<Arc<Resource>> {
        let inner = self.read();
        let objects = inner.defined.get(name)?;
        inner.resources.values().find(|resource| Arc::ptr_eq(&resource.objects, objects)).cloned()
    }

    /// Removes the resources of the definition called `name`, deletes their objects, and ends their watches.
    pub fn undefine(&self, name: &str) {
        let mut inner = self.write();
        if let Some(objects) = inner.defined.remove(name) {
            inner.resources.retain(|_, resource| !Arc::ptr_eq(&resource.objects, &objects));
            objects.clear();
            objects.end();
        }
    }
}

/// Returns the first resource version of a server that starts at `now`: the microseconds since 1970. The versions of
/// an earlier server are lower, so a client that holds one gets 410 and lists again. The result is at least 1,
/// because version 0 means "any version".
fn first_version(now: Timestamp) -> u64 {
    u64::try_from(now.as_microsecond()).unwrap_or(1).max(1)
}

fn key_of(resource: &Resource) -> ResourceKey {
    (resource.group.clone(), resource.version.clone(), resource.plural.clone())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_later_server_starts_with_a_higher_version() {
        let then = Timestamp::from_second(1_700_000_000).unwrap();
        let first = first_version(then);
        assert!(first_version(then + Duration::from_secs(1)) > first + 100_000, "room for the writes of a second");
        // Clients that read resource versions as floating-point numbers keep every digit below 2^53.
        assert!(first < 1 << 53);
        assert_eq!(first_version(Timestamp::UNIX_EPOCH - Duration::from_secs(1)), 1);
    }
}
