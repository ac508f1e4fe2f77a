//! Plays the steps of a capture back.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use berth_capture::{
    CaptureReader, CaptureWriter, EventToWrite, Header, PolicyRecord, RecordedCheckpoint, ReplayedExtenders, Step,
    StepEvent, StepToWrite,
};
use berth_core::decision::DecisionOptions;
use berth_core::limits::Limits;
use berth_core::profile_spec::ProfileSpec;
use berth_core::queue::{Backoff, QueueOptions};
use berth_core::{Core, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{ComponentSet, Delivery, Guests};

use crate::error::ReplayError;
use crate::outcome::{Difference, Outcome, first_difference, is_same};
use crate::plugins::RecordedPlugins;
use crate::steps::Steps;

/// The number of events after which plugins receive the changes of the cluster, so that no plugin falls behind the
/// change log.
pub(crate) const EVENTS_PER_UPDATE: u64 = 256;

/// The factor for the CPU time that a call may take. A failure is repeated only if it was recorded, so a replay on a
/// slower machine needs room.
const PATIENCE: u32 = 20;

/// Options of a replay. They change no action.
#[derive(Clone, Copy, Debug)]
pub struct ReplayOptions {
    /// The size of the result cache: see [`Options::result_cache_bytes`].
    pub result_cache_bytes: usize,
    /// The bounds of the decision records. Default: no records.
    pub decisions: DecisionOptions,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        let Options { result_cache_bytes, decisions, .. } = Options::default();
        Self { result_cache_bytes, decisions: DecisionOptions { bytes: 0, ..decisions } }
    }
}

/// A capture that is being played back.
pub struct Replay<R: Read> {
    steps: Steps<R>,
    engine: Engine,
    inbox: Receiver<Delivery>,
    plugins: RecordedPlugins,
    extenders: ReplayedExtenders,
    outcome: Outcome,
    /// The time and the plugins of the checkpoint that the capture begins with.
    beginning: Option<(Timestamp, PolicyRecord)>,
    /// The next step, if it is read already.
    next: Option<Step>,
    /// Receives each step with the actions of the replay.
    copy: Option<CaptureWriter<Box<dyn Write + Send>>>,
}

/// Returns the limits of a replay: those of the capture, with more time.
#[must_use]
pub fn patient(limits: &Limits) -> Limits {
    let longer = |duration: Duration| duration.saturating_mul(PATIENCE);
    Limits {
        call: longer(limits.call),
        apply: longer(limits.apply),
        startup: longer(limits.startup),
        wall: longer(limits.wall),
        of_plugins: limits.of_plugins.iter().map(|(name, own)| (name.clone(), Arc::new(patient(own)))).collect(),
        ..limits.clone()
    }
}

/// Returns the options of a core that behaves as the recorded one.
pub(crate) fn options(header: &Header) -> Options {
    let backoff = Backoff {
        initial: Duration::from_millis(header.pod_initial_backoff_millis),
        max: Duration::from_millis(header.pod_max_backoff_millis),
    };
    Options {
        seed: header.seed,
        queue: QueueOptions { backoff, flush_after: Duration::from_millis(header.flush_after_millis) },
        verify_every: header.verify_every,
        ..Options::default()
    }
}

/// Makes an engine that continues from a checkpoint.
fn restore(
    options: Options,
    recorded: RecordedCheckpoint,
    mut guests: Guests,
    plugins: &mut RecordedPlugins,
) -> Result<Engine, ReplayError> {
    let RecordedCheckpoint { policy, checkpoint, .. } = recorded;
    let cache = checkpoint.cache()?;
    let profiles = match plugins.prepare(&policy, &mut |_| cache.frozen(cache.log().end()))? {
        Some(prepared) => guests.swap(prepared, &cache).ok_or(ReplayError::NotFilled)?,
        None => Vec::new(),
    };
    Ok(Engine::restored(Core::restore(options, checkpoint, profiles)?, guests))
}

