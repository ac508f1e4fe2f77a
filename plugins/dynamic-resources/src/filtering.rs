//! Checks that a pod's claims are allocated for a node, or can be allocated on the node.

use std::rc::Rc;

use berth_guest::prelude::*;

use crate::allocator::{self, Failure, Node};
use crate::api::Allocation;
use crate::args::Args;
use crate::binding::{self, Readiness};
use crate::claims::{ExtendedClaim, PreparedPod};
use crate::cluster::Cluster;
use crate::known_claim::KnownClaim;

/// Rejects the pod while one of its claims is missing or invalid.
pub fn pre_enqueue(pod: &PreparedPod, cluster: &Cluster) -> Verdict {
    pod.claims(cluster).map_or_else(Verdict::unresolvable, |_| Verdict::FITS)
}

/// Skips pods that request no devices.
pub fn skip(pod: &PreparedPod, cluster: &Cluster) -> bool {
    pod.is_empty(cluster)
}

/// Checks the pod's claims independently of nodes.
pub fn pre_filter(pod: &PreparedPod, cluster: &Cluster) -> Result<PreFilter, Rejection> {
    if pod.is_empty(cluster) {
        return Ok(PreFilter::Skip);
    }
    for known in pod.claims(cluster).map_err(Rejection::unresolvable)? {
        match (known.allocation(), &known.nodes) {
            (Some(_), _) if !known.claim.can_be_reserved_for(&pod.uid) => {
                return Err(Rejection::unresolvable("resourceclaim in use"));
            }
            (Some(_), _) if known.assumed => {
                let reason = format!("resource claim {known} is in the process of being allocated");
                return Err(Rejection::unresolvable(reason));
            }
            (Some(_), Some(Err(problem))) => return Err(Rejection::error(problem.clone())),
            (Some(_), _) => (),
            (None, _) => has_classes(&known, cluster)?,
        }
    }
    Ok(PreFilter::All)
}

/// Checks that all classes of the claim's requests exist.
fn has_classes(known: &KnownClaim, cluster: &Cluster) -> Result<(), Rejection> {
    for request in &known.claim.spec.devices.requests {
        let name = &request.name;
        let asks: Vec<(String, &String)> = match &request.exactly {
            Some(ask) => vec![(name.clone(), &ask.device_class_name)],
            None if request.first_available.is_empty() => {
                let reason = format!("resource claim {known}, request {name}: unknown request type");
                return Err(Rejection::unresolvable(reason));
            }
            None => request
                .first_available
                .iter()
                .map(|ask| (format!("{name}/{}", ask.name), &ask.device_class_name))
                .collect(),
        };
        for (request, class) in asks {
            if class.is_empty() {
                return Err(Rejection::error(format!("request {request}: unsupported request type")));
            }
            if cluster.classes.get(class).is_none() {
                let reason = format!("request {request}: device class {class} does not exist");
                return Err(Rejection::unresolvable(reason));
            }
        }
    }
    Ok(())
}

/// Checks that the node can use the allocated claims, and that devices are available for the other claims and for
/// extended resources that no device plugin of the node provides.
#[allow(clippy::too_many_arguments, reason = "a fact each")]
pub fn filter(
    pod: &PreparedPod,
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    time: &Time,
    name: &node::Name,
    labels: &node::Labels,
    allocatable: &node::Allocatable,
) -> Verdict {
    let claims = match pod.claims(cluster) {
        Ok(claims) => claims,
        Err(problem) => return Verdict::unresolvable(problem),
    };
    if pod.left_over(cluster).is_some() {
        return Verdict::unresolvable("cannot schedule extended resource claim");
    }
    let extended_claim = match pod.extended_claim(cluster, allocatable) {
        Ok(extended_claim) => extended_claim,
        Err(reason) => return Verdict::unresolvable(reason),
    };
    let node = Node { name, labels };
    let is_unavailable =
        |(at, known): (usize, &Rc<KnownClaim>)| (!is_available(known, node, args, time.0)).then_some(at);
    let unavailable: Vec<usize> = claims.iter().enumerate().filter_map(is_unavailable).collect();
    if let Err(rejection) = allocated(&with_extended_claim(claims, extended_claim.as_ref()), cluster, args, cycle, node)
    {
        return rejection.into();
    }
    if !unavailable.is_empty() {
        cluster.note_unavailable(cycle.id, unavailable.into_iter());
        return Verdict::unresolvable("resourceclaim not available on the node");
    }
    Verdict::FITS
}

/// Returns `claims`, followed by the claim to create for extended resources, if any.
pub fn with_extended_claim(
    mut claims: Vec<Rc<KnownClaim>>,
    extended_claim: Option<&ExtendedClaim>,
) -> Vec<Rc<KnownClaim>> {
    claims.extend(extended_claim.map(|extended_claim| Rc::clone(&extended_claim.claim)));
    claims
}

/// Returns true if the claim is not allocated, or if the node can use the allocation. An allocation is unusable if
/// its devices failed to bind or were not bound in time.
fn is_available(known: &KnownClaim, node: Node<'_>, args: &Args, now: i64) -> bool {
    let matches = match &known.nodes {
        Some(Ok(terms)) => terms.any_matches(node.name, node.labels),
        Some(Err(_)) => false,
        None => true,
    };
    matches
        && (known.allocation().is_none()
            || match binding::readiness(&known.claim) {
                Readiness::Ready => true,
                Readiness::Waiting => !binding::is_overdue(&known.claim, args.binding_timeout, now),
                Readiness::Failed => false,
            })
}

/// Returns allocations for the unallocated claims, in the order of `claims`.
pub fn allocated(
    claims: &[Rc<KnownClaim>],
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    node: Node<'_>,
) -> Result<Vec<(Rc<KnownClaim>, Allocation)>, Rejection> {
    let unallocated: Vec<Rc<KnownClaim>> =
        claims.iter().filter(|known| known.allocation().is_none()).cloned().collect();
    if unallocated.is_empty() {
        return Ok(Vec::new());
    }
    let timed_out = || Rejection::error(format!("node {}: timed out trying to allocate devices", node.name));
    if cluster.timed_out_cycle.get() == Some(cycle.id) {
        return Err(timed_out());
    }
    match allocator::allocate(cluster, node, &unallocated, args.steps, cycle.seed) {
        Ok(Some(allocations)) => Ok(unallocated.into_iter().zip(allocations).collect()),
        Ok(None) => Err(Rejection::unresolvable("cannot allocate all claims")),
        Err(Failure::OnNode(reason)) => Err(Rejection::unresolvable(reason)),
        Err(Failure::Invalid(problem)) => Err(Rejection::error(problem)),
        Err(Failure::TimedOut) => {
            cluster.timed_out_cycle.set(Some(cycle.id));
            Err(timed_out())
        }
    }
}
