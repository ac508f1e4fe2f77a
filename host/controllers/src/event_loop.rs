//! The event loop: one task that owns the cluster state, runs the controllers, and sends their writes.
//!
//! All events arrive on channels, so the cluster state needs no lock. The response to a write is stored before the
//! task can run again, so no controller decides on a state older than its own writes.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use berth_clock::Clock;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::cluster::{Change, Cluster};
use super::controller::{self, Task};
use super::discovery;
use super::kinds::{self, Kind, Kinds, Object, Served};
use super::kubelet::Kubelet;
use super::leases::{self, NodeChange};
use super::metadata;
use super::options::Options;
use super::queue::{Queue, RunResult};
use super::route::route;
use super::send::{self, Outcome, send};
use super::store::{self, Store, WatchEvent};
use super::watch::{Sender, Watch};
use super::write::Write;

/// The maximum number of events that are read before the controllers run.
const BATCH: usize = 512;
/// The delay before the next discovery, after a failure or a change of a CustomResourceDefinition.
const DISCOVERY_PAUSE: Duration = Duration::from_millis(500);

/// The result of a write, with the task that requested it.
type WriteResult = (Task, Outcome);

/// The state of the event loop.
pub struct EventLoop {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    kinds: Arc<Kinds>,
    cluster: Cluster,
    kubelet: Kubelet,
    queue: Queue,
    watches: HashMap<Kind, Watch>,
    sender: Sender,
    leases: mpsc::UnboundedSender<NodeChange>,
    concurrency: usize,
    waiting: VecDeque<(Task, Write)>,
    sending: JoinSet<WriteResult>,
    running: HashMap<Task, Running>,
    /// True after every typed kind has been listed once.
    listed: bool,
    /// The time of the next discovery; `None` if no discovery is needed.
    discover_at: Option<Instant>,
}

/// A task whose writes are being sent.
struct Running {
    left: usize,
    result: RunResult,
}

/// Runs the kubelets and controllers until `shutdown` completes.
pub async fn run(store: Arc<dyn Store>, options: Options, shutdown: impl Future) -> Result<(), store::Error> {
    let (sender, mut events) = mpsc::channel(4 * BATCH);
    let (leases, node_changes) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let clock = options.clock.clone();
    tasks.spawn(leases::run(store.clone(), clock.clone(), options.lease_rate, node_changes));
    let mut event_loop = EventLoop::new(store, &options, sender, leases);
    // The first discovery must succeed, because it shows whether the API server is reachable.
    let found = event_loop.store.discover().await?;
    event_loop.take_kinds(found);
    let mut shutdown = pin!(shutdown);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        event_loop.run_tasks();
        let wake = event_loop.wake();
        let timer = clock.sleep_until(wake.unwrap_or_else(|| clock.instant()));
        tokio::select! {
            _ = &mut shutdown => return Ok(()),
            Some(result) = event_loop.sending.join_next() => event_loop.record(result),
            _ = events.recv_many(&mut batch, BATCH) => batch.drain(..).for_each(|event| event_loop.apply(event)),
            () = timer, if wake.is_some() => {}
        }
        if event_loop.discover_at.is_some_and(|at| at <= clock.instant()) {
            event_loop.rediscover().await;
        }
    }
}

impl EventLoop {
    fn new(
        store: Arc<dyn Store>,
        options: &Options,
        sender: Sender,
        leases: mpsc::UnboundedSender<NodeChange>,
    ) -> Self {
        EventLoop {
            store,
            clock: options.clock.clone(),
            kinds: Arc::default(),
            cluster: Cluster::default(),
            kubelet: Kubelet::new(options, options.clock.timestamp()),
            queue: Queue::default(),
            watches: HashMap::new(),
            sender,
            leases,
            concurrency: options.concurrency.max(1),
            waiting: VecDeque::new(),
            sending: JoinSet::new(),
            running: HashMap::new(),
            listed: false,
            discover_at: None,
        }
    }

    /// Runs discovery again. After a failure, the kinds stay as they are until the next attempt.
    async fn rediscover(&mut self) {
        match self.store.discover().await {
            Ok(found) => {
                self.discover_at = None;
                self.take_kinds(found);
            }
            Err(error) => {
                tracing::warn!(%error, "the API server's kinds can't be discovered; trying again");
                self.discover_at = Some(self.clock.instant() + DISCOVERY_PAUSE);
            }
        }
    }

    /// Opens watches for new kinds, and closes the watches of kinds that are no longer served.
    fn take_kinds(&mut self, found: Vec<Served>) {
        let mut kinds = (*self.kinds).clone();
        let (new, lost) = kinds.update(found);
        self.kinds = Arc::new(kinds);
        for kind in lost {
            self.watches.remove(&kind);
            let changes = self.cluster.set_unserved(kind);
            self.take_changes(changes);
        }
        for kind in new {
            if let Some(served) = self.kinds.get(kind).filter(|served| served.watched) {
                let watch = Watch::open(self.store.watch(kind, served), self.sender.clone());
                self.watches.insert(kind, watch);
            }
        }
        for (kind, _) in kinds::typed() {
            if self.kinds.get(kind).is_none() {
                let changes = self.cluster.set_unserved(kind);
                self.take_changes(changes);
            }
        }
    }

