//! A running plugin: its arguments, its copy of the cluster, the pod signatures that it holds, and the batched calls
//! over them. A component and a native test use the same code; only the caller differs.

use std::mem::ManuallyDrop;

use crate::bindings::base::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::objects::exports::berth::scheduler::objects;
use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint;
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::classes::{ClassScores, Classified, Known, Passed};
use crate::declaration::{Whole, WithoutIndex, declaration};
use crate::hints::{Event, EventChange, Hint};
use crate::identity::NO_IDENTITY;
use crate::index::Index;
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved, Undone};
use crate::objects::Objects;
use crate::param::{Scene, SignatureScene};
use crate::plugin::Plugin;
use crate::post_filter::{PostFilter, Rejected};
use crate::score::Outcome;
use crate::snapshot::Snapshot;
use crate::types::{Pod, PodIdentity, Status, Verdicts};
use crate::{Attempt, PreFilter, PreScore, Queued, Rejection, pod};

/// A running plugin. The functions are those that a component exports according to the contract in `wit/`.
pub struct Guest<P: Plugin> {
    configured: Option<Configured<P>>,
    snapshot: Snapshot,
    /// The pod signatures that the host sent, sorted by id. A sorted list is enough: there are few pod signatures, and
    /// a new pod signature usually has the highest id.
    signatures: Vec<(u32, Box<Signature<P>>)>,
}

struct Configured<P: Plugin> {
    args: P::Args,
    index: P::Index,
    objects: Objects,
}

struct Signature<P: Plugin> {
    /// The facts of the signature's pods. `remove_signatures` frees these facts one by one.
    pod: ManuallyDrop<pod::Facts>,
    prepared: Option<Prepared<P>>,
}

struct Prepared<P: Plugin> {
    value: P::Prepared,
    /// The version of the cluster's facts from which the value was made.
    version: u64,
}

impl<P: Plugin> Default for Guest<P> {
    fn default() -> Guest<P> {
        Guest { configured: None, snapshot: Snapshot::default(), signatures: Vec::new() }
    }
}

impl<P: Plugin> Guest<P> {
    /// Returns the plugin's name, its version and the schema of its arguments.
    pub fn describe(&self) -> Description {
        let arguments = P::SCHEMA.map(str::to_owned);
        Description { name: P::NAME.to_owned(), version: P::VERSION.to_owned(), arguments }
    }

    /// Reads the arguments and returns the declaration. An error names the plugin and the field.
    pub fn configure(&mut self, arguments: &str) -> Result<Declaration, String> {
        let args = P::arguments(arguments)?;
        let index = P::Index::new(&args);
        let needs_facts = P::Index::needs_facts(&args);
        self.configured = Some(Configured { args, index, objects: Objects::default() });
        let declare = if needs_facts { declaration::<Whole<P>> } else { declaration::<WithoutIndex<P>> };
        Ok(declare(P::retry_on()))
    }

    /// Stores the facts of a pod under a pod signature's id.
    #[inline(always)]
    pub fn add_signature(&mut self, id: u32, pod: Pod) {
        let pod = pod::Facts::new(pod, P::FILLED.pod, &mut self.snapshot.texts);
        self.remove_signatures(&[id]);
        let at = self.signatures.partition_point(|(known, _)| *known < id);
        self.signatures.insert(at, (id, Box::new(Signature { pod: ManuallyDrop::new(pod), prepared: None })));
    }

    /// Drops these pod signatures.
    pub fn remove_signatures(&mut self, ids: &[u32]) {
        for id in ids {
            if let Ok(at) = self.signatures.binary_search_by_key(id, |(known, _)| *known) {
                let (_, signature) = self.signatures.remove(at);
                ManuallyDrop::into_inner(signature.pod).free(P::FILLED.pod);
            }
        }
    }

