//! Captures that a test writes event by event.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use berth_apimachinery::objects::{EventReader, Notes};
use berth_capture::record::Source;
use berth_capture::{CaptureWriter, EventToWrite, Header, PolicyRecord, RecordedProfile, StepToWrite};
use berth_core::model::{ObjectReads, Pod, PodKey};
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Event, Timestamp};
use berth_plugin_host::ComponentSet;
use serde_json::Value;

/// The time of the first event: 2026-01-01T00:00:00Z.
pub const BEGIN: Timestamp = Timestamp(1_767_225_600_000);

/// Returns the default plugins, compiled once.
///
/// # Errors
/// The default plugins can't be compiled.
pub fn default_plugins() -> Result<Arc<ComponentSet>> {
    static COMPONENTS: OnceLock<Arc<ComponentSet>> = OnceLock::new();
    if let Some(components) = COMPONENTS.get() {
        return Ok(Arc::clone(components));
    }
    let berth = berth_config::v1alpha1::BerthConfiguration::default();
    let options = berth::loader_options(&berth, None, Arc::new(berth.limits()))?;
    let components = Arc::new(ComponentSet::load(&options)?);
    Ok(Arc::clone(COMPONENTS.get_or_init(|| components)))
}

/// Returns the profile of a scheduler without a configuration.
#[must_use]
pub fn default_profiles() -> Vec<ProfileSpec> {
    berth_config::Configuration::default_profile(None).profiles
}

/// Returns the kinds that the default plugins read, each with all fields.
///
/// # Errors
/// The plugins can't serve.
pub fn default_reads() -> Result<Vec<ObjectReads>> {
    let mut wanted: Vec<ObjectReads> = Vec::new();
    for reads in berth_analysis::wanted(&*default_plugins()?, default_profiles())? {
        match wanted.iter_mut().find(|known| known.kind == reads.kind) {
            Some(known) => known.fields.extend(reads.fields),
            None => wanted.push(reads),
        }
    }
    Ok(wanted)
}

/// A capture in memory.
pub struct Recording {
    writer: CaptureWriter<Vec<u8>>,
    reader: EventReader,
    at: Timestamp,
}

impl Recording {
    /// Begins a capture at [`BEGIN`].
    ///
    /// # Errors
    /// None in practice: the capture is written to memory.
    pub fn new(source: Source) -> Result<Self> {
        let header = Header {
            version: berth_capture::record::VERSION,
            source,
            pod_initial_backoff_millis: 1000,
            pod_max_backoff_millis: 10_000,
            flush_after_millis: 300_000,
            configuration: serde_json::json!({"apiVersion": "berth.dev/v1alpha1", "kind": "BerthConfiguration"}),
            ..Header::default()
        };
        let writer = CaptureWriter::new(Vec::new(), &header)?;
        Ok(Self { writer, reader: EventReader::default(), at: BEGIN })
    }

    /// Sets the time of the next events, in seconds after [`BEGIN`].
    pub fn at(&mut self, seconds: u64) -> &mut Self {
        self.at = Timestamp(BEGIN.0 + seconds * 1000);
        self
    }

    /// Adds an event without actions.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn event(&mut self, event: Event) -> Result<&mut Self> {
        self.event_with(event, Vec::new())
    }

    /// Adds a scheduling cycle with these actions.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn cycle(&mut self, actions: Vec<Action>) -> Result<&mut Self> {
        self.event_with(Event::Cycle, actions)
    }

    /// Adds an event with the actions of the scheduler.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn event_with(&mut self, event: Event, actions: Vec<Action>) -> Result<&mut Self> {
        self.step(EventToWrite::Event(event), actions)
    }

    fn step(&mut self, event: EventToWrite, actions: Vec<Action>) -> Result<&mut Self> {
        let (extenders, failed_calls) = (Vec::new(), Vec::new());
        self.writer.step(&StepToWrite { at: self.at, version: None, event, extenders, failed_calls, actions })?;
        Ok(self)
    }

    /// Adds or changes a node or a pod. A pod without a uid gets its name as uid.
    ///
    /// # Errors
    /// The object is invalid.
    pub fn set(&mut self, object: &Value) -> Result<&mut Self> {
        let event = self.read(object)?;
        self.event(event)
    }

    /// Returns the event for a node or a pod, as [`Self::set`] adds it.
    ///
    /// # Errors
    /// The object is invalid.
    pub fn read(&self, object: &Value) -> Result<Event> {
        let mut object = object.clone();
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = object["metadata"]["name"].clone();
        }
        let event = self.reader.set(&object, &mut Notes::default())?;
        event.with_context(|| format!("nobody reads {object}"))
    }

    /// Changes a pod.
    ///
    /// # Errors
    /// The object is invalid.
    pub fn pod(&mut self, object: &Value, change: impl FnOnce(&mut Pod)) -> Result<&mut Self> {
        let mut object = object.clone();
        object["metadata"]["uid"] = object["metadata"]["name"].clone();
        let mut pod = self.reader.pod(&object, &mut Notes::default())?;
        change(&mut pod);
        self.event(Event::PodSet(Arc::new(pod)))
    }

    /// Deletes a pod.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn delete_pod(&mut self, name: &str) -> Result<&mut Self> {
        self.event(Event::PodRemoved(key(name)))
    }

    /// Says that all objects are listed that the default plugins read, and that the default profile serves.
    ///
    /// # Errors
    /// The plugins can't serve.
    pub fn default_policy(&mut self) -> Result<&mut Self> {
        for reads in default_reads()? {
            self.event(Event::ObjectsListed(reads))?;
        }
        self.default_policy_with(Vec::new())
    }

    /// Says that the default profile serves, with the actions of the scheduler.
    ///
    /// # Errors
    /// The plugins can't serve.
    pub fn default_policy_with(&mut self, actions: Vec<Action>) -> Result<&mut Self> {
        let specs = default_profiles();
        let set = default_plugins()?.set(specs.clone())?;
        let plugins = |at: usize| set.profiles()[at].components.clone();
        let profiles = specs.into_iter().enumerate().map(|(at, spec)| RecordedProfile { spec, plugins: plugins(at) });
        let policy = PolicyRecord { profiles: profiles.collect() };
        self.step(EventToWrite::Policy(policy), actions)
    }

    /// Returns the bytes of the capture.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn end(self) -> Result<Vec<u8>> {
        Ok(self.writer.end(0)?)
    }

    /// Writes the capture to a file.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write(self, path: &Path) -> Result<()> {
        Ok(std::fs::write(path, self.end()?)?)
    }
}

/// Returns the key of a pod in the namespace of the tests, with its name as uid.
#[must_use]
pub fn key(name: &str) -> PodKey {
    PodKey { namespace: crate::objects::NAMESPACE.into(), name: name.into(), uid: name.into() }
}
