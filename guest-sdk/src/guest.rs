//! A plugin at work: its arguments, the cluster as it knows it, the templates it holds, and the batched calls over them.
//! The same on every target: a component and a native test differ in who calls.

use std::collections::HashMap;

use crate::bindings::base::exports::berth::scheduler::plugin::{Declaration, Description};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::declaration::Declared;
use crate::param::{Scene, TemplateScene};
use crate::plugin::Plugin;
use crate::score::Outcome;
use crate::snapshot::Snapshot;
use crate::types::{Pod, Verdicts};
use crate::verdicts::Collector;
use crate::{Cycle, PreFilter, PreScore, arguments, pod};

/// A plugin at work. The functions are those of the contract, `wit/plugin.wit` and `wit/placing.wit`.
pub struct Guest<P: Plugin> {
    declared: Declared,
    args: Option<P::Args>,
    snapshot: Snapshot,
    templates: HashMap<u32, Template<P>>,
}

struct Template<P: Plugin> {
    pod: pod::Facts,
    prepared: Option<Prepared<P>>,
}

struct Prepared<P: Plugin> {
    value: P::Prepared,
    /// Of the cluster's facts, when it was made.
    version: u64,
}

impl<P: Plugin> Default for Guest<P> {
    fn default() -> Guest<P> {
        Guest { declared: P::declare(), args: None, snapshot: Snapshot::default(), templates: HashMap::new() }
    }
}

impl<P: Plugin> Guest<P> {
    /// Who the plugin is.
    pub fn describe(&self) -> Description {
        Description { name: P::NAME.to_owned(), version: P::VERSION.to_owned() }
    }

    /// Takes the arguments. An error names the plugin and the field.
    pub fn configure(&mut self, arguments: &str) -> Result<Declaration, String> {
        self.args = Some(arguments::parse(P::NAME, arguments)?);
        Ok(self.declared.declaration())
    }

    /// Makes a pod known under a template's id.
    pub fn hold_template(&mut self, id: u32, pod: Pod) {
        let pod = pod::Facts::new(pod, &mut self.snapshot.texts);
        self.templates.insert(id, Template { pod, prepared: None });
    }

    /// Drops templates.
    pub fn forget_templates(&mut self, ids: &[u32]) {
        for id in ids {
            self.templates.remove(id);
        }
    }

    /// Applies changes of the cluster.
    pub fn apply(&mut self, changes: Vec<Change>) {
        self.snapshot.apply(changes);
    }

    /// Once a pod, before nodes are filtered.
    pub fn pre_filter(&mut self, cycle: &Cycle) -> Outcome<PreFilter> {
        Ok(P::pre_filter(&self.scene(cycle)?))
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
        let reads_nodes = self.declared.reads_nodes();
        let mut scene = self.scene(cycle)?;
        for &node in nodes {
            scene.node = node as usize;
            if reads_nodes && !scene.snapshot.present.get(scene.node) {
                return Err(format!("{}: asked about node {node}, of which nothing was sent", P::NAME));
            }
            call(&scene)?;
        }
        Ok(())
    }

    /// The scene of a cycle, with the template prepared; its node is still to be set.
    fn scene<'a>(&'a mut self, cycle: &'a Cycle) -> Outcome<Scene<'a, P>> {
        let Guest { declared, args, snapshot, templates } = self;
        let args = args.as_ref().ok_or_else(|| format!("{}: asked before it was configured", P::NAME))?;
        let Template { pod, prepared } = templates
            .get_mut(&cycle.template)
            .ok_or_else(|| format!("{}: asked about template {}, which it does not hold", P::NAME, cycle.template))?;
        let template = TemplateScene { args, pod, cluster: &snapshot.cluster };
        let version = snapshot.cluster.version;
        let fresh = prepared.take().filter(|known| known.version == version || !declared.prepare_reads_cluster());
        let prepared = prepared.insert(match fresh {
            Some(known) => known,
            None => Prepared { value: P::prepare(&template), version },
        });
        Ok(Scene { template, prepared: &prepared.value, cycle, snapshot, node: 0 })
    }
}
