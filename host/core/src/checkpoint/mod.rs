//! The checkpoint: the whole state of a core as plain data. A core that is made from it behaves like the original: for
//! the same later events, times and answers it returns the same actions.
//!
//! - [`Core::checkpoint`] copies the state on the scheduling thread. The [`CoreCopy`] shares nodes, pods and objects
//!   with the core.
//! - [`CoreCopy::into_checkpoint`] turns the copy into a [`Checkpoint`]. Any thread can do this.
//! - [`Core::restore`] makes a core from a checkpoint.
//!
//! The state does not contain cached results, the candidate index and decision records, because no decision depends on
//! them. The state does not contain the options: the caller of [`Core::restore`] gives the options of the original core.

mod bits;
mod cache;
mod entry;
mod error;
mod events;
mod nominations;
mod objects;
mod plugins;
mod queue;
mod reservations;
mod shared;
mod slab;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::cache::CacheState;
pub use self::error::RestoreError;
use self::nominations::NominationsState;
use self::plugins::{NamedPlugins, PluginState, RestoredPlugins};
use self::queue::{QueueCopy, QueueState};
use self::reservations::ReservationState;
use self::shared::{Reading, Shared, Values, Writing};
use crate::cache::Cache;
use crate::declaration::Declaration;
use crate::model::{Node, Object, Pod};
use crate::nominations::Nominations;
use crate::plugins::PodSignatureId;
use crate::pod_signature::PodSignatures;
use crate::profile::{Profile, ProfilePlugin};
use crate::results::Distrusted;
use crate::scheduler::preemption::{Evictions, Underway};
use crate::scheduler::reservation::Reservation;
use crate::{Core, Options};

/// The state of a core: the pods, and everything else.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// All pods that the state names, in several versions if the state holds several versions of a pod. The caller
    /// stores them in its own form and in this order.
    pub pods: Vec<Arc<Pod>>,
    /// The rest of the state, which names a pod by its index in `pods`.
    pub state: CoreState,
}

/// The state of a core without its pods. Only the version of this crate that wrote the JSON form can read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoreState {
    /// `schedulerName` of each profile, in order.
    profiles: Vec<Box<str>>,
    /// The plugins that the other fields name by index.
    plugins: Vec<PluginState>,
    /// The nodes that the other fields name by index.
    nodes: Vec<Arc<Node>>,
    /// The objects that the other fields name by index.
    objects: Vec<Arc<Object>>,
    cache: CacheState,
    queue: QueueState,
    nominations: NominationsState,
    /// The evictions for each preempting pod, by uid.
    evictions: BTreeMap<Box<str>, Underway>,
    reservations: Vec<ReservationState>,
    /// The index of each pod without a profile in the list of pods.
    unclaimed: Vec<u32>,
    next_start: usize,
    intent_steps: u64,
    /// The state of the generator of random numbers.
    random: u64,
    cycles: u64,
    /// The id of the next new pod signature.
    next_signature: PodSignatureId,
    distrusted: Vec<DistrustedState>,
}

/// A [`Distrusted`]. The core does not use cached results of its plugin, so that decisions depend on this list.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DistrustedState {
    /// The index in the list of plugins.
    plugin: Option<u32>,
    name: Arc<str>,
    what: String,
}

impl Checkpoint {
    /// Returns the cluster of the state, to fill the plugins for [`Core::restore`].
    ///
    /// # Errors
    /// The parts of the checkpoint do not fit together.
    pub fn cache(&self) -> Result<Cache, RestoreError> {
        let Self { pods, state } = self.clone();
        let reading = Reading {
            pods: Values::new("pod", pods),
            nodes: Values::new("node", state.nodes),
            objects: Values::new("object", state.objects),
            plugins: RestoredPlugins::find(Vec::new(), &[])?,
        };
        state.cache.restore(&reading)
    }

    /// Returns the pods without a node: those in the queue, those whose binding is not finished, and those without a
    /// profile. A pod whose binding is not finished is an assumed pod of [`Checkpoint::cache`], too.
    ///
    /// # Errors
    /// The state names a pod that is not in the list.
    pub fn pending(&self) -> Result<Vec<Arc<Pod>>, RestoreError> {
        let pods = Values::new("pod", self.pods.clone());
        let reserved = self.state.reservations.iter().map(ReservationState::pending);
        let pending = self.state.queue.pending().chain(reserved).chain(self.state.unclaimed.iter().copied());
        pending.map(|index| pods.get(index)).collect()
    }
}

/// A copy of the state of a core.
#[derive(Debug)]
pub struct CoreCopy {
    profiles: Vec<Profile>,
    cache: Cache,
    queue: QueueCopy,
    nominations: Nominations,
    evictions: Evictions,
    reservations: Vec<Reservation>,
    unclaimed: Vec<Arc<Pod>>,
    next_start: usize,
    intent_steps: u64,
    random: u64,
    cycles: u64,
    next_signature: PodSignatureId,
    distrusted: Vec<Distrusted>,
}

