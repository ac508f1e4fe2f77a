//! The engine alone: the core with the default components and without an API server, for benchmarks and for tests
//! of its cost.

mod counted;
mod objects;
mod preemption;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_config::v1alpha1::BerthConfiguration;
use berth_core::extenders::NoExtenders;
use berth_core::limits::Limits;
use berth_core::model::{Pod, PodKey};
use berth_core::{Action, Core, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{Delivery, Guests, Loader, LoaderOptions, Outbox};
use serde_json::Value;

pub use self::counted::CallCounts;
use self::counted::Counted;
pub use self::preemption::{AttemptCounts, PreemptionRun};
pub use self::workload::{WORKLOADS, Workload, WorkloadRun};

/// The time of all events. Nothing in these tests waits for time to pass.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// The maximum time until the components are compiled and filled.
const PATIENCE: Duration = Duration::from_secs(600);

/// Options for loading and measuring the components.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The limits of the components.
    pub limits: Limits,
    /// A directory with additional components, which is watched.
    pub plugins_dir: Option<PathBuf>,
    /// The directory for compiled code. If unset, the user's default cache.
    pub cache_dir: Option<PathBuf>,
    /// Turns the result cache off: every pod is decided like the first of its template.
    pub without_result_cache: bool,
    /// The size of the result cache in bytes. If unset, the scheduler's default.
    pub result_cache_bytes: Option<usize>,
    /// The number of cycles per comparison of cached results with fresh answers, as in [`Options::verify_every`]. With
    /// 0, no calls are made for comparisons, so that calls can be counted.
    pub verify_every: u64,
    /// Measures the time that each component takes.
    pub measures_time: bool,
    /// Counts the instructions that each component executes, and the bytes into it and out of it.
    pub counts_instructions: bool,
}

/// The result of an attempt to schedule a pod.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// The pod is to be bound to this node.
    Scheduled(PodKey, Box<str>),
    /// No node fits.
    Failed {
        /// The pod.
        pod: PodKey,
        /// The message of the event `FailedScheduling`.
        message: Arc<str>,
        /// The nominated node; empty for none.
        nominated: Box<str>,
        /// The pods to evict.
        evicted: Vec<PodKey>,
    },
}

/// The memory of all components.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryUse {
    /// The bytes of linear memory of all instances.
    pub all: u64,
    /// The bytes of linear memory of the largest instance.
    pub most: u64,
}

/// An engine that knows a cluster, with the default profile's components.
pub struct DefaultEngine {
    engine: Engine,
    loader: Loader,
    inbox: Receiver<Delivery>,
    reader: EventReader,
    /// The calls from the core since the last [`DefaultEngine::take_calls`].
    calls: CallCounts,
    times: bool,
}

impl DefaultEngine {
    /// Tells a new core about the nodes and pods of `cluster`, and fills the components with them and with the
    /// objects of the `further` kinds.
    ///
    /// # Errors
    /// Returns an error if an object can't be read or a component can't be loaded.
    pub fn start(cluster: impl IntoIterator<Item = Value>, further: &[Value], setup: Setup) -> Result<Self> {
        let (sender, inbox) = channel();
        let outbox: Outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let limits = Arc::new(setup.limits);
        let guests = Guests::new(Arc::clone(&limits), Arc::clone(&outbox))?;
        let mut options = Options { verify_every: setup.verify_every, ..Options::default() };
        if let Some(bytes) = setup.result_cache_bytes {
            options.result_cache_bytes = bytes;
        }
        if setup.without_result_cache {
            options.result_cache_bytes = 0;
        }
        let mut engine = Engine::new(options, guests);
        let reader = EventReader::default();
        for object in cluster {
            if let Some(event) = reader.set(&object, &mut Notes::default())? {
                engine.step(event, NOW, &mut NoExtenders, &mut ());
            }
        }
        let profile = berth_config::default_profile("default-scheduler");
        let options = LoaderOptions {
            plugins_dir: setup.plugins_dir,
            cache_dir: setup.cache_dir,
            limits,
            counts_work: setup.counts_instructions,
            built_in: berth::default_plugins().to_vec(),
            grants: berth::grant_policy(&BerthConfiguration::default())?,
            ..LoaderOptions::default()
        };
        let loader = Loader::start(options, vec![profile], outbox)?;
        let mut this = Self { engine, loader, inbox, reader, calls: CallCounts::default(), times: setup.measures_time };
        loop {
            let delivery = this.inbox.recv_timeout(PATIENCE).context("the components did not come")?;
            match this.engine.accept(delivery, NOW) {
                Some(swapped @ Event::PluginsSwapped(_)) => {
                    this.step(swapped);
                    // The loader reports the status of the components only after the swap.
                    tokio::runtime::Builder::new_current_thread().build()?.block_on(this.loader.ready())?;
                    return Ok(this);
                }
                Some(wanted) => this.list(wanted, further)?,
                None => {}
            }
        }
    }

    /// Lists the objects of the kinds that the components read beyond nodes and pods.
    fn list(&mut self, wanted: Event, objects: &[Value]) -> Result<()> {
        for action in self.step(wanted) {
            let Action::Watch(reads) = action else { continue };
            self.reader.watch(&reads);
            let of_kind =
                |object: &&Value| object["kind"] == *reads.kind.kind && object["apiVersion"] == *reads.kind.api_version;
            for object in objects.iter().filter(of_kind) {
                if let Some(event) = self.reader.set(object, &mut Notes::default())? {
                    self.step(event);
                }
            }
            self.step(Event::ObjectsListed(reads));
        }
        self.engine.update_plugins(NOW);
        Ok(())
    }

