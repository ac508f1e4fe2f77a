//! The engine alone: core and default components, without an API server, for benchmarks and for tests of what it costs.

mod counted;
mod crowd;
mod objects;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use berth::wasm::{Delivery, Guests, Limits, Loader, LoaderOptions, Outbox, ProfileSpec};
use berth_core::model::{Pod, PodKey};
use berth_core::{Action, Core, Event, Options, Timestamp};
use serde_json::Value;

use self::counted::Counted;
pub use self::counted::Questions;
pub use self::crowd::{Crowd, Tally};
pub use self::workload::{Scene, WORKLOADS, Workload};
use crate::reader::{Reader, pod};

/// The time of all steps; nothing waits for any.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// How long the components may take to be compiled and filled.
const PATIENCE: Duration = Duration::from_secs(600);

/// How the components are had.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// What they may take.
    pub limits: Limits,
    /// A directory of further components, watched.
    pub plugins_dir: Option<PathBuf>,
    /// Where compiled code is kept; the user's own folder, if not given.
    pub cache_dir: Option<PathBuf>,
    /// No answer is kept: every pod is decided as if none like it had come before.
    pub keeps_nothing: bool,
    /// Bytes of kept answers, where they are not to be as many as in a scheduler.
    pub kept_answers_bytes: Option<usize>,
    /// The number of cycles of which one compares kept answers with fresh ones, as in [`Options::verify_every`]. With 0 no call is
    /// made for a comparison, so that calls can be counted.
    pub verify_every: u64,
    /// How long each component takes is measured.
    pub times_questions: bool,
    /// The instructions that each component takes are counted, and the bytes that go into it and out of it.
    pub counts_work: bool,
}

/// What came of an attempt to place a pod.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// It is to be bound to this node.
    Placed(PodKey, Box<str>),
    /// It fits nowhere.
    Failed {
        /// The pod.
        pod: PodKey,
        /// Why.
        message: Arc<str>,
        /// The node on which room is made for it; empty for none.
        promised: Box<str>,
        /// Who has to go.
        evicted: Vec<PodKey>,
    },
}

/// What all components hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// Bytes of linear memory of all instances.
    pub all: u64,
    /// Of the largest of them.
    pub most: u64,
}

/// A core that knows a cluster, with the default profile's components.
pub struct Engine {
    core: Core,
    guests: Guests,
    loader: Loader,
    inbox: Receiver<Delivery>,
    reader: Reader,
    /// What the core has asked, since they were taken last.
    questions: Questions,
    times: bool,
}

impl Engine {
    /// Tells a new core of the `cluster`'s nodes and pods, and has the components filled with them and with what is listed of
    /// the `further` kinds.
    ///
    /// # Errors
    /// An object can't be read, a component can't be had.
    pub fn start(cluster: impl IntoIterator<Item = Value>, further: &[Value], setup: Setup) -> Result<Self> {
        let (sender, inbox) = channel();
        let outbox: Outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let limits = Arc::new(setup.limits);
        let mut guests = Guests::new(Arc::clone(&limits), Arc::clone(&outbox))?;
        let mut options = Options { verify_every: setup.verify_every, ..Options::default() };
        if let Some(bytes) = setup.kept_answers_bytes {
            options.kept_answers_bytes = bytes;
        }
        if setup.keeps_nothing {
            options.kept_answers_bytes = 0;
        }
        let mut core = Core::new(options);
        let reader = Reader::default();
        for object in cluster {
            if let Some(event) = reader.set(&object)? {
                core.step(event, NOW, &mut guests);
            }
        }
        let profile = ProfileSpec::default_profile("default-scheduler");
        let options = LoaderOptions {
            plugins_dir: setup.plugins_dir,
            cache_dir: setup.cache_dir,
            limits,
            counts_work: setup.counts_work,
            ..LoaderOptions::default()
        };
        let loader = Loader::start(options, vec![profile], outbox)?;
        let mut engine =
            Self { core, guests, loader, inbox, reader, questions: Questions::default(), times: setup.times_questions };
        loop {
            let delivery = engine.inbox.recv_timeout(PATIENCE).context("the components did not come")?;
            match engine.guests.accept(delivery, NOW, engine.core.cache()) {
                Some(swapped @ Event::PluginsSwapped(_)) => {
                    engine.step(swapped);
                    // Only then does the loader say how they fare.
                    tokio::runtime::Builder::new_current_thread().build()?.block_on(engine.loader.ready())?;
                    return Ok(engine);
                }
                Some(wanted) => engine.list(wanted, further)?,
                None => {}
            }
        }
    }

    /// Lists what the components want to read beyond nodes and pods.
    fn list(&mut self, wanted: Event, objects: &[Value]) -> Result<()> {
        for action in self.step(wanted) {
            let Action::Watch(reads) = action else { continue };
            self.reader.wants(&reads);
            let of_kind =
                |object: &&Value| object["kind"] == *reads.kind.kind && object["apiVersion"] == *reads.kind.api_version;
            for object in objects.iter().filter(of_kind) {
                if let Some(event) = self.reader.set(object)? {
                    self.step(event);
                }
            }
            self.step(Event::ObjectsListed(reads));
        }
        self.guests.tick(NOW, self.core.cache());
        Ok(())
    }

