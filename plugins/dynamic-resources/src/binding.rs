//! Binding conditions: conditions of a device that must be true before a pod is bound to a node.

use std::time::Duration;

use berth_guest::intents::quoted;

use crate::api::{Claim, DeviceResult};
use crate::time;

const TRUE: &str = "True";

/// The state of an allocated claim with respect to its binding conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// All binding conditions are true, or there are none.
    Ready,
    /// A binding condition is not true yet, or a device with binding conditions has no status yet.
    Waiting,
    /// A binding failure condition is true.
    Failed,
}

/// Returns the state of an allocated claim.
pub fn readiness(claim: &Claim) -> Readiness {
    for result in results_with_conditions(claim) {
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

/// Returns true if the claim has binding conditions and was allocated more than `timeout` before `now`. `now` is in
/// milliseconds since 1970.
pub fn is_overdue(claim: &Claim, timeout: Duration, now: i64) -> bool {
    let allocated = claim.status.allocation.as_ref().and_then(|allocation| allocation.allocation_timestamp.as_deref());
    let Some(allocated) = allocated.and_then(time::millis) else { return false };
    let timeout = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
    results_with_conditions(claim).next().is_some() && allocated.saturating_add(timeout) < now
}

fn results_with_conditions(claim: &Claim) -> impl Iterator<Item = &DeviceResult> {
    let results = claim.status.allocation.iter().flat_map(|allocation| &allocation.devices.results);
    results.filter(|result| !result.binding_conditions.is_empty())
}

/// Returns a CEL expression over the claim (`object`). Its value is true if the claim is ready, a string if a device
/// failed, and false otherwise. Returns `None` if there are no binding conditions.
pub fn until(name: &str, results: &[DeviceResult]) -> Option<String> {
    let with_conditions: Vec<&DeviceResult> =
        results.iter().filter(|result| !result.binding_conditions.is_empty()).collect();
    if with_conditions.is_empty() {
        return None;
    }
    let failed: Vec<String> = with_conditions
        .iter()
        .filter(|result| !result.binding_failure_conditions.is_empty())
        .map(|result| {
            let any: Vec<String> = result.binding_failure_conditions.iter().map(|kind| has(kind)).collect();
            device(result, &any.join(" || "))
        })
        .collect();
    let ready: Vec<String> = with_conditions
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

fn device(result: &DeviceResult, conditions: &str) -> String {
    let [driver, pool, device] = [&result.device.driver, &result.device.pool, &result.device.device].map(|t| quoted(t));
    format!(
        "object.status.devices.exists(d, d.driver == {driver} && d.pool == {pool} && d.device == {device} && \
         has(d.conditions) && ({conditions}))"
    )
}

fn has(kind: &str) -> String {
    format!("d.conditions.exists(c, c.type == {} && c.status == \"{TRUE}\")", quoted(kind))
}
