//! Finds quantities of one resource that have the sums of the model.

use berth_core::model::{ContainerKind, PodRequests, PodSpec, RequestInputs};
use berth_quantity::Quantity;

use super::amounts::{amount, fraction, quantity};
use super::candidate::{Candidate, Mode, combine};
use super::resize::{self, Sums};

/// The maximum number of containers whose requests of 0 are combined in all ways.
const MAX_COMBINED: usize = 8;

/// The pod-level fields of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodLevel {
    /// `spec.resources.requests` has the resource.
    pub request: bool,
    /// `spec.resources.limits` has the resource.
    pub limit: bool,
}

/// One resource of a pod, with the amounts of the model.
pub struct Resource<'a> {
    /// The resource's name.
    pub name: &'a str,
    kinds: &'a [ContainerKind],
    requests: Vec<Option<i64>>,
    limits: Vec<Option<i64>>,
    totals: Totals,
}

/// The totals of one resource of a pod.
#[derive(Debug, PartialEq, Eq)]
struct Totals {
    is_named: bool,
    fit: Option<i64>,
    effective: Option<i64>,
    /// Of cpu and memory only.
    non_zero: Option<i64>,
    /// Of cpu and memory only.
    scored: Option<i64>,
    limit: Option<i64>,
}

impl Totals {
    fn of(name: &str, requests: &PodRequests, limits: &berth_core::model::Resources) -> Self {
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
    fn is_equal_without_resize(&self, other: &Self) -> bool {
        (self.is_named, self.fit, self.scored, self.limit) == (other.is_named, other.fit, other.scored, other.limit)
    }
}

impl<'a> Resource<'a> {
    /// Returns the resource with this name.
    pub fn new(name: &'a str, kinds: &'a [ContainerKind], requests: &PodRequests, spec: &PodSpec) -> Self {
        Self {
            name,
            kinds,
            requests: spec.containers.iter().map(|container| amount(&container.requests, name)).collect(),
            limits: spec.containers.iter().map(|container| amount(&container.limits, name)).collect(),
            totals: Totals::of(name, requests, &spec.limits),
        }
    }

    /// Returns quantities that have the totals of the model, with these pod-level fields; `None` if none were found.
    pub fn find(&self, pod_level: PodLevel, mode: Mode) -> Option<Candidate> {
        self.explicit_zeros().into_iter().find_map(|requests| {
            let splits = self.splits(&requests, pod_level, mode);
            splits.into_iter().find_map(|candidate| self.with_resize(candidate, &requests, mode))
        })
    }

    /// Returns quantities with equal requests and limits of the containers. The totals can differ from the model.
    pub fn nearest(&self) -> Candidate {
        let overhead = self.totals.fit.unwrap_or(0).saturating_sub(self.sum(&self.candidate(&self.requests)).0);
        let has_overhead = overhead > 0 || self.totals.is_named && self.requests.iter().all(Option::is_none);
        Candidate { overhead: has_overhead.then(|| self.quantity(overhead.max(0))), ..self.candidate(&self.requests) }
    }

    /// Returns the requests of the containers, with each distribution of explicit requests of 0. The model does not
    /// distinguish a native resource of 0 from an absent one, but only an absent request of cpu or memory has a default.
    fn explicit_zeros(&self) -> Vec<Vec<Option<i64>>> {
        let absent: Vec<usize> = (0..self.kinds.len()).filter(|at| self.requests[*at].is_none()).collect();
        let combinations: Vec<u64> = match absent.len() {
            _ if !self.totals.is_named || self.totals.scored.is_none() => vec![0],
            few if few <= MAX_COMBINED => (0..1 << few).collect(),
            // The first containers or the last ones.
            many => {
                let many = many.min(63);
                let all = (1 << many) - 1;
                (0..=many).flat_map(|count| [(1 << count) - 1, all & !((1 << count) - 1)]).collect()
            }
        };
        let explicit = |combination: u64| {
            let mut requests = self.requests.clone();
            let chosen = absent.iter().enumerate().filter(|(bit, _)| *bit < 64 && combination & 1 << bit != 0);
            chosen.for_each(|(_, at)| requests[*at] = Some(0));
            requests
        };
        combinations.into_iter().map(explicit).collect()
    }

    /// Returns candidates with each way to split the totals between containers, overhead and pod-level resources.
    fn splits(&self, requests: &[Option<i64>], pod_level: PodLevel, mode: Mode) -> Vec<Candidate> {
        let base = self.candidate(requests);
        let (fit, scored, limit) = self.sum(&base);
        let total = |of: Option<i64>| of.unwrap_or(0);
        // The sum of the containers, and the total that contains this sum and the overhead.
        let (of_containers, with_overhead) = match (pod_level.request, self.totals.scored) {
            (false, _) => (fit, total(self.totals.fit)),
            (true, Some(total)) => (scored, total),
            (true, None) => (0, 0),
        };
        let from_requests = with_overhead.saturating_sub(of_containers);
        let has_limit = !pod_level.limit && limit != 0;
        let from_limits = has_limit.then(|| total(self.totals.limit).saturating_sub(limit));
        let mut candidates = Vec::new();
        for overhead in [Some(from_requests), from_limits, Some(0)].into_iter().flatten().filter(|of| *of >= 0) {
            // The model rounds up the request of each container, but the sum of the requests only once.
            let request_excess = of_containers.saturating_add(overhead).saturating_sub(with_overhead);
            let limit_excess = limit.saturating_add(overhead).saturating_sub(total(self.totals.limit));
            for request_part in self.fractions(request_excess) {
                for limit_part in self.fractions(if has_limit { limit_excess } else { 0 }) {
                    let reduced = reduced_by(&base, request_part, limit_part);
                    candidates.push(self.with_pod(reduced, overhead, pod_level));
                }
            }
        }
        candidates.retain(|candidate| {
            let got = self.totals_of(candidate, mode);
            self.totals.is_equal_without_resize(&got)
        });
        candidates
    }

