//! Informers: one list and watch a kind, turned into events for the core.
//!
//! Nothing is lost between a watch and the next: a watch that ends is taken up where it ended; where the API server no
//! longer knows that place, everything is listed anew, and what is not on the list is reported as removed. There is one
//! watch for all pods, as two (pending, assigned) would deliver a pod's way from one to the other in no order.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use ::kube::runtime::{WatchStreamExt, watcher};
use ::kube::{Api, Error as ClientError, Resource};
use berth_core::Event;
use futures::StreamExt;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{info, warn};

use super::intern::PodParts;
use super::known::{KnownNodes, KnownPod, KnownPods};
use super::objects::{NodeObject, Notes, Observed, PodObject, Unreadable, scheduled_condition};
use crate::extender::Extenders;

/// Pods that have ended take nothing and are not watched. One that ends leaves the selection: the watch reports it as
/// deleted.
pub(super) const UNFINISHED: &str = "status.phase!=Succeeded,status.phase!=Failed";

/// What is done with the objects of one kind.
pub(super) trait Intake: Send {
    /// An object as a watch hands it over.
    type Object: Resource + Clone + DeserializeOwned + Debug + Send + 'static;

    /// What they are called in messages: a plural.
    fn what(&self) -> String;

    /// A complete list begins.
    fn list_begins(&mut self);
    /// It ended; what was not on it is gone.
    fn list_ends(&mut self);
    /// An object is there, perhaps changed.
    fn set(&mut self, object: Self::Object);
    /// An object is gone.
    fn removed(&mut self, object: &Self::Object);
    /// The list could not be had; it is asked for again.
    fn not_listed(&mut self, _error: &ClientError) {}
}

/// Lists and watches for as long as it is polled; `synced` is called when the first list is complete.
pub(super) async fn run<I: Intake>(
    api: Api<I::Object>,
    config: watcher::Config,
    intake: &mut I,
    synced: impl FnOnce() + Send,
) {
    let mut synced = Some(synced);
    loop {
        let mut events = std::pin::pin!(watcher(api.clone(), config.clone()).default_backoff());
        while let Some(event) = events.next().await {
            match event {
                Ok(watcher::Event::Init) => intake.list_begins(),
                Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => intake.set(object),
                Ok(watcher::Event::Delete(object)) => intake.removed(&object),
                Ok(watcher::Event::InitDone) => {
                    intake.list_ends();
                    if let Some(synced) = synced.take() {
                        synced();
                    }
                }
                Err(e) => {
                    warn!("{}: {}; trying again", intake.what(), explain(&e));
                    if let watcher::Error::InitialListFailed(why) = &e {
                        intake.not_listed(why);
                    }
                    if must_begin_anew(&e) {
                        break;
                    }
                }
            }
        }
        // The stream that is left had its own backoff; this one only keeps a server that always says so from a storm.
        tokio::time::sleep(Duration::from_secs(1)).await;
        info!("{}: listing anew", intake.what());
    }
}

/// The watcher lists anew by itself where "too old" comes as a line of a watch. Where a server or a proxy says so by the
/// answer's status it would ask the same again; and where a line is no JSON, it would go on without what stood there.
fn must_begin_anew(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::WatchStartFailed(ClientError::Api(status)) => status.code == 410,
        watcher::Error::WatchFailed(error) => matches!(error, ClientError::SerdeError(_)),
        _ => false,
    }
}

fn explain(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(e) => format!("can't list: {}", explain_client(e)),
        watcher::Error::WatchStartFailed(e) => format!("can't watch: {}", explain_client(e)),
        watcher::Error::WatchFailed(e) => format!("the watch broke: {}", explain_client(e)),
        watcher::Error::WatchError(status) => format!("the API server ended the watch: {}", status.message),
        watcher::Error::NoResourceVersion => "the API server sent an object without resourceVersion".to_owned(),
    }
}

pub(super) fn explain_client(error: &ClientError) -> String {
    match error {
        ClientError::Api(status) if status.code == 403 => {
            format!("{} (its role needs list and watch on it)", status.message)
        }
        ClientError::Api(status) => status.message.clone(),
        other => super::rest::chain(other),
    }
}

