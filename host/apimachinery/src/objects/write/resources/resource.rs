//! Finds quantities of one resource that have the sums of the model.

use berth_core::model::{ContainerKind, PodRequests, PodSpec, RequestInputs};
use berth_quantity::Quantity;

use super::amounts::{amount, fractions, quantity};
use super::candidate::{Candidate, Mode, combine};
use super::resize::{self, Sums};
use super::totals::Totals;

/// The maximum number of distributions of explicit requests of 0 that are considered with fractions.
const MAX_WITH_FRACTIONS: usize = 8;
/// The maximum number of candidates for which a resize is searched.
const MAX_RESIZED: usize = 3;
/// The maximum number of containers whose requests of 0 are combined in all ways.
const MAX_COMBINED: usize = 8;

/// A pod-level request of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodLevelRequest {
    /// `spec.resources.requests` does not have the resource.
    Absent,
    /// A request that is not 0.
    Positive,
    /// A request of 0. It differs from other requests in the quality of service class.
    Zero,
}

/// The fields that a candidate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// `spec.resources.requests`
    pub request: PodLevelRequest,
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

impl Form {
    fn has_request(self) -> bool {
        self.request != PodLevelRequest::Absent
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

    /// Returns quantities in this form that have the totals of the model; `None` if none were found.
    pub fn find(&self, form: Form, mode: Mode) -> Option<Candidate> {
        let zeros = self.explicit_zeros();
        let considered = if self.has_fractions(mode) { MAX_WITH_FRACTIONS } else { zeros.len() };
        let possible = zeros.into_iter().filter(|requests| form.has_request() || self.has_defaults_of(requests));
        possible.take(considered).find_map(|requests| {
            let splits = self.splits(&requests, form, mode);
            let is_equal = |of: &&Candidate| self.totals_of(of, mode) == self.totals;
            splits.iter().find(is_equal).cloned().or_else(|| {
                let mut few = splits.into_iter().take(MAX_RESIZED);
                few.find_map(|candidate| self.with_resize(candidate, &requests, mode))
            })
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

    /// Returns whether the defaults of these requests can be the difference between the totals of the model.
    fn has_defaults_of(&self, requests: &[Option<i64>]) -> bool {
        let (fit, scored, _) = self.sum(&self.candidate(requests));
        let difference = |with: i64, without: i64| with.saturating_sub(without);
        self.totals.scored.is_none_or(|total| {
            let expected = difference(total, self.totals.fit.unwrap_or(0));
            // Fractions change each sum by less than the number of containers.
            difference(scored, fit).abs_diff(expected) <= self.kinds.len() as u64
        })
    }

    /// Returns candidates with each way to split the totals between containers, overhead and pod-level resources.
    fn splits(&self, requests: &[Option<i64>], form: Form, mode: Mode) -> Vec<Candidate> {
        let base = self.candidate(requests);
        let (fit, scored, limit) = self.sum(&base);
        let total = |of: Option<i64>| of.unwrap_or(0);
        // The sum of the containers, and the total that contains this sum and the overhead.
        let (of_containers, with_overhead) = match (form.has_request(), self.totals.scored) {
            (false, _) => (fit, total(self.totals.fit)),
            (true, Some(total)) => (scored, total),
            (true, None) => (0, 0),
        };
        let from_requests = with_overhead.saturating_sub(of_containers);
        let from_limits = (!form.limit && limit != 0).then(|| total(self.totals.limit).saturating_sub(limit));
        let overheads = [Some(from_requests), from_limits, Some(0)].into_iter().flatten();
        let candidates: Vec<Candidate> = match self.has_fractions(mode) {
            false => overheads.filter(|of| *of >= 0).map(|of| self.with_pod(base.clone(), of, form)).collect(),
            true => overheads
                .flat_map(|of| [of, of.saturating_add(1), of.saturating_add(2)])
                .filter(|of| *of >= 0 && of.abs_diff(from_requests) <= self.kinds.len() as u64 + 1)
                .flat_map(|of| self.with_fractions(&self.with_pod(base.clone(), of, form), mode))
                .collect(),
        };
        let is_of_form = |of: &Candidate| {
            of.pod_level.is_none_or(|request| request.is_zero() == (form.request == PodLevelRequest::Zero))
        };
        let is_equal = |of: &Candidate| self.totals.is_equal_without_resize(&self.totals_of(of, mode));
        candidates.into_iter().filter(|candidate| is_of_form(candidate) && is_equal(candidate)).collect()
    }

    /// Returns whether the quantities of this resource can have fractions.
    fn has_fractions(&self, mode: Mode) -> bool {
        mode.has_fractions && fractions(self.name).count() > 1
    }

    /// Returns the candidate with fractions of the unit taken from the overhead, from each request and from each limit.
    /// The model rounds up the amount of each container, but the sum only once.
    fn with_fractions(&self, candidate: &Candidate, mode: Mode) -> Vec<Candidate> {
        let mut found = Vec::new();
        for of_overhead in fractions(self.name) {
            let overhead = candidate.overhead.map(|of| reduce(of, of_overhead));
            for of_request in fractions(self.name) {
                let candidate = Candidate { overhead, ..reduced_by(candidate, of_request, Quantity::default()) };
                let got = self.totals_of(&candidate, mode);
                if (got.fit, got.scored) == (self.totals.fit, self.totals.scored) {
                    // Equal requests and limits stay equal, for the quality of service class.
                    let of_limits = [of_request].into_iter().chain(fractions(self.name));
                    found.extend(of_limits.map(|of_limit| reduced_by(&candidate, Quantity::default(), of_limit)));
                }
            }
        }
        found
    }

    /// Adds the overhead and the pod-level fields.
    fn with_pod(&self, candidate: Candidate, overhead: i64, form: Form) -> Candidate {
        let request = self.totals.fit.unwrap_or(0).saturating_sub(overhead).max(0);
        let request = form.has_request().then(|| self.quantity(request));
        let limit = self.totals.limit.map_or(0, |limit| limit.saturating_sub(overhead).max(0));
        let is_absent = request.is_none() && candidate.requests.iter().all(Option::is_none);
        let has_overhead = overhead > 0 || self.totals.is_named && is_absent;
        Candidate {
            overhead: has_overhead.then(|| self.quantity(overhead)),
            pod_level: request,
            pod_level_effective: request,
            pod_level_limit: form.limit.then(|| self.quantity(limit)),
            ..candidate
        }
    }

    /// Changes the effective requests to those of the model.
    fn with_resize(&self, candidate: Candidate, requests: &[Option<i64>], mode: Mode) -> Option<Candidate> {
        let is_equal = |candidate: &Candidate| self.totals_of(candidate, mode) == self.totals;
        let overhead = candidate.overhead.map_or(0, |overhead| self.units(overhead));
        let effective = self.totals.effective.unwrap_or(0).saturating_sub(overhead);
        if candidate.pod_level.is_some() {
            let pod_level_effective = Some(self.quantity(effective.max(0)));
            return Some(Candidate { pod_level_effective, ..candidate }).filter(is_equal);
        }
        let with_defaults = self.totals.non_zero.map_or(effective, |total| total.saturating_sub(overhead));
        let default = if self.name == "cpu" { 100 } else { 200 << 20 };
        let default = if self.totals.non_zero.is_some() { default } else { 0 };
        // A container that is not resized can have less than its amount in the model.
        let missing = if self.has_fractions(mode) { 0..=self.kinds.len() as i64 } else { 0..=0 };
        let mut lists = missing.flat_map(|missing| {
            let more = |sum: i64| sum.saturating_add(missing);
            let sums = Sums { plain: more(effective), with_defaults: more(with_defaults), default };
            resize::candidates(self.kinds, requests, sums, mode.resize_infeasible)
        });
        lists.find_map(|list| {
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
        let mode = Mode::default();
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
        list.iter().map(|of| of.map(|of| reduce(of, part))).collect()
    };
    let requests = reduced(&candidate.requests, request_part);
    let limits = reduced(&candidate.limits, limit_part);
    Candidate { effective: requests.clone(), requests, limits, ..candidate.clone() }
}

fn reduce(quantity: Quantity, part: Quantity) -> Quantity {
    if quantity.is_zero() { quantity } else { quantity.minus(part) }
}
