//! Scores nodes by the subrequests that the allocation of the pod's claims selects on the node.

use berth_guest::prelude::*;

use crate::allocator::Node;
use crate::args::Args;
use crate::claims::PreparedPod;
use crate::cluster::Cluster;
use crate::filtering::{allocated, with_extended_claim};

/// The maximum number of subrequests of a request (`FirstAvailableDeviceRequestMaxSize`).
const MAX_ALTERNATIVES: i64 = 8;

/// Skips scoring for pods whose claims have no subrequests.
pub fn pre_score(pod: &PreparedPod, cluster: &Cluster) -> PreScore {
    let has_choice = pod.claims(cluster).is_ok_and(|claims| {
        let mut requests = claims.iter().flat_map(|known| &known.claim.spec.devices.requests);
        requests.any(|request| request.exactly.is_none())
    });
    if has_choice { PreScore::Score } else { PreScore::Skip }
}

/// Scores the selected subrequests: an earlier subrequest gives a higher score.
pub fn score(
    pod: &PreparedPod,
    cluster: &Cluster,
    args: &Args,
    cycle: &Cycle,
    name: &node::Name,
    labels: &node::Labels,
    allocatable: &node::Allocatable,
) -> Result<i64, String> {
    let claims = with_extended_claim(pod.claims(cluster)?, pod.extended_claim(cluster, allocatable)?.as_ref());
    let found = allocated(&claims, cluster, args, cycle, Node { name, labels })
        .map_err(|rejection| rejection.reasons().collect::<Vec<_>>().join(", "))?;
    // If all claims are allocated, all nodes get the same score.
    if found.is_empty() {
        return Ok(0);
    }
    // `found` is in the order of the claims. A claim that the pod names twice is allocated twice.
    let mut new = found.iter().map(|(_, allocation)| allocation);
    let mut total = 0;
    for known in &claims {
        let Some(allocation) = known.allocation().or_else(|| new.next()) else { continue };
        let is_selected = |whole: &str| allocation.devices.results.iter().any(|result| result.request == whole);
        for request in known.claim.spec.devices.requests.iter().filter(|request| request.exactly.is_none()) {
            for (at, ask) in (0..).zip(&request.first_available) {
                if is_selected(&format!("{}/{}", request.name, ask.name)) {
                    total += MAX_ALTERNATIVES - at;
                }
            }
        }
    }
    Ok(total)
}