    /// Adds the overhead and the pod-level fields.
    fn with_pod(&self, candidate: Candidate, overhead: i64, pod_level: PodLevel) -> Candidate {
        let request = self.totals.fit.unwrap_or(0).saturating_sub(overhead).max(0);
        let request = pod_level.request.then(|| self.quantity(request));
        let limit = self.totals.limit.map_or(0, |limit| limit.saturating_sub(overhead).max(0));
        let is_absent = request.is_none() && candidate.requests.iter().all(Option::is_none);
        let has_overhead = overhead > 0 || self.totals.is_named && is_absent;
        Candidate {
            overhead: has_overhead.then(|| self.quantity(overhead)),
            pod_level: request,
            pod_level_effective: request,
            pod_level_limit: pod_level.limit.then(|| self.quantity(limit)),
            ..candidate
        }
    }

    /// Returns the fractions of the unit to take from each container, so that the sum of the containers is less by
    /// `excess`.
    fn fractions(&self, excess: i64) -> Vec<Quantity> {
        const NANO: u64 = 1_000_000_000;
        let parts = self.kinds.len() as u64;
        match u64::try_from(excess) {
            Ok(0) => vec![Quantity::default()],
            Ok(excess) if excess < parts => {
                (excess + 1..=parts).map(|parts| fraction(self.name, (excess * NANO).div_ceil(parts))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Changes the effective requests to those of the model.
    fn with_resize(&self, candidate: Candidate, requests: &[Option<i64>], mode: Mode) -> Option<Candidate> {
        let is_equal = |candidate: &Candidate| self.totals_of(candidate, mode) == self.totals;
        if is_equal(&candidate) {
            return Some(candidate);
        }
        let overhead = candidate.overhead.map_or(0, |overhead| self.units(overhead));
        let effective = self.totals.effective.unwrap_or(0).saturating_sub(overhead);
        if candidate.pod_level.is_some() {
            let pod_level_effective = Some(self.quantity(effective.max(0)));
            return Some(Candidate { pod_level_effective, ..candidate }).filter(is_equal);
        }
        let with_defaults = self.totals.non_zero.map_or(effective, |total| total.saturating_sub(overhead));
        let default = if self.name == "cpu" { 100 } else { 200 << 20 };
        let sums =
            Sums { plain: effective, with_defaults, default: if self.totals.non_zero.is_some() { default } else { 0 } };
        let lists = resize::candidates(self.kinds, &requests.to_vec(), sums, mode.resize_infeasible);
        lists.into_iter().find_map(|list| {
            let effective = list.iter().enumerate().map(|(at, amount)| match amount {
                // Keeps the fraction of a container that is not resized.
                amount if *amount == requests[at] => candidate.requests[at],
                amount => amount.map(|amount| self.quantity(amount)),
            });
            Some(Candidate { effective: effective.collect(), ..candidate.clone() }).filter(is_equal)
        })
    }

    /// Returns a candidate with these requests, the containers' limits, and nothing else.
    fn candidate(&self, requests: &[Option<i64>]) -> Candidate {
        let quantities = |list: &[Option<i64>]| -> Vec<Option<Quantity>> {
            list.iter().map(|amount| amount.map(|amount| self.quantity(amount))).collect()
        };
        let requests = quantities(requests);
        Candidate { effective: requests.clone(), requests, limits: quantities(&self.limits), ..Candidate::default() }
    }

    fn totals_of(&self, candidate: &Candidate, mode: Mode) -> Totals {
        // Another resource of `spec.resources.requests` changes which defaults apply.
        let mut inputs = combine(&[(self.name, candidate)], self.kinds, mode);
        if mode.has_pod_level_requests {
            const OTHER: &str = "hugepages-";
            inputs.pod_level.entry(OTHER.into()).or_default();
        }
        self.totals_of_inputs(&inputs)
    }

    fn totals_of_inputs(&self, inputs: &RequestInputs) -> Totals {
        Totals::of(self.name, &PodRequests::of(inputs), &inputs.limits())
    }

    /// Returns the sums of the containers: of the requests, of the requests with defaults, and of the limits.
    fn sum(&self, candidate: &Candidate) -> (i64, i64, i64) {
        let mode = Mode { has_pod_level: false, has_pod_level_requests: false, resize_infeasible: false };
        let totals = self.totals_of(candidate, mode);
        (totals.fit.unwrap_or(0), totals.scored.unwrap_or(0), totals.limit.unwrap_or(0))
    }

    fn quantity(&self, amount: i64) -> Quantity {
        quantity(self.name, amount)
    }

    fn units(&self, quantity: Quantity) -> i64 {
        if self.name == "cpu" { quantity.milli() } else { quantity.value() }
    }
}

/// Returns the candidate with a fraction taken from each request and each limit that is not 0.
fn reduced_by(candidate: &Candidate, request_part: Quantity, limit_part: Quantity) -> Candidate {
    let reduced = |list: &[Option<Quantity>], part: Quantity| -> Vec<Option<Quantity>> {
        let reduce = |of: Quantity| if of.is_zero() { of } else { of.minus(part) };
        list.iter().map(|of| of.map(reduce)).collect()
    };
    let requests = reduced(&candidate.requests, request_part);
    let limits = reduced(&candidate.limits, limit_part);
    Candidate { effective: requests.clone(), requests, limits, ..candidate.clone() }
}
