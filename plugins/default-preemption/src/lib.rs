//! DefaultPreemption: if no node fits, evicts pods with lower priority.
//!
//! Reads the pod's priority, `preemptionPolicy`, nominated node and scheduler name; priority, start time, labels,
//! name and namespace of the pods on nodes; and PodDisruptionBudgets. Examines with what-if calls which pods on a
//! node must be evicted, and nominates the node with the least harm, as kube-scheduler v1.36 does. Arguments:
//! `DefaultPreemptionArgs`.

mod args;
mod cluster;

use args::Args;
use berth_guest::post_filter::{PostFilter, PostFilterResult, Rejected};
use berth_guest::prelude::*;
use berth_preemption::{Cluster, Preemptor, Rules};

#[allow(clippy::too_many_arguments, reason = "a fact each")]
fn post_filter(
    rejected: &mut Rejected<'_>,
    priority: &pod::Priority,
    nominated: &pod::NominatedNode,
    scheduler: &pod::SchedulerName,
    args: &Args,
    cluster: &Cluster,
    cycle: &Cycle,
    time: &Time,
) -> Result<PostFilter, String> {
    let preemptor = Preemptor { priority, nominated, scheduler };
    let rules = LowerPriority {
        cluster,
        args,
        priority: priority.value,
        leaving: rejected.leaving().collect(),
        seed: cycle.seed,
    };
    let mut answer = berth_preemption::preempt(rejected, preemptor, cluster, &rules, time.0)?;
    if let PostFilterResult::Unschedulable { reasons, .. } = &mut answer.result {
        reasons.iter_mut().for_each(|reason| reason.insert_str(0, "preemption: "));
    }
    Ok(answer)
}

/// Pods with lower priority may be evicted.
struct LowerPriority<'a> {
    cluster: &'a Cluster,
    args: &'a Args,
    priority: i32,
    /// The pods on the nominated node that are being deleted because a scheduler preempted them.
    leaving: Vec<pod::Id>,
    seed: u64,
}

impl Rules for LowerPriority<'_> {
    type Account = ();

    fn awaits_victims(&self, _nominated: node::Id) -> bool {
        self.leaving.iter().any(|pod| self.cluster.pod(*pod).is_some_and(|pod| pod.priority < self.priority))
    }

    fn potential_victims(&self, node: node::Id) -> Vec<pod::Id> {
        self.cluster.pods_on(node).filter(|(_, pod)| pod.priority < self.priority).map(|(id, _)| id).collect()
    }

    fn no_victims(&self, _node: node::Id) -> String {
        "No preemption victims found for incoming pod".to_owned()
    }

    fn account(&self) {}

    fn offset(&self) -> u64 {
        self.seed
    }

    fn enough(&self, nodes: usize) -> usize {
        self.args.candidates(nodes)
    }
}

berth_guest::plugin!(
    name: "DefaultPreemption",
    args: Args,
    schema: "arguments.schema.json",
    index: Cluster,
    post_filter: post_filter,
);

#[cfg(test)]
mod tests;
