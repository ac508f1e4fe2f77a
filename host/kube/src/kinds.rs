//! Informers of the kinds beyond pods and nodes. An informer starts when a plugin reads the kind, restarts with more
//! fields when another plugin reads more of them, and stops when no plugin reads the kind.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::kube::api::{ApiResource, DynamicObject};
use ::kube::core::GroupVersionKind;
use ::kube::{Client, Error as ClientError};
use berth_core::Event;
use berth_core::model::{Object, ObjectKey, ObjectKind, ObjectReads};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tracing::{info, warn};

use super::cluster_event::{self, ClusterEvent, ResourceVersion, send};
use super::informer::{self, Intake, Selection};
use super::known::Known;
use super::list::{Collection, ListError};
use super::list_report::ListReport;
use berth_apimachinery::objects::{Notes, ObjectReader, RawObject};
use berth_supervisor::Supervisor;

/// The interval at which a kind that the API server doesn't serve is looked up again. A custom resource may be
/// defined later.
const DISCOVERY_PAUSE: Duration = Duration::from_secs(15);

/// The informers of all kinds beyond pods and nodes.
pub(super) struct Kinds {
    client: Client,
    selection: Selection,
    events: UnboundedSender<ClusterEvent>,
    runtime: Handle,
    supervisor: Supervisor,
    started: Mutex<Started>,
}

struct Started {
    /// The channel to the task of each kind. When no plugin reads a kind any more, its task stays: only this task sends
    /// events of the kind, so the events of a later watch come after the events of an earlier watch.
    orders: BTreeMap<Arc<ObjectKind>, UnboundedSender<Order>>,
    informers: JoinSet<()>,
}

/// A command to an informer.
pub(super) enum Order {
    /// List and watch the kind with these fields.
    Watch(ObjectReads),
    /// Stop listing and watching.
    Stop,
}

impl Kinds {
    /// Creates the informers. `orders` are the channels to the informers of pods and nodes, which run already.
    pub(super) fn new(
        client: Client,
        selection: Selection,
        events: UnboundedSender<ClusterEvent>,
        supervisor: Supervisor,
        orders: [(ObjectKind, UnboundedSender<Order>); 2],
    ) -> Self {
        let orders = orders.into_iter().map(|(kind, orders)| (Arc::new(kind), orders)).collect();
        let started = Mutex::new(Started { orders, informers: JoinSet::new() });
        Self { client, selection, events, runtime: Handle::current(), supervisor, started }
    }

    /// Starts the informer of the kind with these fields. If the informer runs already, restarts it with these fields.
    pub(super) fn watch(&self, reads: ObjectReads) {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = Arc::clone(&reads.kind);
        let Started { orders, informers } = &mut *started;
        let orders = orders.entry(kind).or_insert_with_key(|kind| {
            let (orders, ordered) = unbounded_channel();
            let intake = ObjectIntake::new(Arc::clone(kind), self.events.clone());
            let following = follow(self.client.clone(), self.selection, ordered, intake);
            let supervised = self.supervisor.finite("an informer of a kind that plugins read", following);
            informers.spawn_on(supervised, &self.runtime);
            orders
        });
        // Sending can't fail here, because the task ends only when the `Kinds` is dropped.
        let _ = orders.send(Order::Watch(reads));
    }

    /// Stops the informer of the kind. The informer then sends [`Event::WatchStopped`] and no event until the next
    /// [`Kinds::watch`].
    pub(super) fn stop(&self, kind: &ObjectKind) {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(orders) = started.orders.get(kind) {
            let _ = orders.send(Order::Stop);
        }
    }
}

/// Runs the informer of one kind. Each [`Order::Watch`] begins with a new list.
async fn follow(client: Client, selection: Selection, mut orders: UnboundedReceiver<Order>, mut intake: ObjectIntake) {
    let mut order = orders.recv().await;
    loop {
        order = match order {
            None => return,
            Some(Order::Watch(reads)) => {
                info!(kind = %reads.kind, "a plugin reads the kind; listing and watching it");
                intake.read(reads);
                tokio::select! {
                    biased;
                    order = orders.recv() => order,
                    () = list_and_watch(&client, selection, &mut intake) => return,
                }
            }
            Some(Order::Stop) => {
                info!(kind = %intake.report.reads().kind, "no plugin reads the kind any more; the watch ends");
                intake.stop();
                orders.recv().await
            }
        };
    }
}

