//! Berth's side of the comparison: the core with the default plugins and a port.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_core::extenders::NoExtenders;
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_core::model::{ObjectReads, Pod};
use berth_core::profile::Profile;
use berth_core::queue::{QueuedPod, SubQueue};
use berth_core::{Action, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{BuiltIn, ComponentSet, Delivery, Guests, LoaderOptions};
use serde_json::Value;

use crate::calls::{Calls, name};

/// The time at which a case begins: 2026-01-01T00:00:00Z.
pub const START: Timestamp = Timestamp(1_767_225_600_000);

/// The default plugins and a port, compiled once.
pub struct Port {
    set: ComponentSet,
    plugin: &'static str,
}

/// A core with a cluster.
pub struct Berth {
    engine: Engine,
    reader: EventReader,
    plugin: &'static str,
    now: Timestamp,
}

/// What a step did.
#[derive(Default)]
pub struct Effects {
    /// The pods to bind, each with its node.
    pub bound: BTreeMap<String, String>,
    /// The pods with an event FailedScheduling, each with the event's note.
    pub failed: BTreeMap<String, String>,
    /// The nominated nodes by pod. Empty where a nomination is cleared.
    pub nominated: BTreeMap<String, String>,
    /// The names of the pods to evict.
    pub evicted: Vec<String>,
    /// The calls of the port.
    pub calls: Calls,
}

impl Port {
    /// Loads the default plugins and the component of the port.
    ///
    /// # Errors
    /// Returns an error if the component can't be read or is not a plugin.
    pub fn load(plugin: &'static str, component: &Path) -> Result<Self> {
        let bytes = std::fs::read(component)
            .with_context(|| format!("{} can't be read: build it with scripts/guests", component.display()))?;
        let mut built_in = berth::default_plugins().to_vec();
        built_in.push(BuiltIn { file: "port.wasm", bytes: bytes.leak() });
        let options = LoaderOptions { built_in, grants: GrantPolicy::Everything, ..LoaderOptions::default() };
        Ok(Self { set: ComponentSet::load(&options)?, plugin })
    }

    /// Returns a core with an empty cluster and this KubeSchedulerConfiguration.
    ///
    /// # Errors
    /// Returns an error if the configuration is wrong.
    pub fn start(&self, configuration: &Value) -> Result<Berth> {
        let specs = berth_config::parse(&configuration.to_string(), "configuration")?.profiles;
        let guests = Guests::new(Arc::new(Limits::default()), Arc::new(|_| true))?;
        // Without the result cache, the port is called for each pod, so that its answers can be compared.
        let options = Options { result_cache_bytes: 0, ..Options::default() };
        let engine = Engine::new(options, guests);
        let set = self.set.set(specs)?;
        let mut berth = Berth { engine, reader: EventReader::default(), plugin: self.plugin, now: START };
        let plugins = || set.profiles().iter().flat_map(Profile::plugins);
        let reads: Vec<ObjectReads> = plugins().flat_map(|plugin| plugin.declaration.objects.clone()).collect();
        for action in berth.actions(Event::ObjectsWanted(reads), &mut Calls::new(self.plugin)) {
            if let Action::Watch(reads) = action {
                berth.reader.watch(&reads);
                berth.step(Event::ObjectsListed(reads))?;
            }
        }
        let swapped = berth.engine.accept(Delivery::Swap(set), START).context("the plugins were not accepted")?;
        berth.step(swapped)?;
        Ok(berth)
    }
}

impl Berth {
    /// Returns the time of the next step.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Sets the time of the next step.
    pub fn set_now(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Adds or changes an object.
    ///
    /// # Errors
    /// Returns an error if the object can't be read, or a call of the port fails.
    pub fn set(&mut self, object: &Value) -> Result<Effects> {
        let event = self.reader.set(object, &mut Notes::default())?;
        event.map_or_else(|| Ok(Effects::default()), |event| self.step(event))
    }

    /// Removes an object.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn remove(&mut self, object: &Value) -> Result<Effects> {
        let event = self.reader.removed(object)?;
        event.map_or_else(|| Ok(Effects::default()), |event| self.step(event))
    }

    /// Handles one event.
    ///
    /// # Errors
    /// Returns an error if a call of the port fails.
    pub fn step(&mut self, event: Event) -> Result<Effects> {
        let mut effects = Effects { calls: Calls::new(self.plugin), ..Effects::default() };
        for action in self.actions(event, &mut effects.calls) {
            match action {
                Action::Bind { pod, node } => drop(effects.bound.insert(name(&pod), node.into())),
                Action::Emit(event) if event.reason == "FailedScheduling" => {
                    effects.failed.insert(name(&event.pod), event.note.to_string());
                }
                Action::Nominate { pod, node } => drop(effects.nominated.insert(name(&pod), node.into())),
                Action::Evict { pod, .. } => effects.evicted.push(pod.name.into()),
                _ => {}
            }
        }
        let errors = &effects.calls.errors;
        ensure!(errors.is_empty(), "calls of the port failed: {errors:?}");
        Ok(effects)
    }

    fn actions(&mut self, event: Event, calls: &mut Calls) -> Vec<Action> {
        self.engine.step(event, self.now, &mut NoExtenders, calls)
    }

    /// Returns the message of a pod that no node fits, as it is before the post-filters; `None` if the pod fits.
    ///
    /// # Errors
    /// Returns an error if the pod has no profile.
    pub fn message(&mut self, pod: &Arc<Pod>) -> Result<Option<String>> {
        let outcome = self.engine.explain(pod, self.now, &mut NoExtenders, &mut Silent);
        Ok(outcome.context("the pod has no profile")?.err().map(|failure| failure.to_string()))
    }

    /// Returns whether a scheduling cycle would take a pod from the queue.
    pub fn has_work(&self) -> bool {
        self.engine.core().has_work()
    }

    /// Returns the time of the next timeout up to `end`.
    pub fn next_timeout(&self, end: Timestamp) -> Option<Timestamp> {
        self.engine.core().next_wakeup().filter(|at| *at <= end).map(|at| at.max(self.now))
    }

    /// Returns the pods in the queue by `namespace/name`, with their sub-queues.
    pub fn queue(&self) -> BTreeMap<String, (SubQueue, QueuedPod)> {
        let pods = self.engine.core().queue().pods();
        pods.map(|(sub_queue, entry)| (name(&entry.pod.key), (sub_queue, entry.clone()))).collect()
    }

    /// Returns the node of a pod that has one, or that waits for its binding.
    pub fn node_of(&self, uid: &str) -> Option<String> {
        Some(self.engine.core().cache().pod_by_uid(uid)?.pod.node_name.to_string())
    }
}

/// Reads a pod.
///
/// # Errors
/// Returns an error if the pod can't be read.
pub fn read_pod(object: &Value) -> Result<Arc<Pod>> {
    Ok(Arc::new(EventReader::default().pod(object, &mut Notes::default())?))
}

/// Observes no answers.
struct Silent;

impl berth_core::cycle::AnswerObserver for Silent {
    fn answered(&mut self, _: &berth_core::profile::ProfilePlugin, _: berth_core::cycle::PluginAnswer<'_>) {}
}
