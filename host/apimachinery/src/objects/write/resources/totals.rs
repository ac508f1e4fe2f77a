//! The totals of one resource of a pod.

use berth_core::model::{PodRequests, Resources};

use super::amounts::amount;

/// The totals of one resource of a pod.
#[derive(Debug, PartialEq, Eq)]
pub struct Totals {
    /// `PodRequests::named` has the resource.
    pub is_named: bool,
    /// The amount in `PodRequests::fit`.
    pub fit: Option<i64>,
    /// The amount in `PodRequests::effective`.
    pub effective: Option<i64>,
    /// The amount with defaults, of cpu and memory only.
    pub non_zero: Option<i64>,
    /// The amount that scores use, of cpu and memory only.
    pub scored: Option<i64>,
    /// The amount in `PodSpec::limits`.
    pub limit: Option<i64>,
}

impl Totals {
    /// Returns the totals of the resource with this name.
    pub fn of(name: &str, requests: &PodRequests, limits: &Resources) -> Self {
        let (non_zero, scored) = match name {
            "cpu" => (Some(requests.non_zero_milli_cpu), Some(requests.scored_milli_cpu)),
            "memory" => (Some(requests.non_zero_memory), Some(requests.scored_memory)),
            _ => (None, None),
        };
        Self {
            is_named: requests.named.iter().any(|named| **named == *name),
            fit: amount(&requests.fit, name),
            effective: amount(&requests.effective, name),
            non_zero,
            scored,
            limit: amount(limits, name),
        }
    }

    /// Returns whether the totals are equal, except for those that depend on a resize.
    pub fn is_equal_without_resize(&self, other: &Self) -> bool {
        (self.is_named, self.fit, self.scored, self.limit) == (other.is_named, other.fit, other.scored, other.limit)
    }
}