impl CoreCopy {
    /// Turns the copy into a checkpoint. The duration grows with the number of pods and nodes.
    #[must_use]
    pub fn into_checkpoint(self) -> Checkpoint {
        let mut writing = Writing {
            pods: Shared::default(),
            nodes: Shared::default(),
            objects: Shared::default(),
            plugins: NamedPlugins::new(&self.profiles),
        };
        let cache = CacheState::of(&self.cache, &mut writing);
        let queue = QueueState::of(self.queue, &mut writing);
        let nominations = NominationsState::of(&self.nominations, &mut writing);
        let reservations = ReservationState::all(self.reservations, &mut writing);
        let unclaimed = self.unclaimed.iter().map(|pod| writing.pods.index(pod)).collect();
        let distrusted = self.distrusted.into_iter().map(|Distrusted { plugin, name, what }| {
            let declaration = || Arc::new(Declaration { name: Arc::clone(&name), ..Declaration::default() });
            let plugin = plugin.map(|id| writing.plugins.index(id, &declaration()));
            DistrustedState { plugin, name, what }
        });
        let distrusted = distrusted.collect();
        let state = CoreState {
            profiles: names(&self.profiles),
            plugins: writing.plugins.plugins,
            nodes: writing.nodes.values,
            objects: writing.objects.values,
            cache,
            queue,
            nominations,
            evictions: self.evictions.underway().clone(),
            reservations,
            unclaimed,
            next_start: self.next_start,
            intent_steps: self.intent_steps,
            random: self.random,
            cycles: self.cycles,
            next_signature: self.next_signature,
            distrusted,
        };
        Checkpoint { pods: writing.pods.values, state }
    }
}

impl Core {
    /// Copies the state between two steps. Nodes, pods and objects are shared with the core. The duration grows with the
    /// number of pending pods, and hardly with the number of pods on nodes.
    #[must_use]
    pub fn checkpoint(&self) -> CoreCopy {
        // Every field is named, so that a new field can't be forgotten.
        let Self {
            options: _,
            profiles,
            cache,
            queue,
            nominations,
            evictions,
            next_start,
            results,
            reservations,
            intent_steps,
            unclaimed,
            rng,
            cycles,
            ended: _,
            decisions: _,
            policies: _,
        } = self;
        CoreCopy {
            profiles: profiles.clone(),
            cache: cache.clone(),
            queue: QueueCopy::of(queue),
            nominations: nominations.clone(),
            evictions: evictions.clone(),
            reservations: reservations::copies(reservations),
            unclaimed: unclaimed.values().cloned().collect(),
            next_start: *next_start,
            intent_steps: *intent_steps,
            random: rng.get_seed(),
            cycles: *cycles,
            next_signature: results.pod_signatures.next(),
            distrusted: results.distrusted.clone(),
        }
    }

    /// Makes a core from a checkpoint. `options` are those of the original core. `profiles` are the profiles that served
    /// when the checkpoint was made, with the plugin instances of this process. The ids of these instances may differ
    /// from the ids in the original process. Reservations that the checkpoint contains get no decision record.
    ///
    /// # Errors
    /// The parts of the checkpoint do not fit together, or the checkpoint does not fit the profiles.
    pub fn restore(options: Options, checkpoint: Checkpoint, profiles: Vec<Profile>) -> Result<Self, RestoreError> {
        let Checkpoint { pods, state } = checkpoint;
        let given = names(&profiles);
        if state.profiles != given {
            return Err(RestoreError::OtherProfiles { expected: state.profiles, given });
        }
        let reading = Reading {
            pods: Values::new("pod", pods),
            nodes: Values::new("node", state.nodes),
            objects: Values::new("object", state.objects),
            plugins: RestoredPlugins::find(state.plugins, &profiles)?,
        };
        let mut core = Self::new(options);
        core.cache = state.cache.restore(&reading)?;
        let reads_pending_pods = |plugin: &ProfilePlugin| plugin.declaration.pending_pods.is_some();
        let now = profiles.iter().flat_map(Profile::plugins).any(reads_pending_pods);
        let then = core.cache.pending.is_some();
        if then != now {
            return Err(RestoreError::PendingPods { then, now });
        }
        core.queue = state.queue.restore(options.queue, &reading)?;
        core.nominations = state.nominations.restore(&reading)?;
        core.evictions = Evictions::new(state.evictions);
        core.reservations = ReservationState::restore_all(state.reservations, &reading)?;
        for pod in state.unclaimed {
            let pod = reading.pods.get(pod)?;
            if let Some(other) = core.unclaimed.insert(pod.key.uid.clone(), pod) {
                return Err(RestoreError::duplicate("the pod without a profile", &other.key.uid));
            }
        }
        core.next_start = state.next_start;
        core.intent_steps = state.intent_steps;
        core.rng = fastrand::Rng::with_seed(state.random);
        core.cycles = state.cycles;
        core.results.pod_signatures = PodSignatures::starting_at(state.next_signature);
        for DistrustedState { plugin, name, what } in state.distrusted {
            let plugin = plugin.map(|index| reading.plugins.get(index)).transpose()?.map(|(id, _)| id);
            core.results.distrusted.push(Distrusted { plugin, name, what });
        }
        core.policies = core.policies_of(&profiles);
        core.profiles = profiles;
        Ok(core)
    }
}

/// Returns `schedulerName` of each profile.
fn names(profiles: &[Profile]) -> Vec<Box<str>> {
    profiles.iter().map(|profile| profile.scheduler_name.clone()).collect()
}

#[cfg(test)]
#[path = "checkpoint_test.rs"]
mod tests;
