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
use kube::Client;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::cluster::{Change, Cluster};
use super::discovery;
use super::hand::{self, Task};
use super::kinds::{self, Kind, Kinds, Object, Served};
use super::kubelet::Kubelet;
use super::leases::{self, NodeNews};
use super::metadata;
use super::options::Options;
use super::queue::{Ended, Queue};
use super::route::route;
use super::send::{Outcome, send};
use super::watch::{Seen, Sender, Watch};
use super::write::Write;

/// The maximum number of events that are read before the controllers run.
const BATCH: usize = 512;
/// The delay before the next discovery, after a failure or a change of a CustomResourceDefinition.
const DISCOVERY_PAUSE: Duration = Duration::from_millis(500);

/// The result of a write, with the task that requested it.
type Sent = (Task, Outcome);

/// The state of the event loop.
pub struct Shell {
    client: Client,
    clock: Arc<dyn Clock>,
    kinds: Arc<Kinds>,
    cluster: Cluster,
    kubelet: Kubelet,
    queue: Queue,
    watches: HashMap<Kind, Watch>,
    sender: Sender,
    leases: mpsc::UnboundedSender<NodeNews>,
    concurrency: usize,
    waiting: VecDeque<(Task, Write)>,
    sending: JoinSet<Sent>,
    running: HashMap<Task, Running>,
    /// True after every typed kind has been listed once.
    listed: bool,
    /// The time of the next discovery; `None` if no discovery is needed.
    discover_at: Option<Instant>,
}

/// A task whose writes are being sent.
struct Running {
    left: usize,
    ended: Ended,
}

/// Runs the kubelets and controllers until `shutdown` completes.
pub async fn run(client: Client, options: Options, shutdown: impl Future) -> kube::Result<()> {
    let (sender, mut seen) = mpsc::channel(4 * BATCH);
    let (leases, news) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    let clock = options.clock.clone();
    tasks.spawn(leases::run(client.clone(), clock.clone(), options.lease_rate, news));
    let mut shell = Shell::new(client, &options, sender, leases);
    // The first discovery must succeed, because it shows whether the API server is reachable.
    let found = discovery::discover(&shell.client).await?;
    shell.take_kinds(found);
    let mut shutdown = pin!(shutdown);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        shell.work();
        let wake = shell.wake();
        let timer = clock.sleep_until(wake.unwrap_or_else(|| clock.instant()));
        tokio::select! {
            _ = &mut shutdown => return Ok(()),
            Some(sent) = shell.sending.join_next() => shell.answered(sent),
            _ = seen.recv_many(&mut batch, BATCH) => batch.drain(..).for_each(|event| shell.see(event)),
            () = timer, if wake.is_some() => {}
        }
        if shell.discover_at.is_some_and(|at| at <= clock.instant()) {
            shell.rediscover().await;
        }
    }
}

impl Shell {
    fn new(client: Client, options: &Options, sender: Sender, leases: mpsc::UnboundedSender<NodeNews>) -> Self {
        Shell {
            client,
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
        match discovery::discover(&self.client).await {
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
                let watch = kinds::watch(kind, served, self.client.clone(), self.sender.clone());
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

    fn see(&mut self, seen: Seen) {
        let changes = match seen {
            Seen::Listing(kind) => {
                self.cluster.begin(kind);
                Vec::new()
            }
            Seen::Listed(kind) => self.cluster.finish(kind),
            Seen::Applied(object) => self.cluster.put(object),
            Seen::Deleted(object) => {
                let (kind, meta) = (object.kind(), object.meta());
                let change = self.cluster.remove(kind, &metadata::Key::of(meta), metadata::uid(meta));
                change.into_iter().collect()
            }
        };
        self.take_changes(changes);
    }

    fn take_changes(&mut self, changes: Vec<Change>) {
        let now = self.clock.instant();
        for change in changes {
            route(&self.cluster, &change, &mut |task| self.queue.add(task, now));
            match change.kind {
                Kind::Node => self.tell_leases(&change),
                Kind::Other(_) if self.kinds.get(change.kind).is_some_and(discovery::is_definition) => {
                    self.discover_at = Some(now + DISCOVERY_PAUSE);
                }
                _ => {}
            }
        }
    }

    /// Reports added and removed nodes to the lease task, whose receiver lives as long as the event loop.
    fn tell_leases(&self, change: &Change) {
        let after = self.cluster.object(change.kind, &change.key).map(Object::meta);
        let before = change.before.as_ref().map(Object::meta);
        let name = change.key.name().to_owned();
        let news = match (before, after) {
            (Some(before), Some(after)) if before.uid == after.uid => return,
            (_, Some(after)) => NodeNews::Came(name, metadata::uid(after).to_owned()),
            (_, None) => NodeNews::Went(name),
        };
        drop(self.leases.send(news));
    }

    /// Runs the queued tasks and sends their writes, up to the limit of concurrent requests.
    fn work(&mut self) {
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
            self.ask(task);
        }
    }

    fn ask(&mut self, task: Task) {
        let started = self.clock.now();
        let plan = hand::plan(&task, &self.cluster, &self.kubelet, started.timestamp);
        let ended_at = self.clock.instant();
        let spent = ended_at - started.instant;
        let ended = Ended { failed: false, spent, again: plan.again.map(|after| started.instant + after) };
        if plan.writes.is_empty() {
            return self.queue.done(task, ended, ended_at);
        }
        self.running.insert(task.clone(), Running { left: plan.writes.len(), ended });
        self.waiting.extend(plan.writes.into_iter().map(|write| (task.clone(), write)));
    }

    fn spawn(&mut self, task: Task, write: Write) {
        // After the failure of one write of a task, skip its other writes, which would probably fail too.
        if self.running.get(&task).is_some_and(|running| running.ended.failed) {
            return self.finished(task, false);
        }
        let (client, kinds) = (self.client.clone(), self.kinds.clone());
        self.sending.spawn(async move {
            let outcome = send(&client, &kinds, &write).await;
            if let Outcome::Failed(error) = &outcome {
                report(&task, &write, error);
            }
            (task, outcome)
        });
    }

    fn answered(&mut self, sent: Result<Sent, tokio::task::JoinError>) {
        // A spawned write neither panics nor is aborted while the event loop runs.
        let Ok((task, outcome)) = sent else { return };
        let failed = matches!(outcome, Outcome::Failed(_));
        let changes = match outcome {
            Outcome::Seen(object) => self.cluster.put(object),
            Outcome::Gone(kind, key, uid) => self.cluster.remove(kind, &key, &uid).into_iter().collect(),
            Outcome::Done | Outcome::Failed(_) => Vec::new(),
        };
        self.take_changes(changes);
        self.finished(task, failed);
    }

    fn finished(&mut self, task: Task, failed: bool) {
        let Some(running) = self.running.get_mut(&task) else { return };
        running.left -= 1;
        running.ended.failed |= failed;
        if running.left == 0 {
            let ended = running.ended;
            self.running.remove(&task);
            self.queue.done(task, ended, self.clock.instant());
        }
    }

    fn wake(&self) -> Option<Instant> {
        [self.queue.next_wake(), self.discover_at].into_iter().flatten().min()
    }
}

fn report(task: &Task, write: &Write, error: &super::send::Error) {
    let (hand, key, kind, error, race) = (task.hand, &task.key, write.kind, error.summary(), error.is_race());
    if race {
        tracing::trace!(?hand, %key, %kind, error, "the write comes again");
    } else {
        tracing::warn!(?hand, %key, %kind, error, "the write was refused and is tried again later");
    }
}
