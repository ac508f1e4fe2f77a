//! Scores nodes by their utilization with the pod.

use berth_guest::Resource;
use berth_guest::prelude::*;

use crate::args::{Args, ScoringType, Strategy};

/// The resources that count for the pod.
pub struct RequestsToScore(Vec<ScoredResource>);

struct ScoredResource {
    resource: Resource,
    weight: i64,
    requested: i64,
}

impl RequestsToScore {
    /// Selects the resources. An extended resource counts only if the pod requests the resource. For cpu and memory, a
    /// container without a request counts with kube-scheduler's default request.
    pub fn new(requests: &pod::Requests, args: &Args) -> RequestsToScore {
        let scored = args.strategy.resources.iter().map(|(resource, weight)| ScoredResource {
            resource: resource.clone(),
            weight: *weight,
            requested: requests.get_non_zero(resource),
        });
        RequestsToScore(
            scored
                .filter(|resource| resource.requested != 0 || !matches!(resource.resource, Resource::Scalar(_)))
                .collect(),
        )
    }

    /// Returns the weighted mean, from 0 to 100, over the resources that the node has. `amounts` returns the capacity
    /// and usage of a resource.
    pub fn of(&self, strategy: &Strategy, amounts: impl Fn(&Resource) -> (i64, i64)) -> i64 {
        let (mut sum, mut weights) = (0, 0);
        for ScoredResource { resource, weight, requested } in &self.0 {
            let (capacity, used) = amounts(resource);
            if capacity == 0 {
                continue;
            }
            // The host's sums saturate at the largest integer.
            let (capacity, requested) = in_percent_range(capacity, used.saturating_add(*requested));
            let score = match &strategy.by {
                ScoringType::LeastAllocated if requested > capacity => 0,
                ScoringType::LeastAllocated => (capacity - requested) * 100 / capacity,
                ScoringType::MostAllocated => requested.min(capacity) * 100 / capacity,
                ScoringType::RequestedToCapacityRatio(shape) => {
                    let utilization = if requested > capacity { 100 } else { requested * 100 / capacity };
                    match interpolate(shape, utilization) {
                        // As in kube-scheduler, a resource with score 0 does not count.
                        ..=0 => continue,
                        score => score,
                    }
                }
            };
            sum += score * weight;
            weights += weight;
        }
        match &strategy.by {
            _ if weights == 0 => 0,
            ScoringType::RequestedToCapacityRatio(_) => (sum as f64 / weights as f64).round() as i64,
            _ => sum / weights,
        }
    }
}

/// Returns amounts that can be multiplied by 100 without overflow. The lost bits of very large amounts do not change
/// a score.
#[inline]
fn in_percent_range(capacity: i64, requested: i64) -> (i64, i64) {
    if capacity <= i64::MAX / 100 { (capacity, requested) } else { (capacity >> 7, requested >> 7) }
}

/// Returns the value at `at` of the piecewise linear function. The function is constant before the first point and
/// after the last.
fn interpolate(shape: &[(i64, i64)], at: i64) -> i64 {
    let mut before: Option<(i64, i64)> = None;
    for &(x, y) in shape {
        if at <= x {
            return before.map_or(y, |(x0, y0)| y0 + (y - y0) * (at - x0) / (x - x0));
        }
        before = Some((x, y));
    }
    before.map_or(0, |(_, y)| y)
}