impl<R: Read> Replay<R> {
    /// Prepares a replay with these components, which must contain all that served when the capture was made. Restores the
    /// checkpoint, if the capture begins with one.
    ///
    /// # Errors
    /// The system refuses a thread, the capture can't be read, or a recorded plugin is not here.
    pub fn new(
        reader: CaptureReader<R>,
        components: Arc<ComponentSet>,
        replay_options: ReplayOptions,
    ) -> Result<Self, ReplayError> {
        let mut steps = Steps::new(reader);
        let (sender, inbox) = channel();
        let outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let limits = Arc::clone(components.limits());
        let guests = Guests::new(Arc::clone(&limits), outbox)?;
        let extenders = ReplayedExtenders::new(steps.header().extenders.clone());
        let ReplayOptions { result_cache_bytes, decisions } = replay_options;
        let options = Options { result_cache_bytes, decisions, ..options(steps.header()) };
        let checkpoint = steps.checkpoint()?;
        let mut plugins = RecordedPlugins::new(components);
        let beginning = checkpoint.as_ref().map(|recorded| (recorded.at, recorded.policy.clone()));
        let engine = match checkpoint {
            Some(checkpoint) => restore(options, checkpoint, guests, &mut plugins)?,
            None => Engine::new(options, guests),
        };
        let outcome = Outcome { other_versions: plugins.others.clone(), ..Outcome::default() };
        Ok(Self { steps, engine, inbox, plugins, extenders, outcome, beginning, next: None, copy: None })
    }

    /// Plays the next step back. Returns false after the last step.
    ///
    /// # Errors
    /// The capture can't be read, or a recorded plugin is not here.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        let next = match self.next.take() {
            Some(step) => Some(step),
            None => self.steps.next_step()?,
        };
        let Some(step) = next else {
            self.outcome.lost_steps = self.steps.end().map_or(0, |end| end.lost);
            let copy = self.copy.take().map(|copy| copy.end(self.outcome.lost_steps)).transpose();
            copy.map_err(ReplayError::Copy)?;
            return Ok(false);
        };
        self.play(step)?;
        if self.outcome.steps.is_multiple_of(EVENTS_PER_UPDATE) {
            self.engine.update_plugins(self.outcome.ended.unwrap_or_default());
        }
        Ok(true)
    }

    /// Plays back the steps up to this time, those at this time included. Returns false if there is no later step.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn play_until(&mut self, until: Timestamp) -> Result<bool, ReplayError> {
        loop {
            if self.peek()?.is_some_and(|step| step.at > until) {
                return Ok(true);
            }
            if !self.step()? {
                return Ok(false);
            }
        }
    }

    /// Returns the step that [`Replay::step`] plays back next; `None` after the last one.
    ///
    /// # Errors
    /// The capture can't be read.
    pub fn peek(&mut self) -> Result<Option<&Step>, ReplayError> {
        if self.next.is_none() {
            self.next = self.steps.next_step()?;
        }
        Ok(self.next.as_ref())
    }

    /// Returns the components and the profiles that serve after the last step.
    #[must_use]
    pub fn serving(&self) -> Option<(&Arc<ComponentSet>, &[ProfileSpec])> {
        self.plugins.serving()
    }

    /// Returns the time of the checkpoint or of the first step; `None` for a capture without steps.
    ///
    /// # Errors
    /// The capture can't be read.
    pub fn beginning(&mut self) -> Result<Option<Timestamp>, ReplayError> {
        if self.outcome.began.is_none() {
            self.peek()?;
        }
        let checkpoint = self.beginning.as_ref().map(|(at, _)| *at);
        Ok(checkpoint.or(self.outcome.began).or(self.next.as_ref().map(|step| step.at)))
    }

    /// Writes a capture of the replay: the same steps, with the actions of the replay. Call this before the first step.
    ///
    /// # Errors
    /// The header can't be written.
    pub fn copy_to(&mut self, out: Box<dyn Write + Send>) -> Result<(), ReplayError> {
        let mut copy = CaptureWriter::new(out, self.steps.header()).map_err(ReplayError::Copy)?;
        if let Some((at, policy)) = &self.beginning {
            let checkpoint = self.engine.core().checkpoint().into_checkpoint();
            copy.checkpoint(*at, &checkpoint, policy).map_err(ReplayError::Copy)?;
        }
        self.copy = Some(copy);
        Ok(())
    }

    /// Returns what the replay found so far.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the core after the last step.
    #[must_use]
    pub fn core(&self) -> &Core {
        self.engine.core()
    }

    /// Returns the header of the capture.
    #[must_use]
    pub fn header(&self) -> &Header {
        self.steps.header()
    }

    fn play(&mut self, step: Step) -> Result<(), ReplayError> {
        let Step { at, version, event, extenders, failed_calls, actions } = step;
        let copied = self.copy.is_some().then(|| (event.clone(), extenders.clone(), failed_calls.clone()));
        let event = match event {
            StepEvent::Event(event) => event,
            StepEvent::Policy(policy) => self.exchange(&policy, at)?,
        };
        let outcome = &mut self.outcome;
        outcome.steps += 1;
        outcome.cycles += u64::from(matches!(event, Event::Cycle));
        outcome.began.get_or_insert(at);
        outcome.ended = Some(at);
        let description = describe(&event);
        self.accept_rebuilt(at);
        self.extenders.set_answers(extenders);
        self.engine.repeat_failures(failed_calls);
        let replayed = self.engine.step(event, at, &mut self.extenders, &mut ());
        if let (Some(copy), Some((event, extenders, failed_calls))) = (&mut self.copy, copied) {
            let event = match event {
                StepEvent::Policy(policy) => EventToWrite::Policy(policy),
                StepEvent::Event(event) => EventToWrite::Event(event),
            };
            let step = StepToWrite { at, version, event, extenders, failed_calls, actions: replayed.clone() };
            copy.step(&step).map_err(ReplayError::Copy)?;
        }
        self.outcome.actions += replayed.len() as u64;
        if !is_same(actions.as_deref(), &replayed) {
            self.outcome.differing_steps += 1;
            let number = self.outcome.steps;
            self.outcome.first_difference.get_or_insert_with(|| {
                let (action, recorded, replayed) = first_difference(actions.as_deref(), &replayed);
                Difference { step: number, at, event: description, action, recorded, replayed }
            });
        }
        Ok(())
    }

    /// Prepares the recorded plugins, and returns the event that brings them into service.
    fn exchange(&mut self, policy: &PolicyRecord, now: Timestamp) -> Result<Event, ReplayError> {
        let cache = self.engine.core().cache();
        let prepared = self.plugins.prepare(policy, &mut |_| cache.frozen(cache.log().end()))?;
        self.outcome.other_versions.clone_from(&self.plugins.others);
        let Some(prepared) = prepared else {
            return Ok(Event::PluginsSwapped(self.engine.core().profiles().to_vec()));
        };
        self.engine.accept(Delivery::Swap(prepared), now).ok_or(ReplayError::NotFilled)
    }

    /// Installs instances that were rebuilt.
    fn accept_rebuilt(&mut self, now: Timestamp) {
        while let Ok(delivery) = self.inbox.try_recv() {
            // The recovery of a plugin is an event of the capture, if there was one.
            let _ = self.engine.accept(delivery, now);
        }
    }
}

