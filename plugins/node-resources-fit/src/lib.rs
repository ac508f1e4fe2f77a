//! NodeResourcesFit: filters nodes by free resources, and scores nodes by utilization.
//!
//! Reads the pod's requests (see `pod-requests` of the contract for their sum), the node's allocatable resources and
//! its usage, as kube-scheduler v1.36 does. The filter leaves an extended resource that a DeviceClass maps to devices
//! to the plugin DynamicResources if the node does not have the resource. If the arguments name such a resource for
//! scoring, the score counts its devices. Arguments: `NodeResourcesFitArgs`.

mod args;
mod filter;
mod hints;
mod score;

use args::Args;
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};
use berth_guest_devices::Inventory;
use hints::queueing_hint;

/// The data that `prepare` computes once for each pod signature.
pub struct PreparedPod {
    fit: filter::RequestsToFit,
    score: score::RequestsToScore,
}

fn prepare(requests: &pod::Requests, args: &Args) -> PreparedPod {
    PreparedPod { fit: filter::RequestsToFit::new(requests, args), score: score::RequestsToScore::new(requests, args) }
}

fn filter(pod: &PreparedPod, allocatable: &node::Allocatable, usage: &node::Usage, devices: &Inventory) -> Verdict {
    pod.fit.check(allocatable, usage, devices)
}

fn score(
    pod: &PreparedPod,
    args: &Args,
    node: node::Id,
    allocatable: &node::Allocatable,
    usage: &node::Usage,
    devices: &Inventory,
) -> i64 {
    pod.score.of(&args.strategy, |resource| devices.amounts(resource, allocatable, usage.get_non_zero(resource), node))
}

berth_guest::plugin!(
    name: "NodeResourcesFit",
    args: Args,
    schema: "arguments.schema.json",
    index: Inventory,
    prepare: prepare => PreparedPod,
    filter: filter,
    score: score,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("Pod", EventActions::DELETE | EventActions::UPDATE_SCALE_DOWN),
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_ALLOCATABLE),
        ClusterEvent::new("resource.k8s.io/v1/DeviceClass", EventActions::ADD | EventActions::UPDATE),
    ],
    // Scope `node` is valid: the index is read only for the node itself and for objects, and a change of an object
    // invalidates all cached answers.
    scope: Node,
);

#[cfg(test)]
mod args_tests;
#[cfg(test)]
mod device_tests;
#[cfg(test)]
mod filter_tests;
#[cfg(test)]
mod hints_tests;
#[cfg(test)]
mod score_tests;
