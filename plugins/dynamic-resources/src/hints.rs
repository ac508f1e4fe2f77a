//! Queueing hints: a pod without devices is retried after any change of nodes, classes and slices, after changes of
//! its own claims, and when devices become free.

use berth_guest::hints::{Event, Hint};
use serde_json::Value;

use crate::claims::PreparedPod;
use crate::cluster::Cluster;

/// Decides about claim events. Any event of another kind queues the pod.
pub fn queueing_hint(event: &Event, pod: &PreparedPod, cluster: &Cluster) -> Result<Hint, String> {
    if event.kind_name() != "ResourceClaim" {
        return Ok(Hint::Queue);
    }
    // While one of the pod's claims is missing, no event helps.
    let Ok(claims) = pod.claims(cluster) else { return Ok(Hint::Skip) };
    let (before, after) = (event.before::<Value>()?, event.after::<Value>()?);
    let status = |claim: &Option<Value>| claim.as_ref().map_or(Value::Null, |claim| claim["status"].clone());
    let is_allocated = |claim: &Option<Value>| !status(claim)["allocation"].is_null();
    let is_freed = is_allocated(&before) && !is_allocated(&after);
    let is_its_own = claims.iter().any(|known| known.namespace == event.namespace && known.name == event.name);
    let status_changed = before.is_none() || status(&before) != status(&after);
    let old_claim_deleted = after.is_none() && before.as_ref().is_some_and(|claim| is_made_for(claim, &pod.uid));
    Ok(Hint::queue_if(is_freed || old_claim_deleted || (is_its_own && status_changed)))
}

/// Returns true if an earlier attempt created the claim for the extended resources of this pod.
fn is_made_for(claim: &Value, pod: &str) -> bool {
    let owners = claim["metadata"]["ownerReferences"].as_array();
    owners.is_some_and(|owners| owners.iter().any(|owner| owner["uid"] == pod))
}
