//! NodeResourcesFit: pods go where what they ask for is free, and prefer nodes by how full they would be.
//!
//! Reads what the pod requests (`pod-requests` of the contract says how that is summed), the node's allocatable resources and
//! what its pods ask for already, as kube-scheduler v1.36 does. Extended resources that a DeviceClass stands for are left to
//! DynamicResources where the node has none of them; where the arguments name one to score by, its devices are counted. Arguments:
//! `NodeResourcesFitArgs`.

mod args;
mod filter;
mod hints;
mod score;

use args::Args;
use berth_guest::prelude::*;
use berth_guest::{ClusterEvent, EventActions};
use berth_guest_devices::Inventory;
use hints::queueing_hint;

/// What is worked out once a template.
pub struct Wanted {
    fit: filter::Wanted,
    score: score::Wanted,
}

fn prepare(requests: &pod::Requests, args: &Args) -> Wanted {
    Wanted { fit: filter::Wanted::new(requests, args), score: score::Wanted::new(requests, args) }
}

fn filter(pod: &Wanted, allocatable: &node::Allocatable, usage: &node::Usage, devices: &Inventory) -> Verdict {
    pod.fit.check(allocatable, usage, devices)
}

fn score(
    pod: &Wanted,
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
    index: Inventory,
    prepare: prepare => Wanted,
    filter: filter,
    score: score,
    queueing_hint: queueing_hint,
    retry_on: [
        ClusterEvent::new("Pod", EventActions::DELETE | EventActions::UPDATE_SCALE_DOWN),
        ClusterEvent::new("Node", EventActions::ADD | EventActions::UPDATE_ALLOCATABLE),
        ClusterEvent::new("resource.k8s.io/v1/DeviceClass", EventActions::ADD | EventActions::UPDATE),
    ],
    // Of the index, only the node itself and objects are read, and with each change of those all answers are asked for anew.
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
