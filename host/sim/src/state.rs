//! The state that all requests share: the resources with their objects, the options, and the fault injection.

use std::sync::{Arc, OnceLock};

use axum::Router;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::watch;

use super::Options;
use super::faults::Faults;
use super::names::Generator;
use super::registry::Registry;
use super::resource::Resource;
use super::store::{Collection, Object, Span, key};

/// The server's state.
#[derive(Debug)]
pub struct State {
    /// The served resources, with their objects.
    pub registry: Registry,
    /// Generates the names and UIDs of new objects.
    pub names: Generator,
    /// The fault injection, for tests.
    pub faults: Faults,
    /// The options of the server.
    pub options: Options,
    /// Further paths that the server serves, as a prefix and a router.
    further: OnceLock<Vec<(&'static str, Router)>>,
    /// Becomes true when the server stops.
    stop: watch::Sender<bool>,
}

impl State {
    /// Returns the state of a server without objects.
    pub fn new(options: Options) -> Self {
        Self {
            registry: Registry::new(options.retention, options.clock.timestamp()),
            names: Generator::new(options.seed),
            faults: Faults::default(),
            options,
            further: OnceLock::new(),
            stop: watch::Sender::new(false),
        }
    }

    /// Serves paths with these prefixes through their routers. Later calls have no effect.
    pub fn serve_further(&self, further: Vec<(&'static str, Router)>) {
        let _ = self.further.set(further);
    }

    /// Returns the router for this path, if it is one of the further paths.
    pub fn further(&self, path: &str) -> Option<Router> {
        let mut further = self.further.get().into_iter().flatten();
        further.find(|(prefix, _)| path.starts_with(prefix)).map(|(_, router)| router.clone())
    }

    /// Returns the time of the server's clock.
    pub fn now(&self) -> Timestamp {
        self.options.clock.timestamp()
    }

    /// Tells all watches and background tasks to end.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until the server stops.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stop = self.stop.subscribe();
        async move {
            // An error means that the sender is dropped, so the server has stopped.
            let _ = stop.wait_for(|stopped| *stopped).await;
        }
    }

    /// Returns a stored object of a built-in kind in version `v1`. `namespace` is empty for a cluster-wide kind.
    pub fn object(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.registry.find(group, "v1", plural)?.objects.get(&key(namespace, name))
    }

    /// Returns all stored objects, each with a resource that serves it. Namespaces and definitions come first, so that the
    /// objects can be created in this order.
    pub fn all_objects(&self) -> impl Iterator<Item = (Arc<Resource>, Arc<Object>)> + use<> {
        let mut resources = self.registry.all();
        let is_first =
            |resource: &Resource| matches!(resource.plural.as_str(), "namespaces" | "customresourcedefinitions");
        resources.sort_by_key(|resource| !is_first(resource));
        // Two resources can have the same objects: the two kinds of events, and the versions of a definition.
        let mut seen: Vec<*const Collection> = Vec::new();
        resources.retain(|resource| {
            let objects = Arc::as_ptr(&resource.objects);
            let is_new = !seen.contains(&objects);
            seen.push(objects);
            is_new
        });
        resources.into_iter().flat_map(|resource| {
            let snapshot = resource.objects.snapshot(&Span::default(), None);
            let objects = snapshot.map(|found| found.objects).unwrap_or_default();
            objects.into_iter().map(move |object| (resource.clone(), object))
        })
    }

    /// Returns the same object as [`object`](Self::object), as a JSON tree.
    pub fn value(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.registry.find(group, "v1", plural)?;
        let object = resource.objects.get(&key(namespace, name))?;
        Some(resource.stored(&object))
    }

    /// Returns the objects of a built-in kind in version `v1` as JSON trees, from one namespace or from all. Use this
    /// function only for kinds with few objects, because it parses every object.
    pub fn values(&self, group: &str, plural: &str, namespace: Option<&str>) -> Vec<Value> {
        let Some(resource) = self.registry.find(group, "v1", plural) else { return Vec::new() };
        let span = Span { namespace: namespace.map(str::to_owned), ..Span::default() };
        let snapshot = resource.objects.snapshot(&span, None);
        snapshot.map(|found| found.objects.iter().map(|object| resource.stored(object)).collect()).unwrap_or_default()
    }
}
