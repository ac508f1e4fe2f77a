//! How good the node is, by how full the pod would leave it.

use berth_guest::prelude::*;

use crate::args::{Args, By, Strategy};

/// The resources that count for this pod.
pub struct Wanted(Vec<Resource>);

struct Resource {
    kind: Kind,
    weight: i64,
    wanted: i64,
}

enum Kind {
    Cpu,
    Memory,
    EphemeralStorage,
    Scalar(String),
}

impl Wanted {
    /// Of extended resources, only those that the pod asks for count. Of cpu and memory, a container that asks for none
    /// counts with a default.
    pub fn new(requests: &pod::Requests, args: &Args) -> Wanted {
        let resource = |(name, weight): &(String, i64)| {
            let (kind, wanted) = match name.as_str() {
                "cpu" => (Kind::Cpu, requests.non_zero_milli_cpu),
                "memory" => (Kind::Memory, requests.non_zero_memory),
                "ephemeral-storage" => (Kind::EphemeralStorage, requests.effective.ephemeral_storage),
                _ => match requests.effective.scalar(name) {
                    0 => return None,
                    wanted => (Kind::Scalar(name.clone()), wanted),
                },
            };
            Some(Resource { kind, weight: *weight, wanted })
        };
        Wanted(args.strategy.resources.iter().filter_map(resource).collect())
    }

    /// The weighted mean over the resources that the node has.
    pub fn of(&self, strategy: &Strategy, allocatable: &node::Allocatable, usage: &node::Usage) -> i64 {
        let (mut sum, mut weights) = (0, 0);
        for resource in &self.0 {
            let (capacity, used) = match &resource.kind {
                Kind::Cpu => (allocatable.milli_cpu, usage.non_zero_milli_cpu),
                Kind::Memory => (allocatable.memory, usage.non_zero_memory),
                Kind::EphemeralStorage => (allocatable.ephemeral_storage, usage.ephemeral_storage),
                Kind::Scalar(name) => (allocatable.scalar(name), usage.scalar(name)),
            };
            if capacity == 0 {
                continue;
            }
            let requested = used + resource.wanted;
            let score = match &strategy.by {
                By::LeastAllocated if requested > capacity => 0,
                By::LeastAllocated => (capacity - requested) * 100 / capacity,
                By::MostAllocated => requested.min(capacity) * 100 / capacity,
                By::RequestedToCapacityRatio(shape) => {
                    let utilization = if requested > capacity { 100 } else { requested * 100 / capacity };
                    match on_line(shape, utilization) {
                        // Such a resource does not count at all.
                        ..=0 => continue,
                        score => score,
                    }
                }
            };
            sum += score * resource.weight;
            weights += resource.weight;
        }
        match &strategy.by {
            _ if weights == 0 => 0,
            By::RequestedToCapacityRatio(_) => (sum as f64 / weights as f64).round() as i64,
            _ => sum / weights,
        }
    }
}

/// The value of a broken line; level before its first point and after its last.
fn on_line(shape: &[(i64, i64)], at: i64) -> i64 {
    let mut before: Option<(i64, i64)> = None;
    for &(x, y) in shape {
        if at <= x {
            return before.map_or(y, |(x0, y0)| y0 + (y - y0) * (at - x0) / (x - x0));
        }
        before = Some((x, y));
    }
    before.map_or(0, |(_, y)| y)
}
