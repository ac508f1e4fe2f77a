//! Finds the scheduling attempts of a pod while a capture is played back.

use std::collections::{BTreeSet, VecDeque};
use std::io::Read;
use std::sync::Arc;

use berth_apimachinery::nearest;
use berth_capture::{ExtenderAnswer, StepEvent};
use berth_core::checkpoint::CoreCopy;
use berth_core::model::Pod;
use berth_core::plugins::FailedCall;
use berth_core::profile::Profile;
use berth_core::{Core, Event, Timestamp};
use berth_plugin_host::LoadedComponent;

use super::attempt::RecordedAttempt;
use super::compare::compared;
use super::error::CallsError;
use super::report::{Calls, NotServed};
use crate::error::ReplayError;
use crate::play::{Replay, options};

/// The largest number of pod names that are kept, to suggest one for a mistyped name.
const NAMES: usize = 100_000;

/// The scheduling attempts of a pod for which a plugin served.
pub struct Attempts {
    namespace: String,
    name: String,
    plugin: Arc<str>,
    /// The largest number of attempts that are kept.
    most: usize,
    /// The last attempts, the oldest first, each with the state of the scheduler before it.
    kept: VecDeque<(RecordedAttempt, CoreCopy)>,
    /// The number of attempts that are not kept.
    earlier: u64,
    /// An attempt of the pod was found for which the plugin did not serve.
    without_plugin: bool,
    is_known: bool,
    /// Namespaces and names of pods.
    pods: BTreeSet<String>,
    /// The names of the plugins that served.
    served: BTreeSet<String>,
}

