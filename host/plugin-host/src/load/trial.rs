//! The trial run: does a plugin answer as it must, before pods depend on it?

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::{Cache, NodeId};
use berth_core::cluster_event::ClusterEvent;
use berth_core::model::Pod;
use berth_core::plugins::{Code, Cycle, Happened, TemplateId, WhatIf};

use super::error::LoadCause;
use crate::asking::{self, Classes, OutOfRange};
use crate::guest::CallError;
use crate::guests::Resident;
use crate::synthetic;

/// Pods that a plugin is tried with.
const PODS: usize = 3;

/// Pods of the cluster among which those are searched.
const LOOKED_AT: usize = 1_000;

/// A cycle's time, for plugins that ask for it.
const TIME: Timestamp = Timestamp(1_767_225_600_000);

/// Tries a plugin, filled with `cache`, on up to `limit` of its nodes with some of its pods, or made-up ones.
///
/// An error of the plugin's own ("could not tell") is no fault as long as it is not all that it says.
pub(crate) fn trial(resident: &mut Resident, cache: &Cache, limit: usize) -> Result<(), LoadCause> {
    let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).take(limit).collect();
    let mut pods = pods(cache);
    if pods.is_empty() {
        pods = synthetic::pods();
    }
    let mut said = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        match Trial::new(cache, pod, number as u32).run(resident, &nodes) {
            Err(LoadCause::Trial { error: CallError::Said(export, words), .. }) => said.push((export, words)),
            other => other?,
        }
    }
    match said.pop() {
        Some((export, words)) if said.len() + 1 == pods.len() => {
            Err(LoadCause::Trial { nodes: nodes.len(), error: CallError::Said(export, words) })
        }
        _ => Ok(()),
    }
}

/// Pods of the cluster that differ in their spec, as they were before they were placed.
fn pods(cache: &Cache) -> Vec<Arc<Pod>> {
    let mut pods: Vec<Arc<Pod>> = Vec::new();
    for (_, cached) in cache.pods().filter(|(_, cached)| !cached.pod.deleting).take(LOOKED_AT) {
        if pods.len() < PODS && !pods.iter().any(|pod| pod.spec == cached.pod.spec) {
            pods.push(Arc::new(Pod { node_name: "".into(), ..Pod::clone(&cached.pod) }));
        }
    }
    pods
}

/// One pod's cycle, outside of any queue.
pub(crate) struct Trial<'a> {
    cycle: Cycle<'a>,
}

impl<'a> Trial<'a> {
    /// Of this pod; `number` differs between the pods of a trial.
    pub fn new(cache: &'a Cache, pod: &'a Pod, number: u32) -> Self {
        let (id, template) = (u64::from(number), TemplateId(number));
        Self { cycle: Cycle { id, time: TIME, seed: id, template, pod, cache } }
    }

    /// The cycle as the plugin sees it.
    pub fn cycle(&self) -> &Cycle<'a> {
        &self.cycle
    }

    /// Makes the pod known and asks what comes before filter and score.
    pub fn prepare(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), CallError> {
        resident.hold(self.cycle.template, self.cycle.pod)?;
        resident.instance().pre_filter(&self.cycle)?;
        asking::pre_score(resident, &self.cycle, nodes)?;
        Ok(())
    }

    /// What is asked when a node was chosen, up to where it comes to nothing; and of the queue, whether that node's coming can
    /// help the pod. Nothing of it is done.
    fn after_the_choice(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), CallError> {
        let cycle = &self.cycle;
        let Some(info) = nodes.first().and_then(|node| cycle.cache.node(*node)) else { return Ok(()) };
        let declaration = Arc::clone(resident.declaration());
        let (instance, name) = (resident.instance(), &*info.node.name);
        let event = ClusterEvent::node(None, Some(Arc::clone(&info.node)), declaration.node_facts);
        instance.hints(&Happened { event: &event, pods: [None; 2] }, std::slice::from_ref(cycle), &declaration)?;
        let Ok(reserved) = instance.reserve(cycle, info.id)? else { return Ok(()) };
        instance.permit(cycle, name, &reserved.state)?;
        instance.pre_bind(cycle, name, &reserved.state)?;
        instance.bind(cycle, name, &reserved.state)?;
        instance.post_bind(cycle, name, &reserved.state)?;
        instance.unreserve(cycle, name, &reserved.state, true).map(drop)
    }

    /// All that a scheduling cycle would ask, in its order, answers checked.
    pub fn run(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), LoadCause> {
        let failed = |error| LoadCause::Trial { nodes: nodes.len(), error };
        resident.hold(self.cycle.template, self.cycle.pod).map_err(failed)?;
        resident.instance().skip(&self.cycle).map_err(failed)?;
        resident.instance().pre_enqueue(&self.cycle).map_err(failed)?;
        resident.instance().sort_key(&self.cycle, self.cycle.time).map_err(failed)?;
        asking::filtered(resident, &self.cycle, nodes).map_err(failed)?;
        let codes = vec![Code::Unschedulable; nodes.len()];
        let mut room = |cases: &[WhatIf]| Ok(asking::room_beside_one(self.cycle.cache, cases));
        resident.instance().post_filter(&self.cycle, nodes, &codes, &[], &mut room).map_err(failed)?;
        let scored = asking::scored(resident, &self.cycle, nodes).map_err(failed)?;
        self.after_the_choice(resident, nodes).map_err(failed)?;
        // Cycle 0 is never one whose answer the core has.
        let cycle = Cycle { id: 0, ..self.cycle };
        asking::by_class(resident, &cycle, nodes, &mut Classes::default()).map_err(failed)?;
        let normalization = resident.declaration().normalization;
        match scored.and_then(|scored| scored.out_of_range(normalization)) {
            Some(OutOfRange { score, rule, .. }) => Err(LoadCause::Score { score, rule }),
            None => Ok(()),
        }
    }
}
