//! NodeConditions: keeps pods off nodes that are cordoned, not ready, or under pressure.
//!
//! Implements the predicates CheckNodeCondition, CheckNodeMemoryPressure, CheckNodeDiskPressure and
//! CheckNodePIDPressure of kube-scheduler before v1.18, which replaced them by taints. The arguments select
//! predicates: `{"checks": ["CheckNodeCondition"]}`. Reads the node's conditions and `spec.unschedulable`, and the
//! containers' requests: memory pressure rejects only BestEffort pods.

use berth_guest::prelude::*;
use berth_guest::schemars::{self, JsonSchema};
use berth_guest::types::ConditionStatus;
use serde::Deserialize;

/// The plugin's arguments: the predicates to apply.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Args {
    checks: Vec<Check>,
}

/// A predicate, by its name in a scheduler Policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
enum Check {
    /// Rejects nodes that are unschedulable, whose condition `Ready` is not `True`, or whose condition
    /// `NetworkUnavailable` is not `False`. A missing condition does not reject the node.
    #[serde(rename = "CheckNodeCondition")]
    Condition,
    /// Rejects BestEffort pods on nodes with memory pressure.
    #[serde(rename = "CheckNodeMemoryPressure")]
    MemoryPressure,
    #[serde(rename = "CheckNodeDiskPressure")]
    DiskPressure,
    #[serde(rename = "CheckNodePIDPressure")]
    PidPressure,
}

/// True for a BestEffort pod: no container requests cpu or memory. (The API server defaults requests to limits.)
pub struct BestEffort(bool);

fn prepare(containers: &pod::Containers) -> BestEffort {
    BestEffort(containers.iter().all(|container| container.requests.milli_cpu == 0 && container.requests.memory == 0))
}

fn filter(
    pod: &BestEffort,
    args: &Args,
    conditions: &node::Conditions,
    unschedulable: &node::Unschedulable,
) -> Verdict {
    let mut verdict = Verdict::FITS;
    let mut reject = |reason: &'static str| verdict.reject(RejectionCode::Unresolvable, reason);
    for condition in conditions.iter() {
        let is_checked = |check| args.checks.contains(&check);
        let is = |status| condition.status == status;
        match condition.kind.as_str() {
            "Ready" if is_checked(Check::Condition) && !is(ConditionStatus::True) => {
                reject("node(s) were not ready");
            }
            "NetworkUnavailable" if is_checked(Check::Condition) && !is(ConditionStatus::False) => {
                reject("node(s) had unavailable network");
            }
            "MemoryPressure" if is_checked(Check::MemoryPressure) && pod.0 && is(ConditionStatus::True) => {
                reject("node(s) had memory pressure");
            }
            "DiskPressure" if is_checked(Check::DiskPressure) && is(ConditionStatus::True) => {
                reject("node(s) had disk pressure");
            }
            "PIDPressure" if is_checked(Check::PidPressure) && is(ConditionStatus::True) => {
                reject("node(s) had pid pressure");
            }
            _ => (),
        }
    }
    if unschedulable.0 && args.checks.contains(&Check::Condition) {
        reject("node(s) were unschedulable");
    }
    verdict
}

berth_guest::plugin!(
    name: "NodeConditions",
    args: Args,
    schema: "arguments.schema.json",
    prepare: prepare => BestEffort,
    filter: filter,
);

#[cfg(test)]
mod tests;
