//! Binding conditions: devices that have to be made ready for their node before a pod starts there.

use std::time::Duration;

use berth_guest::intents::quoted;

use crate::api::{Claim, DeviceResult};
use crate::time;

const TRUE: &str = "True";

/// How far an allocated claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// All that was to be is.
    Ready,
    /// Not yet.
    Waiting,
    /// A device can't be bound.
    Failed,
}

/// How far the claim is, which is allocated.
pub fn readiness(claim: &Claim) -> Readiness {
    for result in waited_for(claim) {
        let Some(status) = claim.status.devices.iter().find(|status| status.device == result.device) else {
            return Readiness::Waiting;
        };
        let is = |kind: &String| {
            status.conditions.iter().any(|condition| condition.kind == *kind && condition.status == TRUE)
        };
        if result.binding_failure_conditions.iter().any(is) {
            return Readiness::Failed;
        }
        if !result.binding_conditions.iter().all(is) {
            return Readiness::Waiting;
        }
    }
    Readiness::Ready
}

/// Whether the claim waits for longer than it may. `now` is milliseconds since 1970.
pub fn is_late(claim: &Claim, timeout: Duration, now: i64) -> bool {
    let allocated = claim.status.allocation.as_ref().and_then(|allocation| allocation.allocation_timestamp.as_deref());
    let Some(allocated) = allocated.and_then(time::millis) else { return false };
    let timeout = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
    waited_for(claim).next().is_some() && allocated.saturating_add(timeout) < now
}

fn waited_for(claim: &Claim) -> impl Iterator<Item = &DeviceResult> {
    let results = claim.status.allocation.iter().flat_map(|allocation| &allocation.devices.results);
    results.filter(|result| !result.binding_conditions.is_empty())
}

/// The same question of the claim as `object`, in CEL: true when it is ready, a text where it failed. `None` where there is
/// nothing to wait for.
pub fn until(name: &str, results: &[DeviceResult]) -> Option<String> {
    let waited: Vec<&DeviceResult> = results.iter().filter(|result| !result.binding_conditions.is_empty()).collect();
    if waited.is_empty() {
        return None;
    }
    let failed: Vec<String> = waited
        .iter()
        .filter(|result| !result.binding_failure_conditions.is_empty())
        .map(|result| {
            let any: Vec<String> = result.binding_failure_conditions.iter().map(|kind| has(kind)).collect();
            device(result, &any.join(" || "))
        })
        .collect();
    let ready: Vec<String> = waited
        .iter()
        .map(|result| {
            let all: Vec<String> = result.binding_conditions.iter().map(|kind| has(kind)).collect();
            device(result, &all.join(" && "))
        })
        .collect();
    let ready = format!("has(object.status.devices) && {}", ready.join(" && "));
    if failed.is_empty() {
        return Some(ready);
    }
    let message = quoted(&format!("device binding failed: claim={name}"));
    let failed = format!("has(object.status.devices) && ({})", failed.join(" || "));
    Some(format!("({failed}) ? dyn({message}) : dyn({ready})"))
}

fn device(result: &DeviceResult, so: &str) -> String {
    let [driver, pool, device] = [&result.device.driver, &result.device.pool, &result.device.device].map(|t| quoted(t));
    format!(
        "object.status.devices.exists(d, d.driver == {driver} && d.pool == {pool} && d.device == {device} && \
         has(d.conditions) && ({so}))"
    )
}

fn has(kind: &str) -> String {
    format!("d.conditions.exists(c, c.type == {} && c.status == \"{TRUE}\")", quoted(kind))
}