    /// Tells the core of an object: of a kind that plugins read.
    ///
    /// # Errors
    /// It can't be read.
    pub fn tell(&mut self, object: &Value) -> Result<()> {
        if let Some(event) = self.reader.set(object)? {
            self.step(event);
        }
        Ok(())
    }

    /// Tells the core that an object is gone.
    ///
    /// # Errors
    /// It can't be read.
    pub fn forget(&mut self, object: &Value) -> Result<()> {
        if let Some(event) = self.reader.removed(object)? {
            self.step(event);
        }
        Ok(())
    }

    /// The core, to look at what it holds.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// A pod that waits for a node, as [`Engine::tell`] takes it.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read(object: &Value) -> Result<Arc<Pod>> {
        Ok(Arc::new(pod(object)?))
    }

    /// Puts a pod into the queue.
    pub fn enqueue(&mut self, pod: Arc<Pod>) {
        self.step(Event::PodSet(pod));
    }

    /// One scheduling cycle: the pod that was placed, and its node.
    ///
    /// # Errors
    /// It was not placed, or there was none.
    pub fn decide(&mut self) -> Result<(PodKey, Box<str>)> {
        match self.attempt()? {
            Attempt::Placed(pod, node) => Ok((pod, node)),
            Attempt::Failed { pod, message, .. } => bail!("{pod}: {message}"),
        }
    }

    /// One scheduling cycle, and what came of it.
    ///
    /// # Errors
    /// No pod waits to be tried.
    pub fn attempt(&mut self) -> Result<Attempt> {
        ensure!(self.core.has_work(), "no pod waits");
        let (mut promised, mut evicted) = (Box::default(), Vec::new());
        for action in self.step(Event::Cycle) {
            match action {
                Action::Bind { pod, node } => return Ok(Attempt::Placed(pod, node)),
                Action::Nominate { node, .. } => promised = node,
                Action::Evict { pod, .. } => evicted.push(pod),
                Action::Emit(event) if event.reason == "FailedScheduling" => {
                    return Ok(Attempt::Failed { pod: event.pod, message: event.note, promised, evicted });
                }
                _ => {}
            }
        }
        bail!("a cycle ended without a binding")
    }

    /// Whether a pod waits to be tried.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.core.has_work()
    }

    /// A pod on a node, as the core knows it.
    #[must_use]
    pub fn resident(&self, pod: &PodKey) -> Option<Arc<Pod>> {
        self.core.cache().pod_by_uid(&pod.uid).map(|known| Arc::clone(&known.pod))
    }

    /// What the API server says of a pod that was placed: its binding succeeded, and then the pod, as the informer has it.
    pub fn bind(&mut self, pod: &Pod, node: &str) {
        self.step(Event::Bound(pod.key.clone()));
        let bound = Pod { node_name: node.into(), ..pod.clone() };
        self.step(Event::PodSet(Arc::new(bound)));
    }

    /// The pod ended, and is gone.
    pub fn remove(&mut self, pod: &Pod) {
        self.step(Event::PodRemoved(pod.key.clone()));
    }

    /// What another thread has ready for the core's, or has so within this time: a wish for a copy of the cluster, an instance
    /// that was made anew, other components.
    #[must_use]
    pub fn next_delivery(&self, within: Duration) -> Option<Delivery> {
        self.inbox.recv_timeout(within).ok()
    }

    /// Takes it, as the core's thread does between two cycles. Whether other components serve now.
    pub fn take(&mut self, delivery: Delivery) -> bool {
        let event = self.guests.accept(delivery, NOW, self.core.cache());
        let exchanged = matches!(event, Some(Event::PluginsSwapped(_)));
        event.into_iter().for_each(|event| drop(self.step(event)));
        exchanged
    }

    /// Takes all that is ready.
    pub fn take_deliveries(&mut self) {
        while let Some(delivery) = self.next_delivery(Duration::ZERO) {
            self.take(delivery);
        }
    }

    /// What the components hold now.
    #[must_use]
    pub fn held(&self) -> Held {
        let of_each = self.loader.status().into_iter().map(|line| line.usage.memory);
        of_each.fold(Held::default(), |held, bytes| Held { all: held.all + bytes, most: held.most.max(bytes) })
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let mut plugins = Counted { guests: &mut self.guests, questions: &mut self.questions, times: self.times };
        self.core.step(event, NOW, &mut plugins)
    }

    /// What the core has asked since this was called last, and all calls into the components that came of it, with what those
    /// cost; those that keep them up to date included.
    pub fn take_questions(&mut self) -> Questions {
        let mut questions = std::mem::take(&mut self.questions);
        let now = self.loader.status().into_iter().map(|line| (line.name, line.usage)).collect();
        questions.count_up_to(now, &mut self.questions);
        questions
    }
}
