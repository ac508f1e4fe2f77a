//! Suggests lower resource requests.

use std::collections::BTreeSet;

use berth_apimachinery::nearest;
use berth_core::cache::NodeInfo;
use berth_quantity::Quantity;

use super::change::{ChangeKind, PatchOperation, patched};
use super::confirm::{Confirmer, Fit, then_fit};
use super::request::{Request, amount_of, has_lone_huge_pages, quantity, requests, units};
use super::shortage::Shortage;
use super::suggestion::Suggestion;

const PLUGIN: &str = "NodeResourcesFit";

/// Suggests a lower request, or the removal of a request if no lower one helps. If no single request helps, suggests
/// lower requests for several resources together.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let requests = requests(&confirmer.object);
    let all: Vec<PatchOperation> =
        requests.iter().flat_map(|request| request.patch(&confirmer.object, Some(Quantity::default()))).collect();
    let Some(fit) = (!requests.is_empty()).then(|| confirmer.fits(&all)).flatten() else { return Vec::new() };
    let mut suggestions = Vec::new();
    for request in &requests {
        let removal = request.patch(&confirmer.object, None);
        let Some(fit) = confirmer.fits(&removal) else { continue };
        suggestions.extend(renamed(confirmer, request));
        let lower = lowered(confirmer, request, &fit);
        suggestions.extend(lower.or_else(|| {
            let text = format!("Remove the request for {}; {}.", request.resource, then_fit(&fit));
            let change = confirmer.change(ChangeKind::RemoveRequest, removal);
            request.is_valid(confirmer, None).then(|| confirmer.suggestion(change, PLUGIN, text, &fit))
        }));
    }
    if suggestions.is_empty() {
        suggestions.extend(lowered_together(confirmer, &requests, &fit));
    }
    suggestions
}

/// Suggests the similar resource that nodes have, if no node has the requested one.
fn renamed(confirmer: &mut Confirmer<'_>, request: &Request) -> Option<Suggestion> {
    let wrong = &request.resource;
    let nodes = confirmer.cache().nodes().flat_map(|info| &info.node.allocatable.scalars);
    let names: BTreeSet<String> = nodes.filter(|(_, amount)| *amount > 0).map(|(name, _)| name.to_string()).collect();
    if !request.is_scalar() || names.contains(wrong) {
        return None;
    }
    let name = nearest(wrong, names.iter().map(String::as_str))?;
    let patch = request.renamed(&confirmer.object, name);
    let text = format!("Request {name} instead of {wrong}: no node has {wrong}.");
    confirmer.confirmed(ChangeKind::FixResourceName, PLUGIN, patch, |_| text)
}

/// Suggests lower requests for all resources that the closest node of `without` lacks.
fn lowered_together(confirmer: &mut Confirmer<'_>, requests: &[Request], without: &Fit) -> Option<Suggestion> {
    // Of each resource, the largest request.
    let mut largest: Vec<&Request> = requests.iter().collect();
    largest.dedup_by(|one, other| one.resource == other.resource);
    let pod = &confirmer.pod.requests.fit;
    let lacks = |info: &NodeInfo, request: &&Request| free(info, &request.resource) < amount_of(pod, &request.resource);
    let infos = without.iter().filter_map(|node| confirmer.cache().node(*node));
    let closest = infos.min_by(|one, other| {
        let share = |info: &NodeInfo| -> f64 {
            let lacking = largest.iter().filter(|request| lacks(info, request));
            let short = |request: &&Request| {
                let needed = amount_of(pod, &request.resource) as f64;
                (needed - free(info, &request.resource) as f64) / needed
            };
            lacking.map(short).sum()
        };
        share(one).total_cmp(&share(other)).then_with(|| one.node.name.cmp(&other.node.name))
    })?;
    let lacking: Vec<(&Request, i64)> = largest
        .iter()
        .filter(|request| lacks(closest, request))
        .map(|request| (*request, free(closest, &request.resource)))
        .collect();
    let node = closest.node.name.to_string();
    let (mut patch, mut parts) = (Vec::new(), Vec::new());
    for (request, room) in lacking {
        let to = highest_that_needs(confirmer, request, room).map(|units| quantity(&request.resource, units));
        if !request.is_valid(confirmer, to) {
            return None;
        }
        patch.extend(request.patch(&confirmer.object, to));
        parts.push(match to {
            Some(to) => format!("{} from {} to {to}", request.resource, request.amount),
            None => format!("{} from {} to none", request.resource, request.amount),
        });
    }
    if patched(&confirmer.object, &patch).is_none_or(|object| has_lone_huge_pages(&object)) {
        return None;
    }
    let text = format!("Lower the requests for {}; then the pod fits on node {node}.", parts.join(" and "));
    confirmer.confirmed(ChangeKind::LowerRequest, PLUGIN, patch, |_| text)
}

/// Returns the amount of the resource that the node's pods leave.
fn free(info: &NodeInfo, resource: &str) -> i64 {
    amount_of(&info.node.allocatable, resource).saturating_sub(amount_of(&info.usage.requested, resource))
}

/// Suggests the largest request that fits on a node of `without`, the nodes that fit without the request.
fn lowered(confirmer: &mut Confirmer<'_>, request: &Request, without: &Fit) -> Option<Suggestion> {
    let infos = without.iter().filter_map(|node| confirmer.cache().node(*node));
    let (room, closest) = infos.map(|info| (free(info, &request.resource), &info.node.name)).max_by(|one, other| {
        // Of equal nodes, the first by name.
        one.0.cmp(&other.0).then_with(|| other.1.cmp(one.1))
    })?;
    let closest = closest.to_string();
    let needed = amount_of(&confirmer.pod.requests.fit, &request.resource);
    confirmer.shortages.push(Shortage {
        resource: request.resource.clone(),
        requested: quantity(&request.resource, needed).to_string(),
        nodes: without.len(),
        closest: closest.clone(),
        short: quantity(&request.resource, needed.saturating_sub(room)).to_string(),
    });
    let highest = highest_that_needs(confirmer, request, room)?;
    if !request.is_valid(confirmer, Some(quantity(&request.resource, highest))) {
        return None;
    }
    let patch = request.patch(&confirmer.object, Some(quantity(&request.resource, highest)));
    // One unit more must not fit, so that the change is the smallest one.
    let more = request.patch(&confirmer.object, Some(quantity(&request.resource, highest + 1)));
    if confirmer.fits(&more).is_some() {
        return None;
    }
    let (from, to) = (request.amount, quantity(&request.resource, highest));
    let what = request.resource.clone();
    confirmer.confirmed(ChangeKind::LowerRequest, PLUGIN, patch, |fit| {
        format!("Lower the request for {what} from {from} to {to}; {}.", then_fit(fit))
    })
}

/// Returns the highest amount of the request with which the whole pod needs at most `room`. Returns `None` if
/// no amount above 0 is low enough.
fn highest_that_needs(confirmer: &Confirmer<'_>, request: &Request, room: i64) -> Option<i64> {
    let needs = |amount: i64| {
        let patch = request.patch(&confirmer.object, Some(quantity(&request.resource, amount)));
        Some(amount_of(&confirmer.changed(&patch)?.requests.fit, &request.resource))
    };
    let (mut fits, mut too_much) = (0, units(&request.resource, request.amount));
    if needs(0)? > room || too_much <= 0 {
        return None;
    }
    while too_much - fits > 1 {
        let middle = fits + (too_much - fits) / 2;
        if needs(middle)? <= room { fits = middle } else { too_much = middle }
    }
    (fits > 0).then_some(fits)
}
