//! Finds the resources of a pod in the API object: requests and limits of the containers, the overhead, pod-level
//! resources, and the statuses of a resize.
//!
//! The model has the requests and limits of the containers, and the totals that are computed from all of these fields.
//! Each resource is computed alone, except for the quality of service class, and for the defaults of cpu and memory,
//! which depend on whether there are pod-level requests. So the search first finds candidates for each resource, and
//! then a combination of candidates that gives the model's values.

mod amounts;
mod candidate;
mod resize;
mod resource;
mod totals;

use std::collections::BTreeSet;

use berth_core::model::{ContainerKind, PodRequests, PodSpec, RequestInputs, Resources};

pub(super) use self::amounts::amounts;
use self::candidate::{Candidate, Mode, combine};
use self::resource::{Form, PodLevelRequest, Resource};

/// The maximum number of combinations that are computed in one mode.
const MAX_COMBINATIONS: usize = 1024;

/// The modes, in the order in which they are tried: most pods have
/// no pod-level resources, no infeasible resize, and whole bytes.
const MODES: [Mode; 12] = {
    const PLAIN: Mode =
        Mode { has_pod_level: false, has_pod_level_requests: false, resize_infeasible: false, has_fractions: false };
    const POD_LEVEL: Mode = Mode { has_pod_level: true, has_pod_level_requests: true, ..PLAIN };
    const POD_LEVEL_LIMITS: Mode = Mode { has_pod_level: true, ..PLAIN };
    [
        PLAIN,
        POD_LEVEL,
        POD_LEVEL_LIMITS,
        Mode { resize_infeasible: true, ..PLAIN },
        Mode { resize_infeasible: true, ..POD_LEVEL },
        Mode { resize_infeasible: true, ..POD_LEVEL_LIMITS },
        Mode { has_fractions: true, ..PLAIN },
        Mode { has_fractions: true, ..POD_LEVEL },
        Mode { has_fractions: true, ..POD_LEVEL_LIMITS },
        Mode { has_fractions: true, resize_infeasible: true, ..PLAIN },
        Mode { has_fractions: true, resize_infeasible: true, ..POD_LEVEL },
        Mode { has_fractions: true, resize_infeasible: true, ..POD_LEVEL_LIMITS },
    ]
};

/// Returns resources from which [`PodRequests::of`], [`RequestInputs::limits`] and [`RequestInputs::qos`] compute the
/// values of the model. If there are none, the result has the requests and limits of the containers.
pub(super) fn resources(requests: &PodRequests, spec: &PodSpec) -> RequestInputs {
    let kinds: Vec<ContainerKind> = spec.containers.iter().map(|container| container.kind).collect();
    let names = names(requests, spec);
    let resources: Vec<Resource<'_>> = names.iter().map(|name| Resource::new(name, &kinds, requests, spec)).collect();
    let is_equal = |inputs: &RequestInputs| {
        PodRequests::of(inputs) == *requests && inputs.limits() == spec.limits && inputs.qos() == spec.qos
    };
    let found = MODES.into_iter().find_map(|mode| {
        let options: Vec<Vec<Candidate>> = resources.iter().map(|resource| options(resource, mode)).collect();
        let mut combinations = combinations(&options).map(|chosen| combine(&named(&resources, chosen), &kinds, mode));
        combinations.find(is_equal)
    });
    found.unwrap_or_else(|| nearest(&resources, &kinds))
}

/// Returns the names of all resources of a pod.
fn names<'a>(requests: &'a PodRequests, spec: &'a PodSpec) -> BTreeSet<&'a str> {
    let containers = spec.containers.iter().flat_map(|container| [&container.requests, &container.limits]);
    let lists: Vec<&Resources> = containers.chain([&requests.fit, &requests.effective, &spec.limits]).collect();
    let amounts = lists.into_iter().flat_map(|list| amounts(list).map(|(name, _)| name));
    // Scores count cpu and memory of every pod.
    amounts.chain(requests.named.iter().map(|name| &**name)).chain(["cpu", "memory"]).collect()
}

/// Returns the candidates of one resource, those with the fewest fields first.
fn options(resource: &Resource<'_>, mode: Mode) -> Vec<Candidate> {
    use PodLevelRequest::{Absent, Positive, Zero};
    let is_pod_level = mode.has_pod_level && is_pod_level(resource.name);
    let limits: &[bool] = if is_pod_level { &[false, true] } else { &[false] };
    let requests: &[PodLevelRequest] =
        if is_pod_level && mode.has_pod_level_requests { &[Absent, Positive, Zero] } else { &[Absent] };
    let forms =
        limits.iter().flat_map(|limit| requests.iter().map(|request| Form { request: *request, limit: *limit }));
    forms.filter_map(|form| resource.find(form, mode)).collect()
}

/// Returns the combinations of one element of each list.
fn combinations<T>(lists: &[Vec<T>]) -> impl Iterator<Item = Vec<&T>> {
    let count = lists.iter().try_fold(1_usize, |count, list| count.checked_mul(list.len()));
    let count = count.unwrap_or(MAX_COMBINATIONS).min(MAX_COMBINATIONS);
    (0..count).map(move |mut number| {
        let choose = |list: &'_ Vec<T>| {
            let at = number % list.len();
            number /= list.len();
            at
        };
        let chosen: Vec<usize> = lists.iter().map(choose).collect();
        chosen.into_iter().zip(lists).map(|(at, list)| &list[at]).collect()
    })
}

fn named<'a, 'b>(resources: &[Resource<'a>], candidates: Vec<&'b Candidate>) -> Vec<(&'a str, &'b Candidate)> {
    resources.iter().map(|resource| resource.name).zip(candidates).collect()
}

/// Returns resources with the containers' requests and limits, and with those totals that a single resource can have.
fn nearest(resources: &[Resource<'_>], kinds: &[ContainerKind]) -> RequestInputs {
    let mode = MODES[0];
    let none = Form { request: PodLevelRequest::Absent, limit: false };
    let candidates: Vec<Candidate> =
        resources.iter().map(|resource| resource.find(none, mode).unwrap_or_else(|| resource.nearest())).collect();
    combine(&named(resources, candidates.iter().collect()), kinds, mode)
}

/// Returns whether `spec.resources` can have the resource.
fn is_pod_level(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}
