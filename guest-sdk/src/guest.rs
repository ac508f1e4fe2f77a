//! A plugin at work: its arguments, the cluster as it knows it, the templates it holds, and the batched calls over them.
//! The same on every target: a component and a native test differ in who calls.

use std::mem::ManuallyDrop;

use crate::bindings::base::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::param::{Scene, TemplateScene};
use crate::plugin::Plugin;
use crate::score::Outcome;
use crate::snapshot::Snapshot;
use crate::types::{Pod, Status, Verdicts};
use crate::verdicts::Collector;
use crate::{Cycle, PreFilter, PreScore, Queued, pod};

/// A plugin at work. The functions are those of the contract, `wit/plugin.wit` and `wit/placing.wit`.
pub struct Guest<P: Plugin> {
    args: Option<P::Args>,
    snapshot: Snapshot,
    /// By their ids, in ascending order: few, and new ones come at the end.
    templates: Vec<(u32, Box<Template<P>>)>,
}

struct Template<P: Plugin> {
    /// Freed by `forget`, fact by fact.
    pod: ManuallyDrop<pod::Facts>,
    prepared: Option<Prepared<P>>,
}

struct Prepared<P: Plugin> {
    value: P::Prepared,
    /// Of the cluster's facts, when it was made.
    version: u64,
}

impl<P: Plugin> Default for Guest<P> {
    fn default() -> Guest<P> {
        Guest { args: None, snapshot: Snapshot::default(), templates: Vec::new() }
    }
}

impl<P: Plugin> Guest<P> {
    /// Who the plugin is.
    pub fn describe(&self) -> Description {
        Description { name: P::NAME.to_owned(), version: P::VERSION.to_owned() }
    }

    /// Takes the arguments. An error names the plugin and the field.
    pub fn configure(&mut self, arguments: &str) -> Result<Declaration, String> {
        self.args = Some(P::arguments(arguments)?);
        Ok(Declaration { retry_on: P::retry_on(), ..const { P::DECLARED.declaration() } })
    }

    /// Makes a pod known under a template's id.
    #[inline(always)]
    pub fn hold_template(&mut self, id: u32, pod: Pod) {
        let pod = pod::Facts::new(pod, P::READS.pod, &mut self.snapshot.texts);
        self.forget_templates(&[id]);
        let at = self.templates.partition_point(|(known, _)| *known < id);
        self.templates.insert(at, (id, Box::new(Template { pod: ManuallyDrop::new(pod), prepared: None })));
    }

    /// Drops templates.
    pub fn forget_templates(&mut self, ids: &[u32]) {
        for id in ids {
            if let Ok(at) = self.templates.binary_search_by_key(id, |(known, _)| *known) {
                let (_, template) = self.templates.remove(at);
                ManuallyDrop::into_inner(template.pod).free(P::READS.pod);
            }
        }
    }

    /// Applies changes of the cluster.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            self.snapshot.apply(change, &P::READS);
        }
    }

    /// Once a pod, before nodes are filtered.
    pub fn pre_filter(&mut self, cycle: &Cycle) -> Outcome<PreFilter> {
        Ok(P::pre_filter(&self.scene(cycle)?))
    }

    /// Why a pod of this template may not be tried yet.
    pub fn pre_enqueue(&mut self, template: u32) -> Outcome<Option<Status>> {
        let cycle = before_any(template);
        Ok(P::pre_enqueue(&self.scene(&cycle)?).0.map(Into::into))
    }

    /// The place in the order of a pod of this template that waits since then.
    pub fn sort_key(&mut self, template: u32, queued: i64) -> Outcome<Vec<i64>> {
        let cycle = before_any(template);
        P::queue_sort(Queued(queued), &self.scene(&cycle)?)
    }

    /// Whether the pod fits each of these nodes.
    pub fn filter(&mut self, cycle: &Cycle, nodes: &[u32]) -> Outcome<Verdicts> {
        let mut verdicts = Collector::for_nodes(nodes.len());
        self.each(cycle, nodes, |scene| {
            verdicts.push(P::filter(scene));
            Ok(())
        })?;
        Ok(verdicts.finish())
    }

    /// Once a pod, before nodes are scored.
    pub fn pre_score(&mut self, cycle: &Cycle) -> Outcome<PreScore> {
        P::pre_score(&self.scene(cycle)?)
    }

    /// How good each of these nodes is.
    pub fn score(&mut self, cycle: &Cycle, nodes: &[u32]) -> Outcome<Vec<i64>> {
        let mut scores = Vec::with_capacity(nodes.len());
        self.each(cycle, nodes, |scene| {
            scores.push(P::score(scene)?);
            Ok(())
        })?;
        Ok(scores)
    }

    /// Turns raw scores into 0 to 100.
    pub fn normalize(&mut self, cycle: &Cycle, mut scores: Vec<i64>) -> Outcome<Vec<i64>> {
        P::normalize(&mut scores, &self.scene(cycle)?)?;
        Ok(scores)
    }

    fn each(
        &mut self,
        cycle: &Cycle,
        nodes: &[u32],
        mut call: impl FnMut(&Scene<'_, P>) -> Outcome<()>,
    ) -> Outcome<()> {
        let known = |node: &&u32| *self.snapshot.present.get(**node as usize);
        if let Some(node) = nodes.iter().find(|node| !known(node))
            && !P::READS.node.is_empty()
        {
            return Err(format!("{}: asked about node {node}, of which nothing was sent", P::NAME));
        }
        let mut scene = self.scene(cycle)?;
        for &node in nodes {
            scene.node = node as usize;
            call(&scene)?;
        }
        Ok(())
    }

    /// The scene of a cycle, with the template prepared; its node is still to be set.
    fn scene<'a>(&'a mut self, cycle: &'a Cycle) -> Outcome<Scene<'a, P>> {
        let Guest { args, snapshot, templates } = self;
        let args = args.as_ref().ok_or_else(|| format!("{}: asked before it was configured", P::NAME))?;
        let held = templates.binary_search_by_key(&cycle.template, |(id, _)| *id).ok();
        let Template { pod, prepared } = held
            .and_then(|at| templates.get_mut(at))
            .map(|(_, template)| &mut **template)
            .ok_or_else(|| format!("{}: asked about template {}, which it does not hold", P::NAME, cycle.template))?;
        let template = TemplateScene { args, pod, cluster: &snapshot.cluster };
        let version = snapshot.cluster.version;
        let fresh = prepared.take().filter(|known| known.version == version || P::DECLARED.prepare.cluster.is_empty());
        let prepared = prepared.insert(match fresh {
            Some(known) => known,
            None => Prepared { value: P::prepare(&template), version },
        });
        Ok(Scene { template, prepared: &prepared.value, cycle, snapshot, node: 0 })
    }
}

/// For functions that run outside of cycles, and so can't see this.
fn before_any(template: u32) -> Cycle {
    Cycle { id: 0, time: 0, seed: 0, template }
}
