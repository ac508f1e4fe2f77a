//! NodeResourcesBalancedAllocation: prefers nodes whose resources the pod would leave evenly used.
//!
//! Reads what the pod requests, the node's allocatable resources and what its pods ask for already, as kube-scheduler v1.36 does:
//! the spread of the resources' utilization with the pod is compared with the one before it came, and pods that ask for none
//! of the resources are not scored. Arguments: `NodeResourcesBalancedAllocationArgs`.

mod args;

use args::Args;
use berth_guest::prelude::*;

/// Each resource that counts for this pod, and how much of it the pod asks for.
pub struct Wanted {
    resources: Vec<(String, i64)>,
    best_effort: bool,
}

/// Of extended resources, only those that the pod asks for count.
fn prepare(requests: &pod::Requests, args: &Args) -> Wanted {
    let always = |name: &str| ["cpu", "memory", "ephemeral-storage"].contains(&name);
    let wanted = args.resources.iter().map(|name| (name.clone(), requests.effective.get(name)));
    let resources: Vec<_> = wanted.filter(|(name, wanted)| *wanted != 0 || always(name)).collect();
    Wanted { best_effort: resources.iter().all(|(_, wanted)| *wanted == 0), resources }
}

/// Else all pods that ask for nothing would end up on one node.
fn pre_score(pod: &Wanted) -> PreScore {
    if pod.best_effort { PreScore::Skip } else { PreScore::Score }
}

/// 75 where the pod changes nothing, up to 100 where it evens things out, down to 50 where it does the contrary.
fn score(pod: &Wanted, allocatable: &node::Allocatable, usage: &node::Usage) -> i64 {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (name, wanted) in &pod.resources {
        let capacity = allocatable.get(name);
        if capacity != 0 {
            let used = usage.get(name);
            with.push(utilization(used + wanted, capacity));
            without.push(utilization(used, capacity));
        }
    }
    50 + (50 + evenness(&with) - evenness(&without)) / 2
}

fn utilization(used: i64, capacity: i64) -> f64 {
    (used as f64 / capacity as f64).min(1.0)
}

/// 100 where all are used to the same part, 50 where half of them are full and the others empty. The order of the additions
/// is kube-scheduler's, as it shows in the last digit.
fn evenness(utilizations: &[f64]) -> i64 {
    let deviation = match utilizations {
        [] | [_] => 0.0,
        [one, two] => ((one - two) / 2.0).abs(),
        many => {
            let count = many.len() as f64;
            let mean = many.iter().sum::<f64>() / count;
            (many.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>() / count).sqrt()
        }
    };
    ((1.0 - deviation) * 100.0) as i64
}

berth_guest::plugin!(
    name: "NodeResourcesBalancedAllocation",
    args: Args,
    prepare: prepare => Wanted,
    pre_score: pre_score,
    score: score,
);

#[cfg(test)]
mod tests;
