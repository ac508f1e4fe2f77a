//! NodeResourcesBalancedAllocation: prefers nodes whose resources the pod would leave evenly used.
//!
//! Reads what the pod requests, the node's allocatable resources and what its pods ask for already, as kube-scheduler v1.36 does:
//! the spread of the resources' utilization with the pod is compared with the one before it came, and pods that ask for none
//! of the resources are not scored. Of extended resources that a DeviceClass stands for, devices are counted where the node has none
//! by a device plugin. Arguments: `NodeResourcesBalancedAllocationArgs`.

mod args;

use args::Args;
use berth_guest::Resource;
use berth_guest::prelude::*;
use berth_guest_devices::Inventory;

/// Each resource that counts for this pod, and how much of it the pod asks for.
pub struct Wanted(Vec<(Resource, i64)>);

/// Of extended resources, only those that the pod asks for count.
fn prepare(requests: &pod::Requests, args: &Args) -> Wanted {
    let wanted = args.resources.iter().map(|resource| (resource.clone(), requests.effective.get(resource)));
    Wanted(wanted.filter(|(resource, wanted)| *wanted != 0 || !matches!(resource, Resource::Scalar(_))).collect())
}

/// Else all pods that ask for nothing would end up on one node.
fn pre_score(pod: &Wanted) -> PreScore {
    if pod.0.iter().all(|(_, wanted)| *wanted == 0) { PreScore::Skip } else { PreScore::Score }
}

fn score(
    pod: &Wanted,
    node: node::Id,
    allocatable: &node::Allocatable,
    usage: &node::Usage,
    devices: &Inventory,
) -> i64 {
    let amounts = |(resource, wanted): &(Resource, i64)| {
        let (capacity, used) = devices.amounts(resource, allocatable, usage.get(resource), node);
        Amounts { capacity, used, wanted: *wanted }
    };
    let there = pod.0.iter().map(amounts).filter(|amounts| amounts.capacity != 0);
    // They are looked at several times; most pods ask for cpu and memory only, and that needs no allocation for each node.
    let mut few = [Amounts::default(); FEW];
    if pod.0.len() > FEW {
        return improvement(&there.collect::<Vec<_>>());
    }
    let mut len = 0;
    there.for_each(|amounts| {
        few[len] = amounts;
        len += 1;
    });
    improvement(&few[..len])
}

/// See `score`.
const FEW: usize = 4;

/// Of a resource that a node has.
#[derive(Clone, Copy, Default)]
struct Amounts {
    capacity: i64,
    used: i64,
    wanted: i64,
}

impl Amounts {
    fn before(&self) -> f64 {
        part(self.used, self.capacity)
    }

    fn after(&self) -> f64 {
        // The host's sums end at the largest number.
        part(self.used.saturating_add(self.wanted), self.capacity)
    }
}

/// More than there is counts as all. Not `min`, which WebAssembly has for numbers alone and a call has to stand for.
fn part(used: i64, capacity: i64) -> f64 {
    match used as f64 / capacity as f64 {
        more if more > 1.0 => 1.0,
        part => part,
    }
}

/// 75 where the pod changes nothing, up to 100 where it evens things out, down to 50 where it does the contrary.
#[inline]
fn improvement(amounts: &[Amounts]) -> i64 {
    50 + (50 + evenness(amounts, Amounts::after) - evenness(amounts, Amounts::before)) / 2
}

/// 100 where all are used to the same part, 50 where half of them are full and the others empty. The order of the
/// additions is kube-scheduler's, as it shows in the last digit.
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
    index: Inventory,
    prepare: prepare => Wanted,
    pre_score: pre_score,
    score: score,
    // Of the index, only the node itself and objects are read, and with each change of those all answers are asked for anew.
    scope: Node,
);

#[cfg(test)]
mod tests;
