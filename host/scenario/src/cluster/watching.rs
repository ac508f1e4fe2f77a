//! Watches pods and nodes.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use berth_clock::Clock;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, watcher as watch_all};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::view::{View, id};
use crate::error::ScenarioError;

/// What a watch writes to.
struct Sink {
    view: Arc<Mutex<View>>,
    clock: Arc<dyn Clock>,
    changes: Arc<watch::Sender<u64>>,
}

impl Sink {
    fn apply(&self, change: impl FnOnce(&mut View, berth_clock::Now)) {
        let now = self.clock.now();
        change(&mut self.view.lock().unwrap_or_else(PoisonError::into_inner), now);
        self.changes.send_modify(|count| *count += 1);
    }
}

/// Objects of a kind in a view.
trait Viewed: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + 'static {
    fn set(self, view: &mut View, now: berth_clock::Now);
    fn remove(&self, view: &mut View, now: berth_clock::Now);
    /// Removes the objects that are not listed.
    fn retain(listed: &BTreeSet<(String, String)>, view: &mut View, now: berth_clock::Now);
    fn id(&self) -> (String, String);
}

impl Viewed for Pod {
    fn set(self, view: &mut View, now: berth_clock::Now) {
        view.set_pod(self, now);
    }

    fn remove(&self, view: &mut View, now: berth_clock::Now) {
        view.remove_pod(self, now);
    }

    fn retain(listed: &BTreeSet<(String, String)>, view: &mut View, now: berth_clock::Now) {
        let gone: Vec<Pod> = view.pods.values().filter(|pod| !listed.contains(&id(pod))).cloned().collect();
        gone.iter().for_each(|pod| view.remove_pod(pod, now));
    }

    fn id(&self) -> (String, String) {
        id(self)
    }
}

impl Viewed for Node {
    fn set(self, view: &mut View, _: berth_clock::Now) {
        view.nodes.insert(self.id().1, self);
    }

    fn remove(&self, view: &mut View, _: berth_clock::Now) {
        view.nodes.remove(&self.id().1);
    }

    fn retain(listed: &BTreeSet<(String, String)>, view: &mut View, _: berth_clock::Now) {
        view.nodes.retain(|name, _| listed.contains(&(String::new(), name.clone())));
    }

    fn id(&self) -> (String, String) {
        (String::new(), self.metadata.name.clone().unwrap_or_default())
    }
}

/// Starts the watches. Returns a channel that changes with the view, when the first lists are in the view.
///
/// # Errors
/// The API server does not list pods or nodes.
pub async fn start(
    client: &Client,
    clock: &Arc<dyn Clock>,
    view: &Arc<Mutex<View>>,
    tasks: &mut JoinSet<()>,
) -> Result<watch::Receiver<u64>, ScenarioError> {
    let (changes, changed) = watch::channel(0);
    let changes = Arc::new(changes);
    let sink = || Sink { view: Arc::clone(view), clock: Arc::clone(clock), changes: Arc::clone(&changes) };
    let (nodes_listed, nodes) = oneshot::channel();
    let (pods_listed, pods) = oneshot::channel();
    tasks.spawn(follow::<Node>(client.clone(), sink(), nodes_listed));
    tasks.spawn(follow::<Pod>(client.clone(), sink(), pods_listed));
    for (what, listed) in [("listing the nodes", nodes), ("listing the pods", pods)] {
        // The task sends before it ends.
        let result = listed.await.unwrap_or_else(|_| Err("the watch has ended".to_owned()));
        result.map_err(|why| ScenarioError::cluster(what, why))?;
    }
    Ok(changed)
}

/// Watches a kind until the task is dropped. Reports the first list, or the first error if it comes before.
async fn follow<K: Viewed>(client: Client, sink: Sink, listed: oneshot::Sender<Result<(), String>>) {
    let mut listed = Some(listed);
    let mut report = |result| drop(listed.take().map(|listed| listed.send(result)));
    let mut events =
        watch_all(Api::<K>::all(client), watcher::Config::default()).default_backoff().into_stream().boxed();
    let mut names = BTreeSet::new();
    loop {
        match events.try_next().await {
            Ok(Some(Event::Init)) => names.clear(),
            Ok(Some(Event::InitApply(object))) => {
                names.insert(object.id());
                sink.apply(|view, now| object.set(view, now));
            }
            Ok(Some(Event::InitDone)) => {
                sink.apply(|view, now| K::retain(&names, view, now));
                report(Ok(()));
            }
            Ok(Some(Event::Apply(object))) => sink.apply(|view, now| object.set(view, now)),
            Ok(Some(Event::Delete(object))) => sink.apply(|view, now| object.remove(view, now)),
            Ok(None) => return,
            // The stream tries again after a backoff.
            Err(error) => report(Err(error.to_string())),
        }
    }
}
