//! Loads the objects of another cluster into the store: before clients connect, or in place of all objects.
//!
//! An object with a UID comes from an API server. It keeps its UID, times, generation, status and finalizers, and
//! admission does not change it. Only its fields are checked and completed as on every write. An object without a UID is
//! created as by a client.
//!
//! References to owners that are not loaded are removed, because the garbage collector would delete the dependents. A
//! namespace that is not loaded is created.

mod order;
mod restore;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::own_objects;
use crate::request::Query;
use crate::resource::Resource;
use crate::state::State;
use crate::store::{Object, key};
use crate::value::text;
use crate::verbs;

use order::{Later, rank};
use restore::{Restored, keep_owners, restore, with_owners};

/// The outcome of a load.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The number of loaded objects, by kind.
    pub counts: BTreeMap<String, usize>,
    /// The objects that could not be loaded.
    pub refused: Vec<Refused>,
    /// The namespaces that were created, because objects are in them.
    pub namespaces: BTreeSet<String>,
    /// The number of objects with references to owners that were not loaded. The references are removed.
    pub without_owner: usize,
    /// The number of objects with unknown fields, which are removed, and a message about the first field.
    pub unknown_fields: Option<(usize, String)>,
    /// The number of objects with the kind and the name of an earlier object, which they replaced.
    pub repeated: usize,
}

/// An object that could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The kind, such as `Pod`.
    pub kind: String,
    /// `NAMESPACE/NAME`, or only the name of an object without a namespace.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// Collects objects, and stores them all at the end.
#[derive(Debug)]
pub struct Loader {
    state: Arc<State>,
    /// The resources by API version and kind.
    resources: HashMap<(String, String), Arc<Resource>>,
    /// The plurals and keys of the objects that every server has, as long as they are not replaced.
    initial: HashSet<(String, String)>,
    /// The objects with a UID of kinds that are served before the load.
    restored: Vec<(Arc<Resource>, Restored)>,
    /// The other objects. They can need objects that come after them: the definition of their kind, or a priority class.
    later: Vec<Later>,
    /// The UIDs of all objects.
    uids: HashSet<String>,
    /// Namespaces and definitions, which the server can begin to empty when all objects are there.
    changed: Vec<(Arc<Resource>, Arc<Object>)>,
    wanted_namespaces: BTreeSet<String>,
    /// Whether the objects that are in the store are removed first.
    replaces: bool,
    loaded: Loaded,
}