/// Pods; kept as they are, too, where extenders are sent them whole.
pub(super) struct PodIntake<const WHOLE: bool> {
    pub(super) extenders: Arc<Extenders>,
    pub(super) known: Arc<KnownPods>,
    pub(super) parts: PodParts,
    pub(super) events: UnboundedSender<Event>,
}

impl<const WHOLE: bool> Intake for PodIntake<WHOLE> {
    type Object = Observed<PodObject, WHOLE>;

    fn what(&self) -> String {
        "pods".to_owned()
    }

    fn list_begins(&mut self) {
        self.known.lock().list_begins();
    }

    fn list_ends(&mut self) {
        let gone = self.known.lock().list_ends();
        for known in gone {
            self.extenders.whole().pod_removed(&known.pod.key.uid);
            send(&self.events, Event::PodRemoved(known.pod.key.clone()));
        }
    }

    fn set(&mut self, object: Self::Object) {
        let mut pod = match object.object {
            Ok(pod) => pod,
            Err(ref e) => {
                let known = self.known.lock().touch(object.uid());
                return unreadable(&self.what(), &object, e, known);
            }
        };
        let resource_version = pod.metadata().resource_version.clone();
        let generation = pod.metadata().generation;
        let condition = scheduled_condition(&mut pod);
        let mut notes = Notes::default();
        let pod = pod.into_model(&self.parts, &mut notes);
        if !notes.is_empty() {
            warn!("pod {}: {notes}", pod.key);
        }
        let pending = pod.node_name.is_empty();
        let pod = Arc::new(pod);
        if let Some(whole) = &object.whole {
            self.extenders.whole().pod_set(&pod.key.uid, !pending, whole);
        }
        let entry =
            KnownPod { pod: Arc::clone(&pod), resource_version, generation, scheduled: condition.filter(|_| pending) };
        let before = self.known.lock().set(&pod.key.uid, entry);
        if before.is_none_or(|known| known.pod != pod) {
            send(&self.events, Event::PodSet(pod));
        }
    }

    fn removed(&mut self, object: &Self::Object) {
        let gone = self.known.lock().remove(object.uid());
        if let Some(known) = gone {
            self.extenders.whole().pod_removed(object.uid());
            send(&self.events, Event::PodRemoved(known.pod.key.clone()));
        }
    }
}

/// Nodes; as pods are.
pub(super) struct NodeIntake<const WHOLE: bool> {
    pub(super) extenders: Arc<Extenders>,
    pub(super) known: KnownNodes,
    pub(super) events: UnboundedSender<Event>,
}

impl<const WHOLE: bool> Intake for NodeIntake<WHOLE> {
    type Object = Observed<NodeObject, WHOLE>;

    fn what(&self) -> String {
        "nodes".to_owned()
    }

    fn list_begins(&mut self) {
        self.known.list_begins();
    }

    fn list_ends(&mut self) {
        for node in self.known.list_ends() {
            self.extenders.whole().node_removed(&node.name);
            send(&self.events, Event::NodeRemoved(node.name.clone()));
        }
    }

    fn set(&mut self, object: Self::Object) {
        let node = match object.object {
            Ok(node) => node,
            Err(ref e) => {
                let known = self.known.touch(object.name());
                return unreadable(&self.what(), &object, e, known);
            }
        };
        let mut notes = Notes::default();
        let node = Arc::new(node.into_model(&mut notes));
        if !notes.is_empty() {
            warn!("node {}: {notes}", node.name);
        }
        if let Some(whole) = &object.whole {
            self.extenders.whole().node_set(&node.name, whole);
        }
        let before = self.known.set(&node.name, Arc::clone(&node));
        if before.is_none_or(|known| known != node) {
            send(&self.events, Event::NodeSet(node));
        }
    }

    fn removed(&mut self, object: &Self::Object) {
        if self.known.remove(object.name()).is_some() {
            self.extenders.whole().node_removed(object.name());
            send(&self.events, Event::NodeRemoved(object.name().into()));
        }
    }
}

fn unreadable<T, const WHOLE: bool>(plural: &str, object: &Observed<T, WHOLE>, error: &Unreadable, known: bool) {
    let done = if known { "it stays as it was last" } else { "it is left out" };
    warn!("{plural} {object:?} can't be read: {error}; {done}");
}

/// A receiver that is gone means that the scheduler is ending.
fn send(events: &UnboundedSender<Event>, event: Event) {
    let _ = events.send(event);
}
