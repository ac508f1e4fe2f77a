//! The engine alone: core and default components, without an API server, for benchmarks and for tests of what it costs.

mod counted;
mod objects;
mod workload;

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
pub use self::workload::{Scene, WORKLOADS, Workload};
use crate::reader::{Reader, pod};

/// The time of all steps; nothing waits for any.
const NOW: Timestamp = Timestamp(1_767_225_600_000);

/// How long the components may take to be compiled and filled.
const PATIENCE: Duration = Duration::from_secs(600);

/// A core that knows a cluster, with the default profile's components.
pub struct Engine {
    core: Core,
    guests: Guests,
    loader: Loader,
    inbox: Receiver<Delivery>,
    reader: Reader,
    /// What the core has asked, since they were taken last.
    questions: Questions,
}

impl Engine {
    /// Tells a new core of these objects, and has the components filled with them.
    ///
    /// # Errors
    /// An object can't be read, a component can't be had.
    pub fn start(objects: &[Value]) -> Result<Self> {
        let (sender, inbox) = channel();
        let outbox: Outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let mut guests = Guests::new(Arc::new(Limits::default()), Arc::clone(&outbox))?;
        let mut core = Core::new(Options { verify_every: 0, ..Options::default() });
        let mut reader = Reader::default();
        for event in objects.iter().filter_map(|object| reader.set(object).transpose()) {
            core.step(event?, NOW, &mut guests);
        }
        let profile = ProfileSpec::default_profile("default-scheduler");
        let loader = Loader::start(LoaderOptions::default(), vec![profile], outbox)?;
        loop {
            let delivery = inbox.recv_timeout(PATIENCE).context("the components did not come")?;
            match guests.accept(delivery, NOW, core.cache()) {
                Some(swapped @ Event::PluginsSwapped(_)) => {
                    core.step(swapped, NOW, &mut guests);
                    return Ok(Self { core, guests, loader, inbox, reader, questions: Questions::default() });
                }
                Some(wanted) => list(&mut core, &mut guests, &mut reader, wanted, objects)?,
                None => {}
            }
        }
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
        ensure!(self.core.has_work(), "no pod waits");
        let actions = self.step(Event::Cycle);
        for action in actions {
            match action {
                Action::Bind { pod, node } => return Ok((pod, node)),
                Action::Emit(event) if event.reason == "FailedScheduling" => bail!("{}: {}", event.pod, event.note),
                _ => {}
            }
        }
        bail!("a cycle ended without a binding")
    }

    /// What the API server says of a pod that was placed: its binding succeeded, and then the pod, as the informer has it.
    pub fn bind(&mut self, pod: &Pod, node: &str) {
        self.step(Event::Bound(pod.key.clone()));
        let bound = Pod { node_name: node.into(), ..pod.clone() };
        self.step(Event::PodSet(Arc::new(bound)));
        self.take_deliveries();
    }

    /// An instance may have been made anew meanwhile.
    fn take_deliveries(&mut self) {
        while let Ok(delivery) = self.inbox.try_recv() {
            if let Some(event) = self.guests.accept(delivery, NOW, self.core.cache()) {
                self.step(event);
            }
        }
    }

    fn step(&mut self, event: Event) -> Vec<Action> {
        let mut plugins = Counted { guests: &mut self.guests, questions: &mut self.questions };
        self.core.step(event, NOW, &mut plugins)
    }

    /// What the core has asked since this was called last, and all calls into the components that came of it, those that
    /// keep them up to date included.
    pub fn take_questions(&mut self) -> Questions {
        let mut questions = std::mem::take(&mut self.questions);
        let calls = self.loader.status().into_iter().map(|line| (line.name, line.usage.calls)).collect();
        questions.calls_since(calls, &mut self.questions);
        questions
    }
}

/// Lists what the components want to read beyond nodes and pods.
fn list(core: &mut Core, guests: &mut Guests, reader: &mut Reader, wanted: Event, objects: &[Value]) -> Result<()> {
    for action in core.step(wanted, NOW, guests) {
        let Action::Watch(reads) = action else { continue };
        reader.wants(&reads);
        let of_kind = objects
            .iter()
            .filter(|object| object["kind"] == *reads.kind.kind && object["apiVersion"] == *reads.kind.api_version);
        for object in of_kind {
            if let Some(event) = reader.set(object)? {
                core.step(event, NOW, guests);
            }
        }
        core.step(Event::ObjectsListed(reads), NOW, guests);
    }
    guests.tick(NOW, core.cache());
    Ok(())
}
