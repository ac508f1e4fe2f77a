//! What all requests share: the registry of resources with their objects, the options, and the switches for faults.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::Options;
use super::faults::Faults;
use super::registry::Registry;
use super::store::{Object, Span, key};

/// The server's state.
#[derive(Debug)]
pub struct State {
    /// The resources served, with their objects.
    pub registry: Registry,
    /// Faults to play, for tests.
    pub faults: Faults,
    /// How the server was started.
    pub options: Options,
    /// Turns true when the server stops.
    stop: watch::Sender<bool>,
}

impl State {
    /// The state of a server without objects.
    pub fn new(options: Options) -> Self {
        Self {
            registry: Registry::new(options.retention),
            faults: Faults::default(),
            options,
            stop: watch::Sender::new(false),
        }
    }

    /// Tells everything that runs to end.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until the server stops.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stop = self.stop.subscribe();
        async move {
            // An error means that the state is gone, and the server with it.
            let _ = stop.wait_for(|stopped| *stopped).await;
        }
    }

    /// A stored object of a built-in kind.
    pub fn object(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.registry.find(group, "v1", plural)?.objects.get(&key(namespace, name))
    }

    /// A stored object of a built-in kind as a tree.
    pub fn value(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let resource = self.registry.find(group, "v1", plural)?;
        let object = resource.objects.get(&key(namespace, name))?;
        Some(resource.stored(&object))
    }

    /// All objects of a built-in kind, or those of one namespace, as trees; for kinds with few objects.
    pub fn values(&self, group: &str, plural: &str, namespace: Option<&str>) -> Vec<Value> {
        let Some(resource) = self.registry.find(group, "v1", plural) else { return Vec::new() };
        let span = Span { namespace: namespace.map(str::to_owned), ..Span::default() };
        let snapshot = resource.objects.snapshot(&span, None);
        snapshot.map(|found| found.objects.iter().map(|object| resource.stored(object)).collect()).unwrap_or_default()
    }
}
