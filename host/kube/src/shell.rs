//! Owns the connection to the API server: starts the informers and executes the core's actions.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::kube::Client;
use berth_clock::Clock;
use berth_core::Action;
use berth_core::action::PodEvent;
use berth_core::model::{ObjectKind, PodKey};
use futures::future::{join, join3};
use k8s_openapi::api::core::v1 as k8s;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tracing::warn;

use super::binder::{Binder, By};
use super::cluster_event::ClusterEvent;
use super::events::Recorder;
use super::evictor::Evictor;
use super::informer::{self, Selection};
use super::intake::{NodeIntake, PodIntake, UNFINISHED};
use super::intent_executor::{IntentClients, IntentExecutor};
use super::kinds::{Kinds, Order};
use super::known::{KnownNodes, KnownPods};
use super::leader_client::LeaderClient;
use super::lease::LeaseTerm;
use super::list::Collection;
use super::named_fields::{self, Named};
use super::patcher::Patcher;
use super::resources::Resources;
use super::status::{StatusChange, StatusWriter, Unscheduled};
use super::waiter::Waiter;
use crate::extender::Extenders;
use berth_apimachinery::objects::{NodeParts, PodParts};
use berth_supervisor::Supervisor;

/// Options of the connection to the API server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the machine or pod. The name distinguishes the instances of one scheduler in Kubernetes Events.
    pub host: String,
    /// The limit of concurrent bindings and, separately, of concurrent writes for intents. Each takes a connection.
    pub binds_at_once: u32,
    /// The limit of concurrent writes, separately for events, status patches and evictions of preemption.
    pub writes_at_once: u32,
    /// The number of objects per page of a list.
    pub page_size: u32,
    /// The time for which this process holds the Lease. The default has no end, for a scheduler without leader
    /// election.
    pub term: LeaseTerm,
    /// The extenders. The informers store full objects for extenders, and extenders may bind pods.
    pub extenders: Arc<Extenders>,
    /// Supervises the tasks.
    pub supervisor: Supervisor,
    /// The clock of the timestamps in Events and conditions. Time limits of requests use real time, because they concern
    /// the network.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: super::host::name(),
            binds_at_once: 64,
            writes_at_once: 16,
            page_size: 500,
            term: LeaseTerm::default(),
            extenders: Arc::default(),
            supervisor: Supervisor::default(),
            clock: berth_clock::real(),
        }
    }
}

/// The connection between a core and an API server. The shell sends events to the core and executes the core's actions.
/// Dropping the shell aborts the work in progress, except intents that undo a cancelled step. [`Shell::shutdown`] first
/// waits for bindings, status patches and events.
pub struct Shell {
    runtime: Handle,
    binder: Arc<Binder>,
    bindings: Mutex<JoinSet<()>>,
    status: Arc<StatusWriter>,
    recorder: Arc<Recorder>,
    evictor: Arc<Evictor>,
    intent_executor: IntentExecutor,
    supervisor: Supervisor,
    /// The tasks of [`Action::Evict`] and [`Action::Change`].
    writes: Mutex<JoinSet<()>>,
    informers: JoinSet<()>,
    kinds: Kinds,
    _workers: JoinSet<()>,
    synced: Option<[oneshot::Receiver<()>; 2]>,
}

/// Work that was unfinished when the shell ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// Bindings whose outcome is unknown.
    pub bindings: usize,
    /// Changes of a pod's status (condition or nomination) that were not written.
    pub conditions: usize,
    /// Events that were not written.
    pub events: usize,
}

