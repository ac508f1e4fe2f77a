//! Nodes where requests get what they would rather have.

use berth_guest::prelude::*;

use crate::allocator::Node;
use crate::args::Args;
use crate::claims::Wanted;
use crate::cluster::Cluster;
use crate::filtering::{allocated, with};

/// A request has no more alternatives (`FirstAvailableDeviceRequestMaxSize`).
const MOST_ALTERNATIVES: i64 = 8;

/// Only a pod with a choice of alternatives scores nodes.
pub fn pre_score(pod: &Wanted, cluster: &Cluster) -> PreScore {
    let has_choice = pod.claims(cluster).is_ok_and(|claims| {
        let mut requests = claims.iter().flat_map(|known| &known.claim.spec.devices.requests);
        requests.any(|request| request.exactly.is_none())
    });
    if has_choice { PreScore::Score } else { PreScore::Skip }
}

/// The earlier an alternative is named, the more it counts.
pub fn score(
    pod: &Wanted,
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    name: &node::Name,
    labels: &node::Labels,
    allocatable: &node::Allocatable,
) -> Result<i64, String> {
    let claims = with(pod.claims(cluster)?, pod.special(cluster, allocatable)?.as_ref());
    let found = allocated(&claims, cluster, args, cycle, Node { name, labels })
        .map_err(|rejection| rejection.reasons().collect::<Vec<_>>().join(", "))?;
    // Without anything to allocate, no node is better than another.
    if found.is_empty() {
        return Ok(0);
    }
    // In the order of the claims: one that the pod names twice was searched for twice.
    let mut new = found.iter().map(|(_, allocation)| allocation);
    let mut total = 0;
    for known in &claims {
        let Some(allocation) = known.allocation().or_else(|| new.next()) else { continue };
        let got = |whole: &str| allocation.devices.results.iter().any(|result| result.request == whole);
        for request in known.claim.spec.devices.requests.iter().filter(|request| request.exactly.is_none()) {
            for (at, ask) in (0..).zip(&request.first_available) {
                if got(&format!("{}/{}", request.name, ask.name)) {
                    total += MOST_ALTERNATIVES - at;
                }
            }
        }
    }
    Ok(total)
}