    /// Applies changes of nodes, pods and the cluster's facts.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) {
        let mut index = self.configured.as_mut().map(|configured| &mut configured.index);
        for change in changes {
            self.snapshot.apply::<P>(change, index.as_deref_mut());
        }
    }

    /// Returns the kinds of objects that the plugin's index receives.
    pub fn kinds(&self) -> Vec<objects::Kind> {
        let kinds = self.configured.as_ref().map(|configured| P::Index::kinds(&configured.args));
        kinds.unwrap_or_default().into_iter().map(|kind| kind.0).collect()
    }

    /// Applies changes of objects.
    pub fn apply_objects(&mut self, changes: Vec<objects::Change>) {
        let Some(Configured { index, objects, .. }) = &mut self.configured else { return };
        for change in changes {
            match change {
                objects::Change::Object(object) => objects.set(object, |object| index.object_set(object)),
                objects::Change::ObjectRemoved(id) => objects.remove(id, |object| index.object_removed(object)),
            }
        }
    }

    /// Runs the pre-filter. The host calls this before it filters nodes.
    pub fn pre_filter(&mut self, attempt: &Attempt) -> Outcome<PreFilter> {
        Ok(P::pre_filter(&self.scene(attempt, &[])?))
    }

    /// Returns true if the plugin does not apply to pods of this pod signature.
    pub fn skip(&mut self, signature: u32) -> Outcome<bool> {
        let attempt = outside_cycle(signature);
        P::skip(&self.scene(&attempt, &[])?)
    }

    /// Returns why a pod of this pod signature may not enter the active queue yet; `None` if it may.
    pub fn pre_enqueue(&mut self, signature: u32) -> Outcome<Option<Status>> {
        let attempt = outside_cycle(signature);
        Ok(P::pre_enqueue(&self.scene(&attempt, &[])?).0.map(Into::into))
    }

    /// Returns the sort key of a pod of this pod signature.
    pub fn sort_key(&mut self, signature: u32, queued: Queued) -> Outcome<Vec<i64>> {
        let attempt = outside_cycle(signature);
        P::queue_sort(queued, &self.scene(&attempt, &[])?)
    }

    /// Returns for each of these nodes whether the pod fits.
    pub fn filter(&mut self, attempt: &Attempt, nodes: &[u32]) -> Outcome<Verdicts> {
        self.check_known(nodes)?;
        P::filter_nodes(&mut self.scene(attempt, nodes)?)
    }

    /// Runs the post-filter. The host calls this if the pod fits no node. `rejected` holds all nodes.
    pub fn post_filter(
        &mut self,
        attempt: &Attempt,
        pod: &PodIdentity,
        rejected: &mut Rejected<'_>,
    ) -> Outcome<PostFilter> {
        P::post_filter(rejected, &Scene { identity: pod, ..self.scene(attempt, rejected.nodes)? })
    }

    /// Runs the pre-score. The host calls this before it scores nodes. `nodes` are the nodes that passed all filters.
    /// `nodes` is empty for a plugin with score scope `node`, because its answer may not depend on other nodes.
    pub fn pre_score(&mut self, attempt: &Attempt, nodes: &[u32]) -> Outcome<PreScore> {
        self.check_known(nodes)?;
        P::pre_score(&self.scene(attempt, nodes)?)
    }

    /// Returns the raw score of each of these nodes.
    pub fn score(&mut self, attempt: &Attempt, nodes: &[u32]) -> Outcome<Vec<i64>> {
        self.check_known(nodes)?;
        P::score_nodes(&mut self.scene(attempt, nodes)?)
    }

    /// Normalizes these nodes' raw scores to 0 to 100.
    pub fn normalize(&mut self, attempt: &Attempt, nodes: &[u32], mut scores: Vec<i64>) -> Outcome<Vec<i64>> {
        P::normalize(&mut scores, &self.scene(attempt, nodes)?)?;
        Ok(scores)
    }

    /// Sorts the nodes into classes and filters the classes. `known` is the id of the latest cycle whose answer the
    /// host has.
    pub fn classify(&mut self, attempt: &Attempt, known: u64) -> Outcome<Option<Classified>> {
        P::classify(&Known { known, now: attempt.cycle.id }, &self.scene(attempt, &[])?)
    }

    /// Returns the scores of the classes that have nodes that passed all filters.
    pub fn score_classes(&mut self, attempt: &Attempt, passed: &Passed) -> Outcome<ClassScores> {
        P::score_classes(passed, &self.scene(attempt, &[])?)
    }

    /// Reserves what the pod needs on this node.
    pub fn reserve(
        &mut self,
        attempt: &Attempt,
        pod: &PodIdentity,
        node: u32,
    ) -> Outcome<Result<Reservation, Rejection>> {
        self.check_known(&[node])?;
        let scene = Scene { identity: pod, node: node as usize, ..self.scene(attempt, &[])? };
        Ok(P::reserve(&scene))
    }

    /// Ends a reservation without a bind.
    pub fn unreserve(&mut self, attempt: &Attempt, pod: &PodIdentity, reserved: &Reserved) -> Undone {
        self.one_pod(attempt, pod).map(|scene| P::unreserve(reserved, &scene)).unwrap_or_default()
    }

    /// Decides whether the pod may be bound.
    pub fn permit(&mut self, attempt: &Attempt, pod: &PodIdentity, reserved: &Reserved) -> Outcome<Permission> {
        Ok(P::permit(reserved, &self.one_pod(attempt, pod)?))
    }

    /// Returns the intents to execute before the bind.
    pub fn pre_bind(&mut self, attempt: &Attempt, pod: &PodIdentity, reserved: &Reserved) -> Outcome<Vec<Intent>> {
        P::pre_bind(reserved, &self.one_pod(attempt, pod)?)
    }

    /// Returns how the pod is bound. `None` leaves the pod to the next bind plugin or to the host.
    pub fn bind(&mut self, attempt: &Attempt, pod: &PodIdentity, reserved: &Reserved) -> Outcome<Option<Vec<Intent>>> {
        P::bind(reserved, &self.one_pod(attempt, pod)?)
    }

    /// Runs the post-bind: the pod is bound.
    pub fn post_bind(&mut self, attempt: &Attempt, pod: &PodIdentity, reserved: &Reserved) {
        if let Ok(scene) = self.one_pod(attempt, pod) {
            P::post_bind(reserved, &scene);
        }
    }

    /// Returns for each of these pod signatures whether the event can help its pods.
    pub fn hints(&mut self, event: queueing_hint::Event, signatures: &[u32]) -> Outcome<Vec<Hint>> {
        let (event, nodes, pods) = Event::taken::<P>(event);
        let hint = |signature: &u32| {
            self.prepare(*signature)?;
            let pods = pods.map(|id| self.signature(id?).map(|signature| &*signature.pod));
            let event_change = EventChange { nodes: nodes.as_ref(), pods };
            let attempt = outside_cycle(*signature);
            P::queueing_hint(&event, &Scene { event_change, ..self.prepared_scene(&attempt, &[])? })
        };
        signatures.iter().map(hint).collect()
    }

    fn check_known(&self, nodes: &[u32]) -> Outcome<()> {
        let known = |node: &&u32| *self.snapshot.present.get(**node as usize);
        match nodes.iter().find(|node| !known(node)) {
            Some(node) if const { !P::READS.node.is_empty() || P::READS.resident.is_some() } => {
                Err(format!("{}: called with unknown node {node}", P::NAME))
            }
            _ => Ok(()),
        }
    }

    /// Prepares the pod signature and returns the scene of a call in a cycle. A function for one node sets
    /// `Scene::node`.
    fn scene<'a>(&'a mut self, attempt: &'a Attempt, nodes: &'a [u32]) -> Outcome<Scene<'a, P>> {
        self.prepare(attempt.signature)?;
        self.prepared_scene(attempt, nodes)
    }

    /// Prepares the pod signature and returns the scene of a call that is about one pod.
    fn one_pod<'a>(&'a mut self, attempt: &'a Attempt, pod: &'a PodIdentity) -> Outcome<Scene<'a, P>> {
        Ok(Scene { identity: pod, ..self.scene(attempt, &[])? })
    }

    /// Stores the result of the plugin's `prepare` for a pod signature, unless the stored result is still valid. A
    /// change of cluster facts makes the result invalid if `prepare` reads cluster facts.
    fn prepare(&mut self, id: u32) -> Outcome<()> {
        let Guest { configured, snapshot, signatures } = self;
        let Configured { args, .. } = configured.as_ref().ok_or_else(unconfigured::<P>)?;
        let held = signatures.binary_search_by_key(&id, |(id, _)| *id).ok();
        let Signature { pod, prepared } = held
            .and_then(|at| signatures.get_mut(at))
            .map(|(_, signature)| &mut **signature)
            .ok_or_else(|| unknown_signature::<P>(id))?;
        let version = snapshot.cluster.version;
        let fresh = |known: &Prepared<P>| known.version == version || const { P::DECLARED.prepare.cluster.is_empty() };
        if !prepared.as_ref().is_some_and(fresh) {
            let signature = SignatureScene { args, pod, cluster: &snapshot.cluster };
            *prepared = Some(Prepared { value: P::prepare(&signature), version });
        }
        Ok(())
    }

    fn prepared_scene<'a>(&'a self, attempt: &'a Attempt, nodes: &'a [u32]) -> Outcome<Scene<'a, P>> {
        let Guest { configured, snapshot, .. } = self;
        let Configured { args, index, .. } = configured.as_ref().ok_or_else(unconfigured::<P>)?;
        let Some(Signature { pod, prepared: Some(Prepared { value: prepared, .. }) }) =
            self.signature(attempt.signature)
        else {
            return Err(unknown_signature::<P>(attempt.signature));
        };
        let signature = SignatureScene { args, pod, cluster: &snapshot.cluster };
        Ok(Scene {
            signature,
            prepared,
            index,
            attempt,
            identity: NO_IDENTITY,
            snapshot,
            nodes,
            node: 0,
            event_change: EventChange::NONE,
        })
    }

    fn signature(&self, id: u32) -> Option<&Signature<P>> {
        let at = self.signatures.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.signatures.get(at).map(|(_, signature)| &**signature)
    }
}

fn unconfigured<P: Plugin>() -> String {
    format!("{}: called before configure", P::NAME)
}

fn unknown_signature<P: Plugin>(signature: u32) -> String {
    format!("{}: called with unknown pod signature {signature}", P::NAME)
}

/// Makes a placeholder for functions that run outside of cycles. These functions can't take `&Cycle` and `&Time`.
fn outside_cycle(signature: u32) -> Attempt {
    Attempt { signature, ..Attempt::default() }
}