impl Shell {
    /// Starts the informers on the current tokio runtime.
    ///
    /// # Panics
    /// If called outside a tokio runtime.
    #[must_use]
    pub fn start(client: &Client, options: &Options, events: UnboundedSender<ClusterEvent>) -> Self {
        let known = Arc::new(KnownPods::default());
        let clock = || Arc::clone(&options.clock);
        let leader = LeaderClient::new(client.clone(), options.term.clone());
        let status = Arc::new(StatusWriter::new(leader.clone(), Arc::clone(&known), clock()));
        let recorder = Arc::new(Recorder::new(client.clone(), Arc::clone(&known), &options.host, clock()));
        let evictor = Arc::new(Evictor::new(leader.clone(), events.clone(), options.writes_at_once, clock()));
        let extenders = Arc::clone(&options.extenders);
        let binder = Binder::new(leader.clone(), Arc::clone(&status), events.clone(), options.binds_at_once, extenders);
        let resources = Arc::new(Resources::new(client.clone()));
        let patcher = Arc::new(Patcher::new(leader, Arc::clone(&resources)));
        let supervisor = options.supervisor.clone();
        let intent_executor = IntentExecutor::new(IntentClients {
            patcher,
            evictor: Arc::clone(&evictor),
            waiter: Waiter::new(client.clone(), resources, supervisor.clone()),
            events: events.clone(),
            writes: Semaphore::new(options.binds_at_once.max(1) as usize),
            supervisor: supervisor.clone(),
        });
        let workers = start_workers(options, &status, &recorder);
        let selection = Selection {
            fields: None,
            page_size: options.page_size,
            patience: informer::PATIENCE,
            silence: informer::SILENCE,
        };
        let extenders = Arc::clone(&options.extenders);
        let Informers { tasks: informers, orders, synced } = match extenders.full_objects().is_wanted() {
            true => start_informers::<true>(client, selection, known, extenders, &events, &supervisor),
            false => start_informers::<false>(client, selection, known, extenders, &events, &supervisor),
        };
        let kinds = Kinds::new(client.clone(), selection, events, supervisor.clone(), orders);
        let runtime = Handle::current();
        let (binder, bindings) = (Arc::new(binder), Mutex::default());
        Self {
            runtime,
            binder,
            bindings,
            status,
            recorder,
            evictor,
            intent_executor,
            supervisor,
            writes: Mutex::default(),
            informers,
            kinds,
            _workers: workers,
            synced: Some(synced),
        }
    }

    /// Waits until the first lists of pods and nodes are in the events' channel. Schedule no pod earlier, because the
    /// core may not know all pods of a node yet.
    pub fn synced(&mut self) -> impl Future<Output = ()> + Send + use<> {
        let synced = self.synced.take();
        async move {
            if let Some([pods, nodes]) = synced {
                // An informer ends only with the shell, so an error means that the result is no longer needed.
                let _ = join(pods, nodes).await;
            }
        }
    }

    /// Executes actions without waiting for the results. A nomination becomes one patch with the next condition in
    /// `actions` if both are of the same pod and no other nomination is between them. May be called from any thread.
    pub fn perform_all(&self, actions: Vec<Action>) {
        let mut nominated: Option<(PodKey, Box<str>)> = None;
        for action in actions {
            match action {
                Action::Nominate { pod, node } => {
                    let before = nominated.replace((pod, node));
                    before.into_iter().for_each(|(pod, node)| self.perform(Action::Nominate { pod, node }));
                }
                Action::SetUnscheduled { pod, reason, message } => {
                    let nominated = nominated.take_if(|(nominated, _)| *nominated == pod).map(|(_, node)| node);
                    let unscheduled = Some(Unscheduled { reason, message });
                    self.status.set(StatusChange { pod, unscheduled, nominated });
                }
                other => self.perform(other),
            }
        }
        nominated.into_iter().for_each(|(pod, node)| self.perform(Action::Nominate { pod, node }));
    }

    /// Executes one action without waiting for it.
    pub fn perform(&self, action: Action) {
        match action {
            Action::Bind { pod, node } => self.bind(pod, node, By::Server),
            Action::BindByExtender { extender, pod, node } => self.bind(pod, node, By::Extender(extender)),
            Action::ExecuteIntents { pod, step, intents } => self.intent_executor.execute(pod, step, intents),
            Action::CancelIntents { pod, step, undo } => self.intent_executor.stop(pod, step, undo),
            Action::Emit(event) => self.recorder.emit(event),
            Action::SetUnscheduled { pod, reason, message } => {
                self.status.set(StatusChange {
                    pod,
                    unscheduled: Some(Unscheduled { reason, message }),
                    nominated: None,
                });
            }
            Action::Watch(reads) => self.kinds.watch(reads),
            Action::StopWatching(kind) => self.kinds.stop(&kind),
            Action::Nominate { pod, node } => {
                self.status.set(StatusChange { pod, unscheduled: None, nominated: Some(node) });
            }
            Action::Evict { pod, reason, note, scheduler_name } => {
                let (kind, action) = ("Normal", "Preempting");
                self.recorder.emit(PodEvent {
                    pod: pod.clone(),
                    scheduler_name,
                    kind,
                    reason: "Preempted",
                    action,
                    note,
                });
                self.spawn_write(Arc::clone(&self.evictor).evict(pod, reason));
            }
            Action::Change(intents) => self.spawn_write(self.intent_executor.change(intents)),
            Action::Warn { plugin, message } => warn!(%plugin, reason = %message, "problem with a plugin"),
        }
    }

