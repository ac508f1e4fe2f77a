//! Records the steps of the scheduling thread.

use berth_capture::record::Source;
use berth_capture::{EventToWrite, ExtenderAnswer, Header, PolicyRecord, RecordedProfile, Recorder, StepToWrite};
use berth_config::Configuration;
use berth_core::plugins::FailedCall;
use berth_core::profile::Profile;
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Core, Event, Timestamp};

/// Records each step.
pub struct Capture {
    recorder: Recorder,
    /// The profiles of the set of plugins that was delivered last.
    specs: Vec<ProfileSpec>,
    /// The profiles that serve.
    served: Vec<ProfileSpec>,
}

impl Capture {
    pub fn new(recorder: Recorder) -> Self {
        Self { recorder, specs: Vec::new(), served: Vec::new() }
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
        event: EventToWrite,
        extenders: Vec<ExtenderAnswer>,
        failed_calls: Vec<FailedCall>,
        actions: &[Action],
    ) {
        self.recorder.record(StepToWrite { at, event, extenders, failed_calls, actions: actions.to_vec() });
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
