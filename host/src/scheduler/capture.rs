//! Records the steps of the scheduling thread.

use std::sync::Arc;

use berth_apimachinery::all_fields;
use berth_capture::record::Source;
use berth_capture::{EventToWrite, ExtenderAnswer, Header, PolicyRecord, RecordedProfile, Recorder, StepToWrite};
use berth_config::Configuration;
use berth_core::model::{ObjectKind, ObjectReads};
use berth_core::plugins::FailedCall;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Core, Event, Timestamp};
use berth_kube::ResourceVersion;

/// Records each step.
pub struct Capture {
    recorder: Recorder,
    /// The profiles of the set of plugins that was delivered last.
    specs: Vec<ProfileSpec>,
    /// The profiles that serve.
    served: Vec<ProfileSpec>,
    /// Whether all fields are recorded, instead of those that plugins read.
    all_fields: bool,
    /// Whether the numbers of changes are recorded: see [`berth_capture::record::StepRecord::version`].
    versions: bool,
}

impl Capture {
    pub fn new(recorder: Recorder, source: Source, all_fields: bool) -> Self {
        let versions = source == Source::Cluster;
        Self { recorder, specs: Vec::new(), served: Vec::new(), all_fields, versions }
    }

    /// Returns what the informers must read before the first event, in addition to what plugins read.
    pub fn first_event(&self) -> Option<Event> {
        let kinds = [ObjectKind::pod(), ObjectKind::node()].map(Arc::new);
        let reads = kinds.map(|kind| ObjectReads { kind, ..ObjectReads::default() });
        self.all_fields.then(|| self.with_all_fields(Event::ObjectsWanted(reads.to_vec())))
    }

    /// Returns the event, with all fields if plugins want to read objects and all fields are recorded.
    pub fn with_all_fields(&self, event: Event) -> Event {
        match event {
            Event::ObjectsWanted(mut wanted) if self.all_fields => {
                wanted.iter_mut().for_each(|reads| reads.fields.extend(all_fields(&reads.kind)));
                Event::ObjectsWanted(wanted)
            }
            event => event,
        }
    }

    /// Remembers the profiles of a delivered set of plugins. If the set is installed, [`Event::PluginsSwapped`] follows.
    pub fn delivered(&mut self, specs: &[ProfileSpec]) {
        self.specs = specs.to_vec();
    }

    /// Returns the event as the capture holds it. Call this before the step, which consumes the event.
    pub fn event(&mut self, event: &Event) -> EventToWrite {
        match event {
            Event::PluginsSwapped(profiles) => {
                self.served.clone_from(&self.specs);
                EventToWrite::Policy(policy(&self.served, profiles))
            }
            event => EventToWrite::Event(event.clone()),
        }
    }

    /// Begins the next file of the capture if it is due. Call this between two steps.
    pub fn begin_if_due(&self, at: Timestamp, core: &Core) {
        if self.recorder.wants_checkpoint() {
            self.recorder.begin(at, core.checkpoint(), policy(&self.served, core.profiles()));
        }
    }

    /// Records a step.
    pub fn record(
        &self,
        at: Timestamp,
        version: ResourceVersion,
        event: EventToWrite,
        extenders: Vec<ExtenderAnswer>,
        failed_calls: Vec<FailedCall>,
        actions: &[Action],
    ) {
        let version = version.filter(|_| self.versions);
        let actions = actions.to_vec();
        self.recorder.record(StepToWrite { at, version, event, extenders, failed_calls, actions });
    }
}

/// Returns the record of these profiles.
pub fn policy(specs: &[ProfileSpec], profiles: &[Profile]) -> PolicyRecord {
    let profiles = specs
        .iter()
        .zip(profiles)
        .map(|(spec, profile)| RecordedProfile { spec: spec.clone(), plugins: profile.components.clone() });
    PolicyRecord { profiles: profiles.collect() }
}

/// Returns the header of a capture with these options.
pub fn header(
    options: &berth_core::Options,
    source: Source,
    configuration: &Configuration,
    extenders: &dyn berth_core::extenders::Extenders,
) -> Header {
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    // Directories are of no use on another machine, and can name people.
    let berth = berth_config::v1alpha1::BerthConfiguration {
        plugin_directory: None,
        cache_directory: None,
        ..configuration.berth.clone()
    };
    Header {
        version: berth_capture::record::VERSION,
        berth: env!("CARGO_PKG_VERSION").to_owned(),
        source,
        seed: options.seed,
        pod_initial_backoff_millis: millis(options.queue.backoff.initial),
        pod_max_backoff_millis: millis(options.queue.backoff.max),
        flush_after_millis: millis(options.queue.flush_after),
        verify_every: options.verify_every,
        // A BerthConfiguration has no maps with keys that JSON can't have.
        configuration: serde_json::to_value(berth).unwrap_or_default(),
        extenders: extenders.list().to_vec(),
    }
}