    fn bind(&self, pod: PodKey, node: Box<str>, by: By) {
        let mut bindings = self.bindings.lock().unwrap_or_else(PoisonError::into_inner);
        while bindings.try_join_next().is_some() {}
        let bound = Binder::bind(Arc::clone(&self.binder), pod, node, by);
        bindings.spawn_on(self.supervisor.finite("a binding", bound), &self.runtime);
    }

    fn spawn_write(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn_on(self.supervisor.finite("an eviction", task), &self.runtime);
    }

    /// Fails each [`Action::ExecuteIntents`] that is in progress or comes later. Called when the scheduler ends.
    pub fn end_waits(&self) {
        self.intent_executor.end();
    }

    /// Returns the number of Kubernetes Events that were dropped: the queue was full, or the write failed.
    #[must_use]
    pub fn events_dropped(&self) -> u64 {
        self.recorder.dropped()
    }

    /// Stops the informers of pods and nodes and waits for bindings, status patches and events, at most `within`. Then
    /// drops the shell, which aborts most other work. Returns the work that did not end in time.
    pub async fn shutdown(mut self, within: Duration) -> Undone {
        self.informers.abort_all();
        let drained = join3(self.binder.idle(), self.status.idle(), self.recorder.flush());
        let in_time = tokio::time::timeout(within, drained).await.is_ok();
        match in_time {
            true => Undone::default(),
            false => {
                Undone { bindings: self.binder.open(), conditions: self.status.open(), events: self.recorder.open() }
            }
        }
    }
}

fn start_workers(options: &Options, status: &Arc<StatusWriter>, recorder: &Arc<Recorder>) -> JoinSet<()> {
    let supervisor = &options.supervisor;
    let mut workers = JoinSet::new();
    for _ in 0..options.writes_at_once.max(1) {
        let (status, events) = (Arc::clone(status), Arc::clone(recorder));
        workers.spawn(supervisor.endless("a writer of conditions", async move { status.work().await }));
        workers.spawn(supervisor.endless("a writer of events", async move { events.work().await }));
    }
    let events = Arc::clone(recorder);
    workers.spawn(supervisor.endless("the review of event series", async move { events.review().await }));
    workers
}

/// The informers of pods and nodes.
struct Informers {
    tasks: JoinSet<()>,
    /// The channels for orders to the informers.
    orders: [(ObjectKind, UnboundedSender<Order>); 2],
    /// Completed by the first list of pods and the first list of nodes.
    synced: [oneshot::Receiver<()>; 2],
}

fn start_informers<const KEEP_JSON: bool>(
    client: &Client,
    selection: Selection,
    known: Arc<KnownPods>,
    extenders: Arc<Extenders>,
    events: &UnboundedSender<ClusterEvent>,
    supervisor: &Supervisor,
) -> Informers {
    let (pods_synced, pods_sync) = oneshot::channel();
    let (nodes_synced, nodes_sync) = oneshot::channel();
    let [(pod_orders, pods_ordered), (node_orders, nodes_ordered)] = [unbounded_channel(), unbounded_channel()];
    let named = |kind| Named::new(kind, events.clone());
    let nodes = NodeIntake::<KEEP_JSON> {
        extenders: Arc::clone(&extenders),
        known: KnownNodes::default(),
        parts: NodeParts::default(),
        named: named(ObjectKind::node()),
        events: events.clone(),
    };
    let pods = PodIntake::<KEEP_JSON> {
        extenders,
        known,
        parts: PodParts::default(),
        named: named(ObjectKind::pod()),
        events: events.clone(),
    };
    // Sending fails only if the receiver was dropped, because no caller waits for the sync.
    let report = |synced: oneshot::Sender<()>| move || synced.send(()).unwrap_or_default();
    let all_nodes = Collection::of::<k8s::Node>(client.clone(), &());
    let all_pods = Collection::of::<k8s::Pod>(client.clone(), &());
    let unfinished = Selection { fields: Some(UNFINISHED), ..selection };
    let mut tasks = JoinSet::new();
    let pods = named_fields::run(all_pods, unfinished, pods, pods_ordered, report(pods_synced));
    let nodes = named_fields::run(all_nodes, selection, nodes, nodes_ordered, report(nodes_synced));
    tasks.spawn(supervisor.endless("the informer of pods", pods));
    tasks.spawn(supervisor.endless("the informer of nodes", nodes));
    let orders = [(ObjectKind::pod(), pod_orders), (ObjectKind::node(), node_orders)];
    Informers { tasks, orders, synced: [pods_sync, nodes_sync] }
}
