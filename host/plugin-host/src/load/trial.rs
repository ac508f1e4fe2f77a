//! The trial run, which tests a plugin before pods depend on it.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::{Cache, NodeId};
use berth_core::cluster_event::ClusterEvent;
use berth_core::model::Pod;
use berth_core::plugins::{Code, Cycle, HintEvent, PodSignatureId, QueueTimes, WhatIf};

use super::error::LoadCause;
use crate::asking::{self, Classes, OutOfRange};
use crate::guest::CallError;
use crate::guests::Resident;
use crate::synthetic;

/// The largest number of the cluster's pods in a trial.
const PODS: usize = 3;

/// The largest number of the cluster's pods that are searched for pods with different specs.
const LOOKED_AT: usize = 1_000;

/// The time of the cycle in a trial, in milliseconds since 1970.
const TIME: Timestamp = Timestamp(1_767_225_600_000);

/// Tests a plugin that was filled with `cache`, on up to `limit` nodes, with some of the cluster's pods, or with
/// synthetic pods.
///
/// An error that the plugin returns itself is accepted, unless the plugin returns an error for every pod.
pub fn trial(resident: &mut Resident, cache: &Cache, limit: usize) -> Result<(), LoadCause> {
    let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).take(limit).collect();
    let mut pods = pods(cache);
    if pods.is_empty() {
        pods = synthetic::pods();
    }
    let mut returned_errors = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        match Trial::new(cache, pod, number as u32).run(resident, &nodes) {
            Err(LoadCause::Trial { error: CallError::Returned(export, message), .. }) => {
                returned_errors.push((export, message))
            }
            other => other?,
        }
    }
    match returned_errors.pop() {
        Some((export, message)) if returned_errors.len() + 1 == pods.len() => {
            Err(LoadCause::Trial { nodes: nodes.len(), error: CallError::Returned(export, message) })
        }
        _ => Ok(()),
    }
}

/// Accepts that a plugin asks for something that is not granted to it: the trial's pods may be in other namespaces than
/// the pods that the plugin handles.
fn accept_not_granted(error: CallError) -> Result<(), CallError> {
    if matches!(error, CallError::NotGranted(..)) { Ok(()) } else { Err(error) }
}

/// Returns up to [`PODS`] pods of the cluster with different specs, each with an empty node name.
fn pods(cache: &Cache) -> Vec<Arc<Pod>> {
    let mut pods: Vec<Arc<Pod>> = Vec::new();
    for (_, cached) in cache.pods().filter(|(_, cached)| !cached.pod.deleting).take(LOOKED_AT) {
        if pods.len() < PODS && !pods.iter().any(|pod| pod.spec == cached.pod.spec) {
            pods.push(Arc::new(Pod { node_name: "".into(), ..Pod::clone(&cached.pod) }));
        }
    }
    pods
}

/// The cycle of one pod, without a queue.
pub struct Trial<'a> {
    cycle: Cycle<'a>,
}

impl<'a> Trial<'a> {
    /// Creates the cycle of this pod. `number` is unique in the trial.
    pub fn new(cache: &'a Cache, pod: &'a Pod, number: u32) -> Self {
        let (id, signature) = (u64::from(number), PodSignatureId(number));
        Self { cycle: Cycle { id, time: TIME, seed: id, signature, pod, cache } }
    }

    /// Returns the cycle as the plugin sees it.
    pub fn cycle(&self) -> &Cycle<'a> {
        &self.cycle
    }

    /// Sends the pod and calls pre-filter and pre-score.
    pub fn prepare(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), CallError> {
        resident.hold(self.cycle.signature, self.cycle.pod)?;
        resident.instance().pre_filter(&self.cycle)?;
        asking::pre_score(resident, &self.cycle, nodes)?;
        Ok(())
    }

    /// Calls hints, for an event about a new node, and then the extension points after the choice of a node, up to
    /// the first failure. Executes no intents.
    fn after_the_choice(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), CallError> {
        let cycle = &self.cycle;
        let Some(info) = nodes.first().and_then(|node| cycle.cache.node(*node)) else { return Ok(()) };
        let declaration = Arc::clone(resident.declaration());
        let (instance, name) = (resident.instance(), &*info.node.name);
        let event = ClusterEvent::node(None, Some(Arc::clone(&info.node)), declaration.node.facts);
        instance.hints(&HintEvent { event: &event, pods: [None; 2] }, std::slice::from_ref(cycle), &declaration)?;
        let Ok(reserved) = instance.reserve(cycle, info.id)? else { return Ok(()) };
        instance.permit(cycle, name, &reserved.state)?;
        instance.pre_bind(cycle, name, &reserved.state)?;
        instance.bind(cycle, name, &reserved.state)?;
        instance.post_bind(cycle, name, &reserved.state)?;
        instance.unreserve(cycle, name, &reserved.state, true).map(drop)
    }

    /// Calls all extension points of a scheduling cycle in order and checks the answers.
    pub fn run(&self, resident: &mut Resident, nodes: &[NodeId]) -> Result<(), LoadCause> {
        let failed = |error| LoadCause::Trial { nodes: nodes.len(), error };
        resident.hold(self.cycle.signature, self.cycle.pod).map_err(failed)?;
        resident.instance().skip(&self.cycle).map_err(failed)?;
        resident.instance().pre_enqueue(&self.cycle).map_err(failed)?;
        resident.instance().sort_key(&self.cycle, QueueTimes { first_queued: TIME, queued: TIME }).map_err(failed)?;
        asking::filtered(resident, &self.cycle, nodes).map_err(failed)?;
        let codes = vec![Code::Unschedulable; nodes.len()];
        let mut what_if = |cases: &[WhatIf]| Ok(asking::fits_beside_one_pod(self.cycle.cache, cases));
        let found = resident.instance().post_filter(&self.cycle, nodes, &codes, &[], &mut what_if);
        found.map(drop).or_else(accept_not_granted).map_err(failed)?;
        let scored = asking::scored(resident, &self.cycle, nodes).map_err(failed)?;
        self.after_the_choice(resident, nodes).or_else(accept_not_granted).map_err(failed)?;
        // Use the cycle id 0. For classify, a known cycle 0 means that the host has no classes, so no later call refers
        // to the classes of this trial.
        let cycle = Cycle { id: 0, ..self.cycle };
        asking::by_class(resident, &cycle, nodes, &mut Classes::default()).map_err(failed)?;
        let normalization = resident.declaration().normalization;
        match scored.and_then(|scored| scored.out_of_range(normalization)) {
            Some(OutOfRange { score, rule, .. }) => Err(LoadCause::Score { score, rule }),
            None => Ok(()),
        }
    }
}