    /// Tells the core about an object that was added or changed.
    ///
    /// # Errors
    /// Returns an error if the object can't be read.
    pub fn set_object(&mut self, object: &Value) -> Result<()> {
        if let Some(event) = self.reader.set(object, &mut Notes::default())? {
            self.step(event);
        }
        Ok(())
    }

    /// Tells the core that an object was removed.
    ///
    /// # Errors
    /// Returns an error if the object can't be read.
    pub fn remove_object(&mut self, object: &Value) -> Result<()> {
        if let Some(event) = self.reader.removed(object)? {
            self.step(event);
        }
        Ok(())
    }

    /// Returns the core, for a look at what it holds.
    #[must_use]
    pub fn core(&self) -> &Core {
        self.engine.core()
    }

    /// Reads a pod, for [`DefaultEngine::enqueue`].
    ///
    /// # Errors
    /// Returns an error if the pod can't be read.
    pub fn read(object: &Value) -> Result<Arc<Pod>> {
        Ok(Arc::new(EventReader::default().pod(object, &mut Notes::default())?))
    }

    /// Adds a pod to the queue.
    pub fn enqueue(&mut self, pod: Arc<Pod>) {
        self.step(Event::PodSet(pod));
    }

    /// Runs one scheduling cycle. Returns the pod that was placed, and its node.
    ///
    /// # Errors
    /// Returns an error if the pod was not placed, or no pod is waiting.
    pub fn decide(&mut self) -> Result<(PodKey, Box<str>)> {
        match self.attempt()? {
            Attempt::Scheduled(pod, node) => Ok((pod, node)),
            Attempt::Failed { pod, message, .. } => bail!("{pod}: {message}"),
        }
    }

    /// Runs one scheduling cycle. Returns the result of the cycle.
    ///
    /// # Errors
    /// Returns an error if no pod is waiting.
    pub fn attempt(&mut self) -> Result<Attempt> {
        ensure!(self.engine.core().has_work(), "no pod waits");
        let (mut nominated, mut evicted) = (Box::default(), Vec::new());
        for action in self.step(Event::Cycle) {
            match action {
                Action::Bind { pod, node } => return Ok(Attempt::Scheduled(pod, node)),
                Action::Nominate { node, .. } => nominated = node,
                Action::Evict { pod, .. } => evicted.push(pod),
                Action::Emit(event) if event.reason == "FailedScheduling" => {
                    return Ok(Attempt::Failed { pod: event.pod, message: event.note, nominated, evicted });
                }
                _ => {}
            }
        }
        bail!("a cycle ended without a binding")
    }

    /// Returns true if a pod is waiting to be scheduled.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.engine.core().has_work()
    }

    /// Returns a pod from the core's cache.
    #[must_use]
    pub fn cached_pod(&self, pod: &PodKey) -> Option<Arc<Pod>> {
        self.engine.core().cache().pod_by_uid(&pod.uid).map(|known| Arc::clone(&known.pod))
    }

    /// Tells the core what the API server reports for a placed pod: the binding succeeded, and then the bound pod
    /// from the informer.
    pub fn bind(&mut self, pod: &Pod, node: &str) {
        self.step(Event::Bound(pod.key.clone()));
        let bound = Pod { node_name: node.into(), ..pod.clone() };
        self.step(Event::PodSet(Arc::new(bound)));
    }

    /// Tells the core that the pod was removed.
    pub fn remove(&mut self, pod: &Pod) {
        self.step(Event::PodRemoved(pod.key.clone()));
    }

    /// Returns the next delivery from the threads that load components, or waits for one up to this time. A
    /// delivery asks for a copy of the cluster, or brings a rebuilt instance or other components.
    #[must_use]
    pub fn next_delivery(&self, within: Duration) -> Option<Delivery> {
        self.inbox.recv_timeout(within).ok()
    }

    /// Accepts a delivery, as the core's thread does between two cycles. Returns true if the delivery exchanged the
    /// components.
    pub fn take(&mut self, delivery: Delivery) -> bool {
        let event = self.engine.accept(delivery, NOW);
        let exchanged = matches!(event, Some(Event::PluginsSwapped(_)));
        event.into_iter().for_each(|event| drop(self.step(event)));
        exchanged
    }

    /// Accepts all deliveries that are ready.
    pub fn take_deliveries(&mut self) {
        while let Some(delivery) = self.next_delivery(Duration::ZERO) {
            self.take(delivery);
        }
    }

    /// Returns the memory that the components hold now.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        let of_each = self.loader.status().into_iter().map(|line| line.usage.memory);
        of_each
            .fold(MemoryUse::default(), |held, bytes| MemoryUse { all: held.all + bytes, most: held.most.max(bytes) })
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let mut counted = Counted { calls: &mut self.calls, times: self.times };
        self.engine.step(event, NOW, &mut NoExtenders, &mut counted)
    }

    /// Returns what the core has asked since the last call, with all calls into components and their cost,
    /// including the calls that bring components up to date.
    pub fn take_calls(&mut self) -> CallCounts {
        let mut calls = std::mem::take(&mut self.calls);
        let now = self.loader.status().into_iter().map(|line| (line.name, line.usage)).collect();
        calls.count_up_to(now, &mut self.calls);
        calls
    }
}
