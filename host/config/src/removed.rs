//! Plugins that Kubernetes has removed.

/// Plugins that limited volumes of one type. NodeVolumeLimits replaces them, and v1 refuses them.
pub(super) const LIMITS: [&str; 4] = ["AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"];

/// Returns the replacement for a plugin that Kubernetes has removed, or `None` for other names.
#[must_use]
pub fn removed_plugin(name: &str) -> Option<&'static str> {
    Some(match name {
        name if LIMITS.contains(&name) => "NodeVolumeLimits replaces it and is enabled by default",
        "NodeResourcesLeastAllocated" => "set the scoringStrategy LeastAllocated in the arguments of NodeResourcesFit",
        "NodeResourcesMostAllocated" => "set the scoringStrategy MostAllocated in the arguments of NodeResourcesFit",
        "RequestedToCapacityRatio" => {
            "set the scoringStrategy RequestedToCapacityRatio in the arguments of NodeResourcesFit"
        }
        "SelectorSpread" => "PodTopologySpread replaces it and is enabled by default",
        "NodePreferAvoidPods" => "taint nodes with the effect PreferNoSchedule",
        "NodeLabel" => "set addedAffinity in the arguments of NodeAffinity",
        "ServiceAffinity" => "set podAffinity in the pods",
        _ => return None,
    })
}