/// Returns a short description of an event.
fn describe(event: &Event) -> String {
    match event {
        Event::NodeSet(node) => format!("the node {} was added or changed", node.name),
        Event::NodeRemoved(name) => format!("the node {name} was deleted"),
        Event::PodSet(pod) => format!("the pod {} was added or changed", pod.key),
        Event::PodRemoved(key) => format!("the pod {key} was deleted"),
        Event::ObjectsWanted(_) => "plugins want to read further objects".to_owned(),
        Event::ObjectSet(object) => format!("{} was added or changed", object.key),
        Event::ObjectRemoved(key) => format!("{key} was deleted"),
        Event::ObjectsListed(reads) => format!("{} was listed", reads.kind),
        Event::ObjectsRefused(kind, _) => format!("{kind} can't be listed"),
        Event::WatchStopped(kind) => format!("the watch of {kind} has stopped"),
        Event::Bound(key) => format!("the pod {key} was bound"),
        Event::BindFailed(key, _) => format!("the binding of the pod {key} failed"),
        Event::IntentsExecuted(key, _) => format!("the changes for the pod {key} are done"),
        Event::IntentsFailed(key, ..) => format!("the changes for the pod {key} failed"),
        Event::EvictionFailed(key) => format!("the pod {key} could not be evicted"),
        Event::PluginsSwapped(_) => "plugins were exchanged".to_owned(),
        Event::PluginRecovered(name) => format!("the plugin {name} works again"),
        Event::Tick => "time passed".to_owned(),
        Event::Cycle => "a scheduling cycle".to_owned(),
    }
}
