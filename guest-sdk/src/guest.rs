//! A running plugin: its arguments, its copy of the cluster, the templates that it holds, and the batched calls over
//! them. A component and a native test use the same code; only the caller differs.

use std::mem::ManuallyDrop;

use crate::bindings::base::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::objects::exports::berth::scheduler::objects;
use crate::bindings::queueing_hint::exports::berth::scheduler::queueing_hint;
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::classes::{ClassScores, Classified, Known, Passed};
use crate::hints::{Event, EventChange, Hint};
use crate::index::Index;
use crate::intents::Intent;
use crate::lifecycle::{Permission, Reservation, Reserved};
use crate::objects::Objects;
use crate::param::{Scene, TemplateScene};
use crate::plugin::Plugin;
use crate::post_filter::{PostFilter, Rejected};
use crate::score::Outcome;
use crate::snapshot::Snapshot;
use crate::types::{Pod, Status, Verdicts};
use crate::{Cycle, PreFilter, PreScore, Queued, Rejection, pod};

/// A running plugin. The functions are those that a component exports according to the contract in `wit/`.
pub struct Guest<P: Plugin> {
    configured: Option<Configured<P>>,
    snapshot: Snapshot,
    /// The templates that the host sent, sorted by id. A sorted list is enough: there are few templates, and a new
    /// template usually has the highest id.
    templates: Vec<(u32, Box<Template<P>>)>,
}

struct Configured<P: Plugin> {
    args: P::Args,
    index: P::Index,
    objects: Objects,
}

struct Template<P: Plugin> {
    /// The facts of the template's pods. `forget_templates` frees these facts one by one.
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
        Guest { configured: None, snapshot: Snapshot::default(), templates: Vec::new() }
    }
}

impl<P: Plugin> Guest<P> {
    /// Returns the plugin's name and version.
    pub fn describe(&self) -> Description {
        Description { name: P::NAME.to_owned(), version: P::VERSION.to_owned() }
    }

    /// Reads the arguments and returns the declaration. An error names the plugin and the field.
    pub fn configure(&mut self, arguments: &str) -> Result<Declaration, String> {
        let args = P::arguments(arguments)?;
        let index = P::Index::new(&args);
        let is_told = P::Index::is_told(&args);
        self.configured = Some(Configured { args, index, objects: Objects::default() });
        let declaration = if is_told {
            const { P::DECLARED.declaration() }
        } else {
            const { P::DECLARED.without_index().declaration() }
        };
        Ok(Declaration { retry_on: P::retry_on(), ..declaration })
    }

    /// Stores the facts of a pod under a template's id.
    #[inline(always)]
    pub fn hold_template(&mut self, id: u32, pod: Pod) {
        let pod = pod::Facts::new(pod, P::READS.pod, &mut self.snapshot.texts);
        self.forget_templates(&[id]);
        let at = self.templates.partition_point(|(known, _)| *known < id);
        self.templates.insert(at, (id, Box::new(Template { pod: ManuallyDrop::new(pod), prepared: None })));
    }