async fn list_and_watch(client: &Client, selection: Selection, intake: &mut ObjectIntake) {
    let resource = discover(client, selection.patience, intake).await;
    let collection = Collection::of::<DynamicObject>(client.clone(), &resource);
    informer::run(collection, selection, intake, || {}).await;
}

/// Returns the API resource of the kind. Waits until the API server serves the kind. If the API server does not serve
/// the kind yet, reports an empty list once.
async fn discover(client: &Client, patience: Duration, intake: &mut ObjectIntake) -> ApiResource {
    let kind = Arc::clone(&intake.report.reads().kind);
    let (group, version) = kind.api_version.split_once('/').unwrap_or(("", &kind.api_version));
    let gvk = GroupVersionKind::gvk(group, version, &kind.kind);
    let mut has_warned = false;
    loop {
        let answer = tokio::time::timeout(patience, ::kube::discovery::pinned_kind(client, &gvk));
        let wait = match answer.await {
            Ok(Ok((resource, _))) => return resource,
            Ok(Err(e)) if is_not_served(&e) => {
                if !has_warned {
                    warn!(
                        %kind,
                        "the API server doesn't serve a kind that plugins read; they see no objects of it; trying again"
                    );
                    intake.list_begins();
                    intake.list_ends(None);
                    has_warned = true;
                }
                DISCOVERY_PAUSE
            }
            failed => {
                let error = match failed {
                    Ok(Err(error)) => informer::explain_client(&error),
                    _ => format!("no answer within {patience:?}"),
                };
                warn!(%kind, %error, "API discovery of the kind failed; trying again");
                intake.report.failed(&format!("API discovery of the kind failed: {error}"), Instant::now());
                Duration::from_secs(1)
            }
        };
        tokio::time::sleep(wait).await;
    }
}

fn is_not_served(error: &ClientError) -> bool {
    match error {
        ClientError::Api(status) => status.code == 404,
        ClientError::Discovery(_) => true,
        _ => false,
    }
}

/// Consumes the objects of one kind.
struct ObjectIntake {
    report: ListReport,
    reader: ObjectReader,
    known: Known<Arc<Object>>,
    events: UnboundedSender<ClusterEvent>,
}

impl ObjectIntake {
    fn new(kind: Arc<ObjectKind>, events: UnboundedSender<ClusterEvent>) -> Self {
        let report = ListReport::new(kind, events.clone());
        Self { reader: ObjectReader::new(report.reads()), report, known: Known::default(), events }
    }

    fn read(&mut self, reads: ObjectReads) {
        self.reader = ObjectReader::new(&reads);
        self.report.read(reads);
    }

    fn stop(&mut self) {
        self.known = Known::default();
        self.report.stopped();
    }
}

/// Returns the key of an object in `Known`. The key is unique because a namespace contains no slash.
fn key_of(key: &ObjectKey) -> String {
    format!("{}/{}", key.namespace, key.name)
}

impl Intake for ObjectIntake {
    type Object = RawObject;

    fn kind_name(&self) -> String {
        self.report.reads().kind.to_string()
    }

    fn list_begins(&mut self) {
        self.known.list_begins();
    }

    fn list_ends(&mut self, version: ResourceVersion) {
        for gone in self.known.list_ends() {
            send(&self.events, Event::ObjectRemoved(gone.key.clone()), version);
        }
        self.report.listed(version);
    }

    fn set(&mut self, raw: RawObject) {
        let mut notes = Notes::default();
        let object = Arc::new(self.reader.read(&raw, &mut notes));
        if !notes.is_empty() {
            warn!(object = %object.key, reason = %notes, "plugins see the object without its fields");
        }
        let before = self.known.set(&key_of(&object.key), Arc::clone(&object));
        if before.is_none_or(|known| known != object) {
            send(&self.events, Event::ObjectSet(object), cluster_event::parse(raw.resource_version()));
        }
    }

    fn removed(&mut self, object: &RawObject) {
        if let Some(known) = self.known.remove(&key_of(&self.reader.key(object))) {
            let version = cluster_event::parse(object.resource_version());
            send(&self.events, Event::ObjectRemoved(known.key.clone()), version);
        }
    }

    fn not_listed(&mut self, error: &ListError) {
        self.report.not_listed(error);
    }
}

#[cfg(test)]
#[path = "kinds_test.rs"]
mod tests;