impl Loader {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self {
            resources: by_kind(&state),
            initial: initial(&state),
            restored: Vec::new(),
            later: Vec::new(),
            uids: HashSet::new(),
            changed: Vec::new(),
            wanted_namespaces: BTreeSet::new(),
            replaces: false,
            loaded: Loaded::default(),
            state,
        }
    }

    /// Returns a loader that removes all objects before it stores others.
    pub(crate) fn replacing(state: Arc<State>) -> Self {
        let mut loader = Self { replaces: true, ..Self::new(state) };
        // The other resources are removed with their definitions.
        loader.resources.retain(|_, resource| resource.definition().is_none());
        loader
    }

    /// Adds an object with its `apiVersion` and `kind`. Stores nothing yet.
    pub fn add(&mut self, object: Value) {
        let uid = text(&object["metadata"], "uid");
        let resource = match uid {
            "" => None,
            uid => {
                self.uids.insert(uid.to_owned());
                self.resource(&object)
            }
        };
        match resource {
            Some(resource) => {
                if let Some(restored) = self.restore(&resource, object) {
                    self.restored.push((resource, restored));
                }
            }
            None => self.later.push(Later::new(&object)),
        }
    }

    /// Stores the objects.
    #[must_use]
    pub fn finish(mut self) -> Loaded {
        if self.replaces {
            own_objects::reset(&self.state);
            self.initial = initial(&self.state);
        }
        for (resource, restored) in self.take_restored() {
            self.store(&resource, restored);
        }
        let mut later = std::mem::take(&mut self.later);
        later.sort_by_key(|object| object.rank);
        let (first, rest) = later.split_at(later.partition_point(Later::is_first));
        first.iter().for_each(|object| self.create(object));
        self.resources = by_kind(&self.state);
        self.wanted_namespaces.extend(rest.iter().map(|object| object.namespace.clone()));
        self.create_namespaces();
        rest.iter().for_each(|object| self.create(object));
        for (resource, object) in self.changed {
            verbs::written(&self.state, &resource, None, &object);
        }
        self.loaded
    }

    /// Takes the objects in the order of their kinds, and of each kind and name the last one. A pod with a node comes
    /// before the pods without one, so that a scheduler that runs knows what is in use.
    fn take_restored(&mut self) -> Vec<(Arc<Resource>, Restored)> {
        let mut all = std::mem::take(&mut self.restored);
        let before = all.len();
        let mut seen = HashSet::with_capacity(before);
        all.reverse();
        all.retain(|(resource, restored)| {
            seen.insert((Arc::as_ptr(&resource.objects), restored.object.key().to_owned()))
        });
        all.reverse();
        self.loaded.repeated += before - all.len();
        all.sort_by_key(|(resource, restored)| (rank(&resource.kind), !restored.has_node));
        all
    }

    fn resource(&self, object: &Value) -> Option<Arc<Resource>> {
        self.resources.get(&(text(object, "apiVersion").to_owned(), text(object, "kind").to_owned())).cloned()
    }

    /// Converts an object with a UID to the stored form. Notes why this is not possible.
    fn restore(&mut self, resource: &Resource, object: Value) -> Option<Restored> {
        let name = name_of(&object);
        match restore(&self.state, resource, object) {
            Ok(restored) => {
                self.note_unknown(resource, &name, &restored.warnings);
                Some(restored)
            }
            Err(failure) => {
                self.refuse(&resource.kind, name, failure.message);
                None
            }
        }
    }

    /// Stores an object with a UID. Replaces an object with the same name.
    fn store(&mut self, resource: &Arc<Resource>, restored: Restored) {
        let Restored { mut object, owners, .. } = restored;
        if owners.iter().any(|uid| !self.uids.contains(uid)) {
            object = with_owners(resource, &object, |uid| self.uids.contains(uid));
            self.loaded.without_owner += 1;
        }
        self.wanted_namespaces.insert(object.namespace().to_owned());
        let before = resource.objects.get(object.key());
        let is_initial = self.initial.remove(&(resource.plural.clone(), object.key().to_owned()));
        let stored = match &before {
            Some(before) => resource.objects.replace(before, object),
            None => resource.objects.create(object),
        };
        // Nobody else writes this object, so no write fails.
        let Ok(stored) = stored else { return };
        if before.is_some() && !is_initial {
            self.loaded.repeated += 1;
        } else {
            self.count(resource);
        }
        let is_definition = verbs::is_resource_of_definitions(resource);
        if is_definition {
            self.state.registry.define(&resource.stored(&stored));
        }
        if is_definition || (resource.group.is_empty() && resource.kind == "Namespace") {
            self.changed.push((resource.clone(), stored));
        }
    }

    /// Creates an object without a UID as a client does, or stores a custom resource with a UID. An object that every
    /// server has stays as it is.
    fn create(&mut self, later: &Later) {
        let object = later.object();
        let (kind, name) = (text(&object, "kind").to_owned(), name_of(&object));
        let Some(resource) = self.resource(&object) else {
            return self.refuse(&kind, name, not_served(text(&object, "apiVersion")));
        };
        if !text(&object["metadata"], "uid").is_empty() {
            if let Some(restored) = self.restore(&resource, object) {
                self.store(&resource, restored);
            }
            return;
        }
        match self.store_new(&resource, &name, object) {
            Ok(()) => self.count(&resource),
            Err(failure) => self.refuse(&kind, name, failure.message),
        }
    }

    fn store_new(&mut self, resource: &Arc<Resource>, name: &str, object: Value) -> Result<(), Failure> {
        let namespace = match text(&object["metadata"], "namespace") {
            _ if !resource.namespaced => String::new(),
            "" => "default".to_owned(),
            namespace => namespace.to_owned(),
        };
        let mut incoming = verbs::accept(resource, object, None, &Query::default())?;
        self.note_unknown(resource, name, &incoming.warnings);
        if keep_owners(&mut incoming.object, |uid| self.uids.contains(uid)) {
            self.loaded.without_owner += 1;
        }
        let plain_name = text(&incoming.object["metadata"], "name").to_owned();
        if self.initial.contains(&(resource.plural.clone(), key(&namespace, &plain_name))) {
            return Ok(());
        }
        verbs::store_new(&self.state, resource, &namespace, incoming.object, false).map(drop)
    }

    /// Creates the namespaces that objects are in and that do not exist. If a name is no valid name, each object in the
    /// namespace fails.
    fn create_namespaces(&mut self) {
        let Some(namespaces) = self.state.registry.find("", "v1", "namespaces") else { return };
        let wanted = std::mem::take(&mut self.wanted_namespaces);
        let missing = |name: &String| !name.is_empty() && namespaces.objects.get(&key("", name)).is_none();
        for name in wanted.into_iter().filter(missing) {
            let object = json!({"metadata": {"name": name}});
            let stored = verbs::accept(&namespaces, object, None, &Query::default())
                .and_then(|incoming| verbs::store_new(&self.state, &namespaces, "", incoming.object, false));
            if stored.is_ok() {
                self.loaded.namespaces.insert(name);
            }
        }
    }

    fn count(&mut self, resource: &Resource) {
        *self.loaded.counts.entry(resource.kind.clone()).or_default() += 1;
    }

    fn refuse(&mut self, kind: &str, name: String, reason: String) {
        self.loaded.refused.push(Refused { kind: kind.to_owned(), name, reason });
    }

    fn note_unknown(&mut self, resource: &Resource, name: &str, warnings: &[String]) {
        if let Some(first) = warnings.first() {
            let new = || (0, format!("{first} of {} {name}", resource.kind));
            self.loaded.unknown_fields.get_or_insert_with(new).0 += 1;
        }
    }
}

/// Returns the plurals and keys of the objects in the store.
fn initial(state: &State) -> HashSet<(String, String)> {
    state.all_objects().map(|(resource, object)| (resource.plural.clone(), object.key().to_owned())).collect()
}

/// Returns all resources by API version and kind.
fn by_kind(state: &State) -> HashMap<(String, String), Arc<Resource>> {
    let all = state.registry.all().into_iter();
    all.map(|resource| ((resource.api_version(), resource.kind.clone()), resource)).collect()
}

fn not_served(version: &str) -> String {
    let group = version.split_once('/').map_or("", |(group, _)| group);
    match group.contains('.') && !group.ends_with(".k8s.io") {
        true => format!("the simulated cluster does not serve {version}; import the CustomResourceDefinition, too"),
        false => format!("the simulated cluster does not serve {version}"),
    }
}

fn name_of(object: &Value) -> String {
    let metadata = &object["metadata"];
    match text(metadata, "namespace") {
        "" => text(metadata, "name").to_owned(),
        namespace => format!("{namespace}/{}", text(metadata, "name")),
    }
}