    /// Drops these templates.
    pub fn forget_templates(&mut self, ids: &[u32]) {
        for id in ids {
            if let Ok(at) = self.templates.binary_search_by_key(id, |(known, _)| *known) {
                let (_, template) = self.templates.remove(at);
                ManuallyDrop::into_inner(template.pod).free(P::READS.pod);
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
    pub fn pre_filter(&mut self, cycle: &Cycle) -> Outcome<PreFilter> {
        Ok(P::pre_filter(&self.scene(cycle, &[])?))
    }

    /// Returns true if the plugin does not apply to pods of this template.
    pub fn skip(&mut self, template: u32) -> Outcome<bool> {
        let cycle = outside_cycle(template);
        P::skip(&self.scene(&cycle, &[])?)
    }

    /// Returns why a pod of this template may not enter the active queue yet; `None` if it may.
    pub fn pre_enqueue(&mut self, template: u32) -> Outcome<Option<Status>> {
        let cycle = outside_cycle(template);
        Ok(P::pre_enqueue(&self.scene(&cycle, &[])?).0.map(Into::into))
    }

    /// Returns the sort key of a pod of this template that has been waiting since `queued`, in milliseconds since
    /// 1970.
    pub fn sort_key(&mut self, template: u32, queued: i64) -> Outcome<Vec<i64>> {
        let cycle = outside_cycle(template);
        P::queue_sort(Queued(queued), &self.scene(&cycle, &[])?)
    }

    /// Returns for each of these nodes whether the pod fits.
    pub fn filter(&mut self, cycle: &Cycle, nodes: &[u32]) -> Outcome<Verdicts> {
        self.check_known(nodes)?;
        P::filter_nodes(&mut self.scene(cycle, nodes)?)
    }

    /// Runs the post-filter. The host calls this if the pod fits no node. `rejected` holds all nodes.
    pub fn post_filter(&mut self, cycle: &Cycle, rejected: &mut Rejected<'_>) -> Outcome<PostFilter> {
        P::post_filter(rejected, &self.scene(cycle, rejected.nodes)?)
    }

    /// Runs the pre-score. The host calls this before it scores nodes. `nodes` are the nodes that passed all filters.
    /// `nodes` is empty for a plugin with score scope `node`, because its answer may not depend on other nodes.
    pub fn pre_score(&mut self, cycle: &Cycle, nodes: &[u32]) -> Outcome<PreScore> {
        self.check_known(nodes)?;
        P::pre_score(&self.scene(cycle, nodes)?)
    }

    /// Returns the raw score of each of these nodes.
    pub fn score(&mut self, cycle: &Cycle, nodes: &[u32]) -> Outcome<Vec<i64>> {
        self.check_known(nodes)?;
        P::score_nodes(&mut self.scene(cycle, nodes)?)
    }

    /// Normalizes these nodes' raw scores to 0 to 100.
    pub fn normalize(&mut self, cycle: &Cycle, nodes: &[u32], mut scores: Vec<i64>) -> Outcome<Vec<i64>> {
        P::normalize(&mut scores, &self.scene(cycle, nodes)?)?;
        Ok(scores)
    }

    /// Sorts the nodes into classes and filters the classes. `known` is the id of the latest cycle whose answer the
    /// host has.
    pub fn classify(&mut self, cycle: &Cycle, known: u64) -> Outcome<Option<Classified>> {
        P::classify(&Known { known, now: cycle.id }, &self.scene(cycle, &[])?)
    }

    /// Returns the scores of the classes that have nodes that passed all filters.
    pub fn score_classes(&mut self, cycle: &Cycle, passed: &Passed) -> Outcome<ClassScores> {
        P::score_classes(passed, &self.scene(cycle, &[])?)
    }

    /// Reserves what the pod needs on this node.
    pub fn reserve(&mut self, cycle: &Cycle, node: u32) -> Outcome<Result<Reservation, Rejection>> {
        self.check_known(&[node])?;
        let mut scene = self.scene(cycle, &[])?;
        scene.node = node as usize;
        Ok(P::reserve(&scene))
    }

    /// Returns the intents that undo a reservation that ends without a bind.
    pub fn unreserve(&mut self, cycle: &Cycle, reserved: &Reserved) -> Vec<Intent> {
        self.scene(cycle, &[]).map(|scene| P::unreserve(reserved, &scene)).unwrap_or_default()
    }

    /// Decides whether the pod may be bound.
    pub fn permit(&mut self, cycle: &Cycle, reserved: &Reserved) -> Outcome<Permission> {
        Ok(P::permit(reserved, &self.scene(cycle, &[])?))
    }

    /// Returns the intents to execute before the bind.
    pub fn pre_bind(&mut self, cycle: &Cycle, reserved: &Reserved) -> Outcome<Vec<Intent>> {
        P::pre_bind(reserved, &self.scene(cycle, &[])?)
    }

    /// Returns how the pod is bound. `None` leaves the pod to the next bind plugin or to the host.
    pub fn bind(&mut self, cycle: &Cycle, reserved: &Reserved) -> Outcome<Option<Vec<Intent>>> {
        P::bind(reserved, &self.scene(cycle, &[])?)
    }

    /// Runs the post-bind: the pod is bound.
    pub fn post_bind(&mut self, cycle: &Cycle, reserved: &Reserved) {
        if let Ok(scene) = self.scene(cycle, &[]) {
            P::post_bind(reserved, &scene);
        }
    }

    /// Returns for each of these templates whether the event can help its pods.
    pub fn hints(&mut self, event: queueing_hint::Event, templates: &[u32]) -> Outcome<Vec<Hint>> {
        let (event, nodes, pods) = Event::taken::<P>(event);
        let hint = |template: &u32| {
            self.prepare(*template)?;
            let pods = pods.map(|id| self.template(id?).map(|template| &*template.pod));
            let event_change = EventChange { nodes: nodes.as_ref(), pods };
            let cycle = outside_cycle(*template);
            P::queueing_hint(&event, &Scene { event_change, ..self.prepared_scene(&cycle, &[])? })
        };
        templates.iter().map(hint).collect()
    }

    fn check_known(&self, nodes: &[u32]) -> Outcome<()> {
        let known = |node: &&u32| *self.snapshot.present.get(**node as usize);
        match nodes.iter().find(|node| !known(node)) {
            Some(node) if !P::READS.node.is_empty() => Err(format!("{}: called with unknown node {node}", P::NAME)),
            _ => Ok(()),
        }
    }

    /// Prepares the template and returns the scene of a call in a cycle. A function for one node sets `Scene::node`.
    fn scene<'a>(&'a mut self, cycle: &'a Cycle, nodes: &'a [u32]) -> Outcome<Scene<'a, P>> {
        self.prepare(cycle.template)?;
        self.prepared_scene(cycle, nodes)
    }

    /// Stores the result of the plugin's `prepare` for a template, unless the stored result is still valid. A change of
    /// cluster facts makes the result invalid if `prepare` reads cluster facts.
    fn prepare(&mut self, id: u32) -> Outcome<()> {
        let Guest { configured, snapshot, templates } = self;
        let Configured { args, .. } = configured.as_ref().ok_or_else(unconfigured::<P>)?;
        let held = templates.binary_search_by_key(&id, |(id, _)| *id).ok();
        let Template { pod, prepared } = held
            .and_then(|at| templates.get_mut(at))
            .map(|(_, template)| &mut **template)
            .ok_or_else(|| unknown_template::<P>(id))?;
        let version = snapshot.cluster.version;
        let fresh = |known: &Prepared<P>| known.version == version || P::DECLARED.prepare.cluster.is_empty();
        if !prepared.as_ref().is_some_and(fresh) {
            let template = TemplateScene { args, pod, cluster: &snapshot.cluster };
            *prepared = Some(Prepared { value: P::prepare(&template), version });
        }
        Ok(())
    }

    fn prepared_scene<'a>(&'a self, cycle: &'a Cycle, nodes: &'a [u32]) -> Outcome<Scene<'a, P>> {
        let Guest { configured, snapshot, .. } = self;
        let Configured { args, index, .. } = configured.as_ref().ok_or_else(unconfigured::<P>)?;
        let Some(Template { pod, prepared: Some(Prepared { value: prepared, .. }) }) = self.template(cycle.template)
        else {
            return Err(unknown_template::<P>(cycle.template));
        };
        let template = TemplateScene { args, pod, cluster: &snapshot.cluster };
        Ok(Scene { template, prepared, index, cycle, snapshot, nodes, node: 0, event_change: EventChange::NONE })
    }

    fn template(&self, id: u32) -> Option<&Template<P>> {
        let at = self.templates.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.templates.get(at).map(|(_, template)| &**template)
    }
}

fn unconfigured<P: Plugin>() -> String {
    format!("{}: called before configure", P::NAME)
}

fn unknown_template<P: Plugin>(template: u32) -> String {
    format!("{}: called with unknown template {template}", P::NAME)
}

/// Makes a placeholder cycle for functions that run outside of cycles. These functions can't take `&Cycle`.
fn outside_cycle(template: u32) -> Cycle {
    Cycle { id: 0, time: 0, seed: 0, template }
}
