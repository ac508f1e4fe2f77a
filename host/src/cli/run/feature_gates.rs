//! `--feature-gates`, as in kube-scheduler. The flag has no effect: each feature is fixed to its default in
//! kube-scheduler v1.36. Berth logs a gate that would change this, and a gate that does not affect scheduling.

use std::fmt;

use tracing::{info, warn};

/// The gates that affect scheduling, and whether Berth implements their feature. All other gates are about speed,
/// about other components, or locked.
const GATES: [(&str, bool); 33] = [
    ("DRAAdminAccess", true),
    ("DRAConsumableCapacity", true),
    ("DRADeviceBindingConditions", true),
    ("DRADeviceTaintRules", false),
    ("DRADeviceTaints", true),
    ("DRAExtendedResource", true),
    ("DRAListTypeAttributes", false),
    ("DRANodeAllocatableResources", false),
    ("DRAPartitionableDevices", true),
    ("DRAPrioritizedList", true),
    ("DRAResourceClaimDeviceStatus", true),
    ("DRASchedulerFilterTimeout", true),
    ("DRAWorkloadResourceClaims", false),
    ("DynamicResourceAllocation", true),
    ("GangScheduling", false),
    ("GenericWorkload", false),
    ("InPlacePodLevelResourcesVerticalScaling", true),
    ("InPlacePodVerticalScaling", true),
    ("MatchLabelKeysInPodTopologySpread", true),
    ("NodeDeclaredFeatures", true),
    ("NodeInclusionPolicyInPodTopologySpread", true),
    ("NominatedNodeNameForExpectation", true),
    ("PodLevelResources", true),
    ("SchedulerAsyncPreemption", true),
    ("SchedulerPopFromBackoffQ", true),
    ("SchedulerQueueingHints", true),
    ("SidecarContainers", true),
    ("StorageCapacityScoring", false),
    ("TaintTolerationComparisonOperators", false),
    ("TopologyAwareWorkloadScheduling", false),
    ("VolumeAttributesClass", true),
    ("VolumeLimitScaling", false),
    ("WorkloadAwarePreemption", false),
];

/// A value of `--feature-gates`: `Gate=true` or `kube:Gate=true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureGate {
    name: String,
    on: bool,
}

/// The remark about a gate that was set.
#[derive(Debug, PartialEq, Eq)]
enum Remark {
    /// The value is Berth's fixed behavior.
    None,
    /// The gate does not affect scheduling.
    Elsewhere,
    /// The value is the opposite of Berth's fixed behavior.
    Contrary,
}

impl std::str::FromStr for FeatureGate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("has no value; write Gate=true or Gate=false")?;
        let name = match name.trim().split_once(':') {
            None => name.trim(),
            Some(("kube", name)) => name,
            Some((component, _)) => return Err(format!("names the component {component:?}; only `kube` is supported")),
        };
        if name.is_empty() {
            return Err("names no gate; write Gate=true or Gate=false".to_owned());
        }
        Ok(Self { name: name.to_owned(), on: super::boolean(value.trim())? })
    }
}

impl fmt::Display for FeatureGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.on)
    }
}

impl FeatureGate {
    fn remark(&self) -> Remark {
        match GATES.iter().find(|(name, _)| *name == self.name) {
            None => Remark::Elsewhere,
            Some((_, on)) if *on == self.on => Remark::None,
            Some(_) => Remark::Contrary,
        }
    }

    /// Logs that the gate has no effect, unless the value is Berth's fixed behavior.
    pub fn log_effect(&self) {
        match self.remark() {
            Remark::None => {}
            Remark::Elsewhere => {
                info!(gate = %self, reason = "the gate does not affect scheduling", "feature gate has no effect");
            }
            Remark::Contrary if self.on => {
                warn!(gate = %self, reason = "Berth does not have the feature", "feature gate has no effect");
            }
            Remark::Contrary => {
                warn!(gate = %self, reason = "the feature is always on in Berth", "feature gate has no effect");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_gets_a_remark_if_its_value_has_no_effect() {
        for (text, remark) in [
            ("DRAPrioritizedList=true", Remark::None),
            ("kube:DRAPrioritizedList=false", Remark::Contrary),
            (" GangScheduling = True ", Remark::Contrary),
            ("GangScheduling=0", Remark::None),
            ("AllAlpha=true", Remark::Elsewhere),
        ] {
            let gate: FeatureGate = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(gate.remark(), remark, "{text}");
        }
        for text in ["GangScheduling", "=true", "wardle:A=true", "A=yes"] {
            assert!(text.parse::<FeatureGate>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_is_sorted_by_name() {
        assert!(GATES.is_sorted_by_key(|(name, _)| *name));
    }
}