impl Attempts {
    /// Creates a list of the last `most` attempts of the pod with this namespace and name, for calls of this plugin.
    #[must_use]
    pub fn new(namespace: &str, name: &str, plugin: Arc<str>, most: usize) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            plugin,
            most,
            kept: VecDeque::new(),
            earlier: 0,
            without_plugin: false,
            is_known: false,
            pods: BTreeSet::new(),
            served: BTreeSet::new(),
        }
    }

    /// Plays a file of the capture back to its end, and notes the attempts. Call this for each file, oldest first.
    /// [`crate::ReplayOptions::decisions`] must not be empty, because the records have the messages of the attempts.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn play<R: Read>(&mut self, replay: &mut Replay<R>) -> Result<(), ReplayError> {
        let core = replay.core();
        let pending = core.queue().all().map(|entry| &entry.pod).chain(core.unclaimed_pods());
        for pod in pending.chain(core.cache().pods().map(|(_, cached)| &cached.pod)) {
            self.see(pod);
        }
        self.note_profiles(replay.core());
        while let Some(step) = replay.peek()? {
            let at = step.at;
            let (mut cycle, mut is_exchange) = (None, false);
            match &step.event {
                StepEvent::Policy(_) => is_exchange = true,
                StepEvent::Event(Event::PodSet(pod)) => self.see(pod),
                StepEvent::Event(Event::Cycle) => {
                    cycle = Some((step.failed_calls.clone(), step.extenders.clone()));
                }
                StepEvent::Event(_) => {}
            }
            let attempt = cycle.and_then(|(failed, extenders)| self.next_attempt(replay, at, failed, extenders));
            let attempt = attempt.map(|attempt| (attempt, replay.core().checkpoint()));
            replay.step()?;
            if is_exchange {
                self.note_profiles(replay.core());
            }
            if let Some((attempt, before)) = attempt {
                self.keep(attempt, before, replay.core());
            }
        }
        // The step after the last one ends the replay.
        replay.step().map(drop)
    }

    /// Compares the answers of the build that served with those of `local`. Returns the rows of at most `nodes` nodes for
    /// each attempt.
    ///
    /// # Errors
    /// The pod or the plugin is not in the capture, or a build can't be asked.
    pub fn compare(mut self, local: &Arc<LoadedComponent>, nodes: usize) -> Result<Calls, CallsError> {
        self.check()?;
        let kept = std::mem::take(&mut self.kept).into_iter();
        let attempts = kept.map(|(attempt, before)| compared(&attempt, before.into_checkpoint(), local, nodes));
        let attempts = attempts.collect::<Result<Vec<_>, _>>()?;
        let equal = attempts.iter().all(|attempt| attempt.different == 0);
        Ok(Calls { equal, earlier_attempts: self.earlier, attempts })
    }

    fn check(&self) -> Result<(), CallsError> {
        let pod = format!("{}/{}", self.namespace, self.name);
        if !self.is_known {
            let similar = nearest(&pod, self.pods.iter().map(String::as_str)).map(str::to_owned);
            return Err(CallsError::NoPod { pod, similar });
        }
        if !self.served.contains(&*self.plugin) || (self.kept.is_empty() && self.without_plugin) {
            let similar = nearest(&self.plugin, self.served.iter().map(String::as_str)).map(str::to_owned);
            let not_served = NotServed { served: self.served.iter().cloned().collect(), similar };
            return Err(CallsError::NotServed { plugin: self.plugin.to_string(), not_served });
        }
        if self.kept.is_empty() { Err(CallsError::NoAttempt(pod)) } else { Ok(()) }
    }

    fn is_the_pod(&self, pod: &Pod) -> bool {
        *pod.key.name == *self.name && *pod.key.namespace == *self.namespace
    }

    fn see(&mut self, pod: &Pod) {
        self.is_known |= self.is_the_pod(pod);
        if self.pods.len() < NAMES {
            self.pods.insert(format!("{}/{}", pod.key.namespace, pod.key.name));
        }
    }

    fn note_profiles(&mut self, core: &Core) {
        let plugins = core.profiles().iter().flat_map(Profile::plugins);
        self.served.extend(plugins.map(|plugin| plugin.declaration.name.to_string()));
    }

    /// Returns the attempt that the next scheduling cycle makes, if it is one of the pod and the plugin serves.
    fn next_attempt<R: Read>(
        &mut self,
        replay: &Replay<R>,
        at: Timestamp,
        failed_calls: Vec<FailedCall>,
        extender_answers: Vec<ExtenderAnswer>,
    ) -> Option<RecordedAttempt> {
        let core = replay.core();
        let (_, entry) = core.queue().in_order().next().filter(|_| core.has_work())?;
        if !self.is_the_pod(&entry.pod) {
            return None;
        }
        let scheduler = &entry.pod.spec.scheduler_name;
        let profile = core.profiles().iter().find(|profile| profile.scheduler_name == *scheduler)?;
        let (components, specs) = replay.serving()?;
        let spec = specs.iter().find(|spec| spec.scheduler_name == *scheduler)?;
        if !profile.plugins().any(|plugin| plugin.declaration.name == self.plugin) {
            self.without_plugin = true;
            return None;
        }
        let cache = core.cache();
        let is_of_the_plugin = |call: &FailedCall| call.error.plugin == self.plugin && call.pod == entry.pod.key.uid;
        let (failed_calls, other_failed_calls) = failed_calls.into_iter().partition(is_of_the_plugin);
        Some(RecordedAttempt {
            at,
            number: entry.attempts + 1,
            cycle: core.cycles() + 1,
            seed: replay.header().seed,
            pod: core.nominations().with_nomination(&entry.pod),
            cache: cache.frozen(cache.log().end()),
            options: options(replay.header()),
            specs: specs.to_vec(),
            extenders: replay.header().extenders.clone(),
            extender_answers,
            components: Arc::clone(components),
            arguments: spec.arguments_of(&self.plugin),
            node: None,
            message: None,
            failed_calls,
            other_failed_calls,
        })
    }

    /// Keeps an attempt, with its outcome in the core after the cycle.
    fn keep(&mut self, mut attempt: RecordedAttempt, before: CoreCopy, core: &Core) {
        let key = &attempt.pod.key;
        let decision = core.decisions().of_pod(&key.namespace, &key.uid).find(|record| record.cycle == attempt.cycle);
        let assumed = core.cache().pod_by_uid(&key.uid).map(|cached| cached.pod.node_name.to_string());
        attempt.node = assumed;
        attempt.message = decision.and_then(|record| record.message).map(|message| message.to_string());
        self.kept.push_back((attempt, before));
        if self.kept.len() > self.most {
            self.kept.pop_front();
            self.earlier += 1;
        }
    }
}
