//! Which resources are served: the built-in kinds, and what custom resource definitions add.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use serde_json::Value;

use super::custom;
use super::kinds::KINDS;
use super::resource::Resource;
use super::store::{Collection, Retention};

/// A resource's place: group, version and plural.
type Place = (String, String, String);

#[derive(Debug, Default)]
struct Inner {
    resources: BTreeMap<Place, Arc<Resource>>,
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
    /// The built-in kinds, without objects.
    pub fn new(retention: Retention) -> Self {
        let counter = Arc::new(AtomicU64::new(first_version(SystemTime::now())));
        let mut inner = Inner::default();
        // A kind that is served in two groups has one collection.
        let mut collections: HashMap<&str, Arc<Collection>> = HashMap::new();
        for kind in KINDS {
            let objects =
                collections.entry(kind.plural).or_insert_with(|| Arc::new(Collection::new(counter.clone(), retention)));
            let resource = Arc::new(Resource::built_in(kind, objects.clone()));
            inner.resources.insert(place(&resource), resource);
        }
        Self { inner: RwLock::new(inner), counter, retention }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The resource at a place.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        self.read().resources.get(&(group.to_owned(), version.to_owned(), plural.to_owned())).cloned()
    }

    /// All resources, ordered by group, version and plural.
    pub fn all(&self) -> Vec<Arc<Resource>> {
        self.read().resources.values().cloned().collect()
    }

    /// Serves what a definition defines, instead of what it defined before. The objects stay.
    pub fn define(&self, definition: &Value) {
        let name = super::value::text(&definition["metadata"], "name");
        let mut inner = self.write();
        let fresh = || Arc::new(Collection::new(self.counter.clone(), self.retention));
        let objects = inner.defined.entry(name.to_owned()).or_insert_with(fresh).clone();
        inner.resources.retain(|_, resource| !Arc::ptr_eq(&resource.objects, &objects));
        for (version, custom) in custom::versions(definition) {
            let resource = Arc::new(Resource::custom(custom, &version, objects.clone()));
            // A definition can't take the place of a built-in kind.
            inner.resources.entry(place(&resource)).or_insert(resource);
        }
    }

    /// A served resource that the definition called `name` defines.
    pub fn defined_by(&self, name: &str) -> Option<Arc<Resource>> {
        let inner = self.read();
        let objects = inner.defined.get(name)?;
        inner.resources.values().find(|resource| Arc::ptr_eq(&resource.objects, objects)).cloned()
    }

    /// Serves a definition's resources no longer. Their objects go with them, and their watches end.
    pub fn undefine(&self, name: &str) {
        let mut inner = self.write();
        if let Some(objects) = inner.defined.remove(name) {
            inner.resources.retain(|_, resource| !Arc::ptr_eq(&resource.objects, &objects));
            objects.clear();
            objects.end();
        }
    }
}

/// The resource version that a server started at `now` begins with: the microseconds since 1970. The versions of an
/// earlier server are lower, so that a client that has one is answered 410 and lists anew. Version 0 means "any", so the
/// result is at least 1.
fn first_version(now: SystemTime) -> u64 {
    let micros = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_micros();
    u64::try_from(micros).unwrap_or(1).max(1)
}

fn place(resource: &Resource) -> Place {
    (resource.group.clone(), resource.version.clone(), resource.plural.clone())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn versions_grow_from_one_server_to_the_next() {
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let first = first_version(then);
        assert!(first_version(then + Duration::from_secs(1)) > first + 100_000, "room for the writes of a second");
        // Clients that read versions as floating-point numbers keep every digit.
        assert!(first < 1 << 53);
        assert_eq!(first_version(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), 1);
    }
}