    /// Applies an event of a watch to the cluster state.
    fn apply(&mut self, event: WatchEvent) {
        let changes = match event {
            WatchEvent::ListStarted(kind) => {
                self.cluster.begin(kind);
                Vec::new()
            }
            WatchEvent::ListFinished(kind) => self.cluster.finish(kind),
            WatchEvent::Applied(object) => self.cluster.put(object),
            WatchEvent::Deleted(object) => {
                let (kind, meta) = (object.kind(), object.meta());
                let change = self.cluster.remove(kind, &metadata::Key::of(meta), metadata::uid(meta));
                change.into_iter().collect()
            }
        };
        self.take_changes(changes);
    }

    /// Queues the tasks that follow from changes of the cluster state.
    fn take_changes(&mut self, changes: Vec<Change>) {
        let now = self.clock.instant();
        for change in changes {
            route(&self.cluster, &change, &mut |task| self.queue.add(task, now));
            match change.kind {
                Kind::Node => self.report_node(&change),
                Kind::Other(_) if self.kinds.get(change.kind).is_some_and(discovery::is_definition) => {
                    self.discover_at = Some(now + DISCOVERY_PAUSE);
                }
                _ => {}
            }
        }
    }

    /// Reports added and removed nodes to the lease task, whose receiver lives as long as the event loop.
    fn report_node(&self, change: &Change) {
        let after = self.cluster.object(change.kind, &change.key).map(Object::meta);
        let before = change.before.as_ref().map(Object::meta);
        let name = change.key.name().to_owned();
        let node_change = match (before, after) {
            (Some(before), Some(after)) if before.uid == after.uid => return,
            (_, Some(after)) => NodeChange::Added(name, metadata::uid(after).to_owned()),
            (_, None) => NodeChange::Removed(name),
        };
        drop(self.leases.send(node_change));
    }

    /// Runs the queued tasks and sends their writes, up to the limit of concurrent requests.
    fn run_tasks(&mut self) {
        // Wait until every kind has been listed once. Otherwise, unknown objects would be treated as deleted.
        if !self.listed {
            self.listed = self.cluster.listed(kinds::typed().into_iter().map(|(kind, _)| kind));
            if !self.listed {
                return;
            }
        }
        loop {
            while self.sending.len() < self.concurrency
                && let Some((task, write)) = self.waiting.pop_front()
            {
                self.spawn(task, write);
            }
            if self.waiting.len() >= self.concurrency {
                return;
            }
            let Some(task) = self.queue.pop(self.clock.instant()) else { return };
            self.run(task);
        }
    }

    /// Runs a task, and queues its writes.
    fn run(&mut self, task: Task) {
        let started = self.clock.now();
        let plan = controller::plan(&task, &self.cluster, &self.kubelet, started.timestamp);
        let ended_at = self.clock.instant();
        let spent = ended_at - started.instant;
        let result = RunResult { failed: false, spent, again: plan.again.map(|after| started.instant + after) };
        if plan.writes.is_empty() {
            return self.queue.done(task, result, ended_at);
        }
        self.running.insert(task.clone(), Running { left: plan.writes.len(), result });
        self.waiting.extend(plan.writes.into_iter().map(|write| (task.clone(), write)));
    }

    fn spawn(&mut self, task: Task, write: Write) {
        // After the failure of one write of a task, skip its other writes, which would probably fail too.
        if self.running.get(&task).is_some_and(|running| running.result.failed) {
            return self.finished(task, false);
        }
        let (store, kinds) = (self.store.clone(), self.kinds.clone());
        self.sending.spawn(async move {
            let outcome = send(&*store, &kinds, &write).await;
            if let Outcome::Failed(error) = &outcome {
                report(&task, &write, error);
            }
            (task, outcome)
        });
    }

    /// Records the result of a write.
    fn record(&mut self, result: Result<WriteResult, tokio::task::JoinError>) {
        // A spawned write neither panics nor is aborted while the event loop runs.
        let Ok((task, outcome)) = result else { return };
        let failed = matches!(outcome, Outcome::Failed(_));
        let changes = match outcome {
            Outcome::Stored(object) => self.cluster.put(object),
            Outcome::Gone(kind, key, uid) => self.cluster.remove(kind, &key, &uid).into_iter().collect(),
            Outcome::Done | Outcome::Failed(_) => Vec::new(),
        };
        self.take_changes(changes);
        self.finished(task, failed);
    }

    fn finished(&mut self, task: Task, failed: bool) {
        let Some(running) = self.running.get_mut(&task) else { return };
        running.left -= 1;
        running.result.failed |= failed;
        if running.left == 0 {
            let result = running.result;
            self.running.remove(&task);
            self.queue.done(task, result, self.clock.instant());
        }
    }

    fn wake(&self) -> Option<Instant> {
        [self.queue.next_wake(), self.discover_at].into_iter().flatten().min()
    }
}

fn report(task: &Task, write: &Write, error: &send::Error) {
    let (controller, key, kind, race) = (task.controller, &task.key, write.kind, error.is_race());
    if race {
        tracing::trace!(?controller, %key, %kind, %error, "conflict with another writer; trying again");
    } else {
        tracing::warn!(?controller, %key, %kind, %error, "the write failed; trying again later");
    }
}
