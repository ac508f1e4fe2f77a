//! Plugins that Kubernetes has removed.

/// Plugins that limited volumes of one type. NodeVolumeLimits replaces them, and v1 refuses them.
pub(super) const LIMITS: [&str; 4] = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

/// Returns the replacement for a plugin that Kubernetes has removed, or `None` for other names.
#[must_use]
pub fn removed_plugin(name: &str) -> Option<&'static str> {
    Some(match name {
        name if LIMITS.contains(&name) => "NodeVolumeLimits, which is enabled by default, does it",
        "NodeResourcesLeastAllocated" => "give NodeResourcesFit the scoringStrategy LeastAllocated",
        "NodeResourcesMostAllocated" => "give NodeResourcesFit the scoringStrategy MostAllocated",
        "RequestedToCapacityRatio" => "give NodeResourcesFit the scoringStrategy RequestedToCapacityRatio",
        "SelectorSpread" => "PodTopologySpread, which is enabled by default, does it",
        "NodePreferAvoidPods" => "taint nodes with the effect PreferNoSchedule",
        "NodeLabel" => "give NodeAffinity an addedAffinity",
        "ServiceAffinity" => "give pods an affinity to pods",
        _ => return None,
    })
}
