//! Shares one watch of all objects of a kind between many waits. Each wait receives the changes of its own object.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ::kube::api::{ApiResource, DynamicObject};
use ::kube::runtime::{WatchStreamExt, watcher};
use ::kube::{Api, Client, Error as ClientError, ResourceExt};
use berth_core::intent::ObjectReference;
use futures::StreamExt;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tracing::debug;

use super::informer::explain_client;
use berth_supervisor::Supervisor;

/// Namespace and name.
type Key = (Box<str>, Box<str>);

/// `apiVersion` and `kind`.
type Kind = (Box<str>, Box<str>);

/// The watches in progress. A watch ends with its last subscription.
pub(super) struct SharedWatches {
    client: Client,
    watches: Mutex<BTreeMap<Kind, Weak<Shared>>>,
    supervisor: Supervisor,
}

/// The state of an object according to the shared watch.
#[derive(Clone, Debug, Default)]
pub(super) enum Seen {
    /// The watch has reported no state yet.
    #[default]
    Nothing,
    /// The object's latest state.
    Object(Arc<DynamicObject>),
    /// The object was deleted. Holds the object's last state, or `None` if the watch noticed the deletion only because
    /// a list lacks the object.
    Gone(Option<Arc<DynamicObject>>),
    /// The scheduler has no permission to list or watch the kind. The text is the API server's reason.
    Forbidden(Arc<str>),
}

#[derive(Default)]
struct Awaited(Mutex<BTreeMap<Key, watch::Sender<Seen>>>);

struct Shared {
    awaited: Arc<Awaited>,
    task: AbortHandle,
}

/// A subscription to one object of a watch.
pub(super) struct Subscription {
    seen: watch::Receiver<Seen>,
    key: Key,
    shared: Arc<Shared>,
}

impl SharedWatches {
    pub(super) fn new(client: Client, supervisor: Supervisor) -> Self {
        Self { client, watches: Mutex::default(), supervisor }
    }

    /// Subscribes to the object. If the watch is already in progress, it does not report the object's current state, so
    /// read the object after this call. Must be called on a tokio runtime.
    pub(super) fn subscribe(&self, object: &ObjectReference, resource: &ApiResource) -> Subscription {
        let key: Key = (object.namespace.clone(), object.name.clone());
        let shared = self.shared(object, resource);
        let seen = shared.awaited.lock().entry(key.clone()).or_default().subscribe();
        Subscription { seen, key, shared }
    }

    /// Returns whether no watch is in progress.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        let watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        watches.values().all(|shared| shared.strong_count() == 0)
    }

    fn shared(&self, object: &ObjectReference, resource: &ApiResource) -> Arc<Shared> {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        watches.retain(|_, shared| shared.strong_count() > 0);
        let kind = (object.api_version.clone(), object.kind.clone());
        if let Some(shared) = watches.get(&kind).and_then(Weak::upgrade) {
            return shared;
        }
        let awaited = Arc::<Awaited>::default();
        let api = Api::all_with(self.client.clone(), resource);
        let following = follow(api, Arc::clone(&awaited));
        let task = tokio::spawn(self.supervisor.endless("the shared watch of waits", following)).abort_handle();
        let shared = Arc::new(Shared { awaited, task });
        watches.insert(kind, Arc::downgrade(&shared));
        shared
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Subscription {
    /// Waits for the next change of the object. Returns only the latest state: states between two calls may be skipped.
    pub(super) async fn next(&mut self) -> Seen {
        match self.seen.changed().await {
            Ok(()) => self.seen.borrow_and_update().clone(),
            // Unreachable, because the sender lives as long as the subscription.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut awaited = self.shared.awaited.lock();
        if awaited.get(&self.key).is_some_and(|seen| seen.receiver_count() <= 1) {
            awaited.remove(&self.key);
        }
    }
}

impl Awaited {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, watch::Sender<Seen>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> BTreeSet<Key> {
        self.lock().keys().cloned().collect()
    }

    /// Sends the state to the subscriptions of the object, if there are any. Returns the object's key.
    fn publish(&self, object: DynamicObject, seen: impl FnOnce(Arc<DynamicObject>) -> Seen) -> Key {
        let key = (object.namespace().unwrap_or_default().into(), object.name_any().into());
        if let Some(sender) = self.lock().get(&key) {
            sender.send_replace(seen(Arc::new(object)));
        }
        key
    }
}

async fn follow(api: Api<DynamicObject>, awaited: Arc<Awaited>) {
    let mut events = pin!(watcher(api, watcher::Config::default()).default_backoff());
    // The awaited objects that are not on the current list so far.
    let mut missing = BTreeSet::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(watcher::Event::Init) => missing = awaited.keys(),
            Ok(watcher::Event::InitApply(object)) => {
                missing.remove(&awaited.publish(object, Seen::Object));
            }
            Ok(watcher::Event::InitDone) => {
                let awaited = awaited.lock();
                let gone = std::mem::take(&mut missing);
                gone.iter()
                    .filter_map(|key| awaited.get(key))
                    .for_each(|sender| drop(sender.send_replace(Seen::Gone(None))));
            }
            Ok(watcher::Event::Apply(object)) => drop(awaited.publish(object, Seen::Object)),
            Ok(watcher::Event::Delete(object)) => drop(awaited.publish(object, |object| Seen::Gone(Some(object)))),
            Err(watcher::Error::InitialListFailed(error) | watcher::Error::WatchStartFailed(error)) => {
                let why = explain_client(&error);
                debug!(error = %why, "the watch that waits of plugins share failed; trying again");
                if matches!(&error, ClientError::Api(status) if status.code == 403) {
                    let why: Arc<str> = why.into();
                    awaited
                        .lock()
                        .values()
                        .for_each(|sender| drop(sender.send_replace(Seen::Forbidden(Arc::clone(&why)))));
                }
            }
            Err(error) => debug!(%error, "the watch that waits of plugins share broke; trying again"),
        }
    }
}
