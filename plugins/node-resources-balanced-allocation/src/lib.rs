//! NodeResourcesBalancedAllocation: prefers nodes whose resources are evenly used with the pod.
//!
//! Reads the pod's requests, the node's allocatable resources and its usage. As in kube-scheduler v1.36, the score
//! compares the deviation of the resources' utilization with and without the pod, and pods without requests for
//! these resources are not scored. For an extended resource that a DeviceClass maps to devices, the devices are counted
//! if no device plugin of the node provides the resource. Arguments: `NodeResourcesBalancedAllocationArgs`.

mod args;

use args::Args;
use berth_guest::Resource;
use berth_guest::prelude::*;
use berth_guest_devices::Inventory;

/// The resources that count for the pod, with the pod's requests.
pub struct PreparedPod(Vec<(Resource, i64)>);

/// Selects the resources. An extended resource counts only if the pod requests the resource.
fn prepare(requests: &pod::Requests, args: &Args) -> PreparedPod {
    let requests = args.resources.iter().map(|resource| (resource.clone(), requests.effective.get(resource)));
    PreparedPod(
        requests.filter(|(resource, requested)| *requested != 0 || !matches!(resource, Resource::Scalar(_))).collect(),
    )
}

/// Skips pods that request none of the resources. Otherwise all of these pods would go to one node.
fn pre_score(pod: &PreparedPod) -> PreScore {
    if pod.0.iter().all(|(_, requested)| *requested == 0) { PreScore::Skip } else { PreScore::Score }
}

fn score(
    pod: &PreparedPod,
    node: node::Id,
    allocatable: &node::Allocatable,
    usage: &node::Usage,
    devices: &Inventory,
) -> i64 {
    let amounts = |(resource, requested): &(Resource, i64)| {
        let (capacity, used) = devices.amounts(resource, allocatable, usage.get(resource), node);
        Amounts { capacity, used, requested: *requested }
    };
    let provided = pod.0.iter().map(amounts).filter(|amounts| amounts.capacity != 0);
    // The amounts are read several times. An array avoids an allocation per node for the usual number of resources.
    let mut inline = [Amounts::default(); INLINE];
    if pod.0.len() > INLINE {
        return improvement(&provided.collect::<Vec<_>>());
    }
    let mut len = 0;
    provided.for_each(|amounts| {
        inline[len] = amounts;
        len += 1;
    });
    improvement(&inline[..len])
}

/// The number of resources up to which `score` uses an array.
const INLINE: usize = 4;

/// The node's capacity and usage of a resource, and the pod's request.
#[derive(Clone, Copy, Default)]
struct Amounts {
    capacity: i64,
    used: i64,
    requested: i64,
}

impl Amounts {
    fn before(&self) -> f64 {
        part(self.used, self.capacity)
    }

    fn after(&self) -> f64 {
        // The host's sums saturate at the largest integer.
        part(self.used.saturating_add(self.requested), self.capacity)
    }
}

/// Returns the utilization, at most 1. `f64::min` is avoided because it compiles to a function call in WebAssembly.
fn part(used: i64, capacity: i64) -> f64 {
    match used as f64 / capacity as f64 {
        more if more > 1.0 => 1.0,
        part => part,
    }
}

/// Returns the score: 75 if the pod does not change the balance, up to 100 if it improves the balance, down to 50 if
/// it worsens the balance.
#[inline]
fn improvement(amounts: &[Amounts]) -> i64 {
    50 + (50 + evenness(amounts, Amounts::after) - evenness(amounts, Amounts::before)) / 2
}

/// Returns 100 if all resources have the same utilization, 50 if half of them are full and the others empty. The
/// order of additions is kube-scheduler's, because it affects the last digit.
#[inline]
fn evenness(amounts: &[Amounts], utilization: impl Fn(&Amounts) -> f64) -> i64 {
    let deviation = match amounts {
        [] | [_] => 0.0,
        [one, two] => ((utilization(one) - utilization(two)) / 2.0).abs(),
        all => {
            let mean = all.iter().map(&utilization).sum::<f64>() / all.len() as f64;
            let squares = all.iter().map(|one| (utilization(one) - mean) * (utilization(one) - mean));
            (squares.sum::<f64>() / all.len() as f64).sqrt()
        }
    };
    ((1.0 - deviation) * 100.0) as i64
}

berth_guest::plugin!(
    name: "NodeResourcesBalancedAllocation",
    args: Args,
    schema: "arguments.schema.json",
    index: Inventory,
    prepare: prepare => PreparedPod,
    pre_score: pre_score,
    score: score,
    // Scope `node` is valid: the index is read only for the node itself and for objects, and a change of an object
    // invalidates all cached answers.
    scope: Node,
);

#[cfg(test)]
mod tests;
