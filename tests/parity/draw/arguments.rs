//! Plugins' arguments.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::affinity::affinity;
use super::parts::{Part, any_of, field, list, object, optional};

const RESOURCES: [&str; 7] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "example.com/gpu",
    "vendor.io/nic",
    "example.com/nic",
    "deviceclass.resource.kubernetes.io/any",
];

/// Draws no arguments.
pub fn none() -> Part {
    Just(json!({})).boxed()
}

/// Draws arguments for NodeAffinity, NodeResourcesFit and NodeResourcesBalancedAllocation.
pub fn all() -> Part {
    object(vec![node_affinity(), fit(), balanced()])
}

/// Draws arguments for the scores of NodeResourcesFit and NodeResourcesBalancedAllocation.
pub fn of_scores() -> Part {
    object(vec![strategy(), balanced()])
}

/// Draws `NodeAffinityArgs`.
pub fn node_affinity() -> Part {
    let valid = |affinity: &Value| !affinity.to_string().contains("many");
    optional("NodeAffinity.addedAffinity", affinity().prop_filter("a profile's numbers have to be numbers", valid))
}

/// Draws `NodeResourcesFitArgs`.
pub fn fit() -> Part {
    object(vec![
        strategy(),
        optional("NodeResourcesFit.ignoredResources", list(any_of(&["example.com/gpu", "vendor.io/nic"]), 1..=1)),
        optional("NodeResourcesFit.ignoredResourceGroups", list(any_of(&["example.com", "vendor.io"]), 1..=1)),
    ])
}

/// Draws the scoring strategy of NodeResourcesFit.
fn strategy() -> Part {
    let strategy = prop_oneof![
        field("type", any_of(&["LeastAllocated", "MostAllocated"])),
        field("requestedToCapacityRatio.shape", shape())
            .prop_map(|ratio| super::parts::merged(json!({"type": "RequestedToCapacityRatio"}), ratio)),
    ];
    let strategy = object(vec![strategy.boxed(), optional("resources", resources(&[1, 2, 5, 100]))]);
    optional("NodeResourcesFit.scoringStrategy", strategy)
}

/// Draws `NodeResourcesBalancedAllocationArgs`.
pub fn balanced() -> Part {
    optional("NodeResourcesBalancedAllocation.resources", resources(&[1]))
}

/// Draws different resources with weights.
fn resources(weights: &'static [i64]) -> Part {
    proptest::sample::subsequence(RESOURCES.to_vec(), 1..=4)
        .prop_flat_map(move |names| {
            let weighed = |name: &str| {
                let name = name.to_owned();
                any_of(weights).prop_map(move |weight| json!({"name": name, "weight": weight})).boxed()
            };
            names.into_iter().map(weighed).collect::<Vec<_>>()
        })
        .prop_map(Value::Array)
        .boxed()
}

/// Draws the points of a RequestedToCapacityRatio function, in order of increasing utilization.
fn shape() -> Part {
    proptest::sample::subsequence(vec![0, 10, 33, 50, 80, 100], 1..=4)
        .prop_flat_map(|utilizations| {
            let point = |utilization: i64| {
                (0..=10i64).prop_map(move |score| json!({"utilization": utilization, "score": score})).boxed()
            };
            utilizations.into_iter().map(point).collect::<Vec<_>>()
        })
        .prop_map(Value::Array)
        .boxed()
}
