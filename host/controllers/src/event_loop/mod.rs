//! The event loop: one task that owns the cluster state, runs the controllers, and sends their writes.
//!
//! All events arrive on channels, so the cluster state needs no lock. The response to a write is stored before the
//! task can run again, so no controller decides on a state older than its own writes.

mod changes;
mod writes;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use berth_clock::Clock;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::cluster::Cluster;
use super::controller::{self, Task};
use super::kinds::{self, Kind, Kinds};
use super::kubelet::Kubelet;
use super::leases::{self, NodeChange};
use super::options::Options;
use super::queue::{Queue, RunResult};
use super::store::{self, Store};
use super::watch::{Sender, Watch};
use super::write::Write;
use writes::{Running, WriteResult};

/// The maximum number of events that are read before the controllers run.
const BATCH: usize = 512;
/// The delay before the next discovery, after a failure or a change of a CustomResourceDefinition.
const DISCOVERY_PAUSE: Duration = Duration::from_millis(500);

/// The state of the event loop.
pub struct EventLoop {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    kinds: Arc<Kinds>,
    cluster: Cluster,
    options: Options,
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

/// Runs the kubelets and controllers until `shutdown` completes.
pub async fn run(store: Arc<dyn Store>, options: Options, shutdown: impl Future) -> Result<(), store::Error> {
    let (sender, mut events) = mpsc::channel(4 * BATCH);
    let (leases, node_changes) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let clock = options.clock.clone();
    tasks.spawn(leases::run(store.clone(), clock.clone(), options.lease_rate, node_changes));
    let mut event_loop = EventLoop::new(store, options, sender, leases);
    // The first discovery must succeed, because it shows whether the API server is reachable.
    let found = event_loop.store.discover().await?;
    event_loop.take_kinds(found);
    let mut shutdown = pin!(shutdown);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        event_loop.run_tasks();
        let wake = event_loop.wake();
        let timer = clock.sleep_until(wake.unwrap_or_else(|| clock.instant()));
        // In a fixed order, so that a simulation gives the same result again.
        tokio::select! {
            biased;
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
    fn new(store: Arc<dyn Store>, options: Options, sender: Sender, leases: mpsc::UnboundedSender<NodeChange>) -> Self {
        EventLoop {
            store,
            clock: options.clock.clone(),
            kinds: Arc::default(),
            cluster: Cluster::default(),
            kubelet: Kubelet::new(&options, options.clock.timestamp()),
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
            options,
        }
    }

    /// Runs the queued tasks and sends their writes, up to the limit of concurrent requests.
    fn run_tasks(&mut self) {
        // Wait until every typed kind has been listed once. Otherwise, objects that were not listed yet would be
        // treated as deleted.
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
        let plan = controller::plan(&task, &self.cluster, &self.kinds, &self.kubelet, started.timestamp);
        let ended_at = self.clock.instant();
        let spent = ended_at - started.instant;
        let result =
            RunResult { failed: false, spent, rerun_at: plan.rerun_after.map(|after| started.instant + after) };
        if plan.writes.is_empty() {
            return self.queue.done(task, result, ended_at);
        }
        self.running.insert(task.clone(), Running { left: plan.writes.len(), result });
        self.waiting.extend(plan.writes.into_iter().map(|write| (task.clone(), write)));
    }

    /// Returns the time of the next timer of the queue or the next discovery; `None` if there is neither.
    fn wake(&self) -> Option<Instant> {
        [self.queue.next_wake(), self.discover_at].into_iter().flatten().min()
    }
}
