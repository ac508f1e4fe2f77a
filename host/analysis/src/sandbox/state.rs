//! The sandbox: its core, its plugin instances, and the questions to them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use berth_apimachinery::objects::{EventReader, NamedFieldsReader, Notes, ReadError};
use berth_core::cache::NodeId;
use berth_core::cycle::Failure;
use berth_core::extenders::{Extender, NoExtenders};
use berth_core::model::{Node, Object, ObjectKey, ObjectReads, Pod, PodKey};
use berth_core::plugins::{Cycle, Plugins, PodSignatureId};
use berth_core::profile::{Profile, ProfilePlugin};
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Action, Core, Event, Options, Timestamp};
use berth_engine::Engine;
use berth_plugin_host::{AssembleError, ComponentSet, Delivery, Guests};
use serde_json::Value;

use super::answers::{Answers, PreEnqueueAnswer, Recorder};
use super::left_out::left_out;
use crate::copy::ClusterCopy;

/// The number of events after which plugins receive the changes of the cluster, so that no plugin falls behind the
/// change log.
const EVENTS_PER_UPDATE: usize = 256;

/// The reason why there is no sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The thread that rebuilds plugins can't be started.
    #[error("can't start the thread that rebuilds plugins: {0}")]
    Thread(#[from] std::io::Error),
    /// The profiles can't be served on this copy.
    #[error(transparent)]
    Profiles(#[from] AssembleError),
    /// A plugin failed on the copy.
    #[error("the plugins could not be filled with the copy of the cluster; the log has the plugin's error")]
    NotFilled,
}

/// A core with plugin instances, filled with a copy of the cluster. You can ask about pods and change the copy.
///
/// Extenders are not asked, because a sandbox does no I/O. [`Sandbox::set_extenders`] lets explanations name them.
pub struct Sandbox {
    engine: Engine,
    inbox: Receiver<Delivery>,
    pub(super) now: Timestamp,
    /// The events that undo the changes, in the order of the changes.
    pub(super) undo: Vec<Vec<Event>>,
    events: usize,
    left_out: Vec<Arc<str>>,
    /// The extenders of the scheduler.
    extenders: Vec<Extender>,
    /// A plugin reads pending pods.
    reads_pending: bool,
    /// The number of questions to plugins outside of the core.
    asked: u32,
}

/// Returns the kinds that the plugins of these profiles read beyond nodes and pods, and the fields of nodes and pods
/// that the plugins name. A copy of objects needs this list: see [`ClusterCopy::read`].
///
/// # Errors
/// The profiles can't be served with these components.
pub fn wanted(components: &ComponentSet, specs: Vec<ProfileSpec>) -> Result<Vec<ObjectReads>, SandboxError> {
    let set = components.set(specs)?;
    Ok(plugins(set.profiles()).flat_map(|plugin| plugin.declaration.wanted()).collect())
}

fn plugins(profiles: &[Profile]) -> impl Iterator<Item = &ProfilePlugin> {
    profiles.iter().flat_map(Profile::plugins)
}

impl Sandbox {
    /// Fills new instances of the components with a copy of the cluster. `now` is the time of all questions.
    ///
    /// The core gets the pending pods that have a nominated node, because they count on that node. If a plugin reads
    /// pending pods, the core gets all of them. [`Sandbox::add_pending`] adds the others.
    ///
    /// # Errors
    /// The profiles can't be served with these components, or the copy lacks objects that a plugin reads.
    pub fn new(
        components: &ComponentSet,
        specs: Vec<ProfileSpec>,
        copy: &ClusterCopy,
        now: Timestamp,
    ) -> Result<Self, SandboxError> {
        let (sender, inbox) = channel();
        let outbox = Arc::new(move |delivery| sender.send(delivery).is_ok());
        let guests = Guests::new(Arc::clone(components.limits()), outbox)?;
        let options = Options { verify_every: 0, ..Options::default() };
        let mut sandbox = Self {
            engine: Engine::new(options, guests),
            inbox,
            now,
            undo: Vec::new(),
            events: 0,
            left_out: Vec::new(),
            extenders: Vec::new(),
            reads_pending: false,
            asked: 0,
        };
        sandbox.fill_core(copy);
        let prepared = components.filled(specs.clone(), &mut |objects| {
            sandbox.list(objects, copy);
            let cache = sandbox.core().cache();
            cache.frozen(cache.log().end())
        })?;
        sandbox.left_out = left_out(components, &specs, prepared.profiles());
        sandbox.reads_pending = plugins(prepared.profiles()).any(|plugin| plugin.declaration.pending_pods.is_some());
        let swapped = sandbox.engine.accept(Delivery::Swap(prepared), now).ok_or(SandboxError::NotFilled)?;
        sandbox.step(swapped);
        for pod in &copy.pending {
            if sandbox.wants_pending(pod) {
                sandbox.step(Event::PodSet(Arc::clone(pod)));
            }
        }
        Ok(sandbox)
    }

    /// Returns whether the core needs this pending pod to answer questions about other pods.
    pub(super) fn wants_pending(&self, pod: &Pod) -> bool {
        self.reads_pending || !pod.nominated_node_name.is_empty()
    }

    fn fill_core(&mut self, copy: &ClusterCopy) {
        let nodes = copy.nodes.iter().map(|node| Event::NodeSet(Arc::clone(node)));
        let pods = copy.pods.iter().map(|pod| Event::PodSet(Arc::clone(pod)));
        nodes.chain(pods).for_each(|event| drop(self.step(event)));
    }

    /// Adds the objects of kinds that the core does not have yet.
    fn list(&mut self, wanted: &[ObjectReads], copy: &ClusterCopy) {
        let watched: Vec<ObjectReads> = self
            .step(Event::ObjectsWanted(wanted.to_vec()))
            .into_iter()
            .filter_map(|action| match action {
                Action::Watch(reads) => Some(reads),
                _ => None,
            })
            .collect();
        for reads in watched {
            let of_kind = copy.objects.iter().filter(|object| object.key.kind == reads.kind);
            of_kind.for_each(|object| drop(self.step(Event::ObjectSet(Arc::clone(object)))));
            let has_all = |has: &ObjectReads| has.kind == reads.kind && reads.fields.is_subset(&has.fields);
            if copy.kinds.iter().any(has_all) {
                self.step(Event::ObjectsListed(reads));
            } else if let Some((kind, why)) = copy.refused.iter().find(|(refused, _)| *refused == reads.kind) {
                self.step(Event::ObjectsRefused(Arc::clone(kind), Arc::clone(why)));
            }
        }
    }

    /// Adds pending pods to the core's queue.
    pub fn add_pending<'p>(&mut self, pods: impl IntoIterator<Item = &'p Arc<Pod>>) {
        pods.into_iter().for_each(|pod| self.set_pod(Arc::clone(pod)));
    }

    /// Returns the core.
    #[must_use]
    pub fn core(&self) -> &Core {
        self.engine.core()
    }

    /// Returns the engine, for example to run scheduling cycles. [`Sandbox::revert_to`] does not undo what you do with
    /// the engine.
    #[must_use]
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Returns the default plugins that don't take part, because they failed on this copy or the copy lacks objects that
    /// they read. A scheduler leaves out the same plugins.
    #[must_use]
    pub fn left_out(&self) -> &[Arc<str>] {
        &self.left_out
    }

    /// Sets the extenders of the scheduler, so that explanations name those that they leave out.
    pub fn set_extenders(&mut self, extenders: Vec<Extender>) {
        self.extenders = extenders;
    }

    /// Returns the extenders that a scheduler would ask about this pod and that a sandbox leaves out.
    pub(crate) fn extenders_not_asked(&self, pod: &Pod) -> Vec<String> {
        let interested = self.extenders.iter().filter(|extender| extender.is_interested_in(pod));
        interested.map(|extender| extender.name.to_string()).collect()
    }

    /// Returns the time of all questions.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Handles one event and returns the core's actions. [`Sandbox::revert_to`] does not undo this event.
    pub fn step(&mut self, event: Event) -> Vec<Action> {
        let actions = self.engine.step(event, self.now, &mut NoExtenders, &mut ());
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_PER_UPDATE) {
            self.engine.update_plugins(self.now);
        }
        actions
    }

    /// Adds a node, or replaces the node with its name.
    pub fn set_node(&mut self, node: Arc<Node>) {
        self.change(Event::NodeSet(node));
    }

    /// Removes a node. Its pods stay in the copy and count again if a node of this name is added.
    pub fn remove_node(&mut self, name: &str) {
        self.change(Event::NodeRemoved(name.into()));
    }

    /// Adds a pod, or replaces the pod with its uid. A pod without a node is a pending pod.
    pub fn set_pod(&mut self, pod: Arc<Pod>) {
        self.change(Event::PodSet(pod));
    }

    /// Removes a pod.
    pub fn remove_pod(&mut self, key: &PodKey) {
        self.change(Event::PodRemoved(key.clone()));
    }

    /// Adds an object of a kind that plugins read, or replaces the object with its key.
    pub fn set_object(&mut self, object: Arc<Object>) {
        self.change(Event::ObjectSet(object));
    }

    /// Removes an object.
    pub fn remove_object(&mut self, key: &ObjectKey) {
        self.change(Event::ObjectRemoved(key.clone()));
    }

    /// Returns the profile that schedules the pod.
    #[must_use]
    pub fn profile_of(&self, pod: &Pod) -> Option<&Profile> {
        self.core().profiles().iter().find(|profile| profile.scheduler_name == pod.spec.scheduler_name)
    }

    /// Asks all plugins of the pod's profile, as a scheduling cycle does, and returns their answers. Returns `None` if
    /// no profile has the pod's scheduler name.
    pub fn explain(&mut self, pod: &Arc<Pod>) -> Option<Answers> {
        let profile = self.profile_of(pod)?.clone();
        self.explain_with(pod, &profile)
    }

    /// As [`Sandbox::explain`], with the plugins of another profile.
    pub fn explain_with(&mut self, pod: &Arc<Pod>, profile: &Profile) -> Option<Answers> {
        self.accept_rebuilt();
        let mut recorder = Recorder::default();
        let outcome = self.engine.explain_with(pod, profile, self.now, &mut NoExtenders, Some(&mut recorder))?;
        Some(recorder.answers(outcome, self.core().cache()))
    }

    /// Returns the nodes that the pod fits on with their total scores, or why the pod fits on no node. Faster than
    /// [`Sandbox::explain`]. Returns `None` if no profile has the pod's scheduler name.
    pub fn scores(&mut self, pod: &Arc<Pod>) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        let profile = self.profile_of(pod)?.clone();
        self.scores_with(pod, &profile)
    }

    fn scores_with(&mut self, pod: &Arc<Pod>, profile: &Profile) -> Option<Result<Vec<(NodeId, i64)>, Failure>> {
        self.accept_rebuilt();
        self.engine.explain_with(pod, profile, self.now, &mut NoExtenders, None)
    }

    /// Returns the nodes that the pod fits on, without scores, or why the pod fits on no node. Faster than
    /// [`Sandbox::explain`]. Returns `None` if no profile has the pod's scheduler name.
    pub fn fits(&mut self, pod: &Arc<Pod>) -> Option<Result<Vec<NodeId>, Failure>> {
        let profile = Profile { pre_score: Vec::new(), score: Vec::new(), ..self.profile_of(pod)?.clone() };
        self.fits_with(pod, &profile)
    }

    /// Returns the nodes that the pod fits on with the plugins of another profile. The plugins that score are asked,
    /// too, and can fail.
    pub fn fits_with(&mut self, pod: &Arc<Pod>, profile: &Profile) -> Option<Result<Vec<NodeId>, Failure>> {
        let outcome = self.scores_with(pod, profile)?;
        Some(outcome.map(|nodes| nodes.into_iter().map(|(node, _)| node).collect()))
    }

    /// Returns the rejection by the first pre-enqueue plugin that does not let the pod enter the queue, with the
    /// plugin's name.
    ///
    /// # Errors
    /// A plugin failed.
    pub fn pre_enqueue(&mut self, pod: &Arc<Pod>) -> PreEnqueueAnswer {
        self.accept_rebuilt();
        let plugins = self.profile_of(pod).map_or_else(Vec::new, |profile| profile.pre_enqueue.clone());
        let (core, guests) = self.engine.parts();
        for plugin in plugins {
            self.asked += 1;
            // The core counts its signatures from 0.
            let signature = PodSignatureId(u32::MAX - self.asked);
            let cycle = Cycle { id: core.cycles(), time: self.now, seed: 0, signature, pod, cache: core.cache() };
            if let Some(status) = guests.pre_enqueue(plugin.id, &cycle)? {
                return Ok(Some((Arc::clone(&plugin.declaration.name), status)));
            }
        }
        Ok(None)
    }

    /// Reads a pod as the API server sends it, with the further fields that plugins name.
    ///
    /// # Errors
    /// The pod has no valid metadata or an invalid field.
    pub fn read_pod(&self, object: &Value) -> Result<Arc<Pod>, ReadError> {
        let mut pod = EventReader::default().pod(object, &mut Notes::default())?;
        let named: BTreeSet<Box<str>> =
            plugins(self.core().profiles()).flat_map(|plugin| &plugin.declaration.pod.fields).cloned().collect();
        pod.fields = NamedFieldsReader::new(&named).read(&object.to_string());
        Ok(Arc::new(pod))
    }

    /// Installs the instances that were rebuilt after a failure.
    fn accept_rebuilt(&mut self) {
        while let Ok(delivery) = self.inbox.try_recv() {
            if let Some(event) = self.engine.accept(delivery, self.now) {
                self.step(event);
            }
        }
    }
}
