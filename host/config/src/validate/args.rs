//! Checks the plugin arguments in `pluginConfig`.

use super::resources::{resource_spec, shape};
use super::{Findings, names};
use crate::defaults::{Provided, default_plugin};
use crate::path::Path;
use crate::v1::{
    DefaultPreemptionArgs, DefaultingType, Duration, DynamicResourcesArgs, NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, NodeSelectorTerm, PluginArgs, PodTopologySpreadArgs,
    Profile, ScoringStrategy, ScoringStrategyType, VolumeBindingArgs,
};

/// Checks all plugin arguments of a profile.
pub(super) fn plugin_config(profile: &Profile, path: &Path, findings: &mut Findings) {
    for (at, config) in profile.plugin_config.iter().enumerate() {
        let (name, path) = (&config.name, path.index(at));
        if let Some(first) = profile.plugin_config[..at].iter().position(|other| other.name == *name) {
            findings.note(path.clone(), format!("plugin {name:?} already has arguments in pluginConfig[{first}]"));
        }
        if default_plugin(name).is_some_and(|plugin| plugin.provided == Provided::Core) {
            findings.note(path.clone(), format!("{name} takes no arguments"));
        }
        if let Some(args) = &config.args {
            arguments(args, &path.field("args"), findings);
        }
    }
}

fn arguments(args: &PluginArgs, path: &Path, findings: &mut Findings) {
    match args {
        PluginArgs::DefaultPreemption(args) => default_preemption(args, path, findings),
        PluginArgs::DynamicResources(args) => dynamic_resources(args, path, findings),
        PluginArgs::NodeAffinity(args) => node_affinity(args, path, findings),
        PluginArgs::NodeResourcesBalancedAllocation(args) => balanced_allocation(args, path, findings),
        PluginArgs::NodeResourcesFit(args) => resources_fit(args, path, findings),
        PluginArgs::PodTopologySpread(args) => topology_spread(args, path, findings),
        PluginArgs::VolumeBinding(args) => volume_binding(args, path, findings),
        // The schema checks the bounds of the weight of InterPodAffinity, which needs no other check. All plugins that
        // are not listed here check their arguments themselves.
        PluginArgs::InterPodAffinity(_) | PluginArgs::Other(_) => {}
    }
}

fn default_preemption(args: &DefaultPreemptionArgs, path: &Path, findings: &mut Findings) {
    if args.min_candidate_nodes_percentage == Some(0) && args.min_candidate_nodes_absolute == Some(0) {
        let message = "can't be 0 together with minCandidateNodesAbsolute: preemption would look at no node";
        findings.note(path.field("minCandidateNodesPercentage"), message);
    }
}

fn dynamic_resources(args: &DynamicResourcesArgs, path: &Path, findings: &mut Findings) {
    if let Some(timeout) = args.binding_timeout
        && timeout < Duration::from_secs(1)
    {
        findings.note(path.field("bindingTimeout"), format!("{timeout}: must be at least 1s"));
    }
}

fn volume_binding(args: &VolumeBindingArgs, path: &Path, findings: &mut Findings) {
    if !args.shape.is_empty() {
        let message =
            "belongs to StorageCapacityScoring, an alpha feature of Kubernetes that Berth does not support; remove it";
        findings.note(path.field("shape"), message);
    }
}

fn balanced_allocation(args: &NodeResourcesBalancedAllocationArgs, path: &Path, findings: &mut Findings) {
    for (at, resource) in args.resources.iter().enumerate() {
        let path = path.field("resources").index(at);
        if let Some(first) = args.resources[..at].iter().position(|other| other.name == resource.name) {
            findings.note(path.field("name"), format!("{:?} is already in resources[{first}]", resource.name));
        }
        if !matches!(resource.weight, None | Some(0 | 1)) {
            findings
                .note(path.field("weight"), "must be 1, because NodeResourcesBalancedAllocation does not use weights");
        }
    }
}

fn resources_fit(args: &NodeResourcesFitArgs, path: &Path, findings: &mut Findings) {
    for (at, resource) in args.ignored_resources.iter().enumerate() {
        if let Err(message) = names::qualified(resource) {
            findings.note(path.field("ignoredResources").index(at), message);
        }
    }
    for (at, group) in args.ignored_resource_groups.iter().enumerate() {
        let path = path.field("ignoredResourceGroups").index(at);
        if let Some((prefix, _)) = group.split_once('/') {
            findings.note(path, format!("{group:?}: a group has no slash; use the part before the slash: {prefix:?}"));
        } else if let Err(message) = names::qualified(group) {
            findings.note(path, message);
        }
    }
    if let Some(strategy) = &args.scoring_strategy {
        scoring_strategy(strategy, &path.field("scoringStrategy"), findings);
    }
}

fn scoring_strategy(strategy: &ScoringStrategy, path: &Path, findings: &mut Findings) {
    for (at, resource) in strategy.resources.iter().enumerate() {
        resource_spec(resource, &path.field("resources").index(at), findings);
    }
    let ratio = path.field("requestedToCapacityRatio");
    match (strategy.kind, &strategy.requested_to_capacity_ratio) {
        (ScoringStrategyType::RequestedToCapacityRatio, Some(function)) => {
            shape(&function.shape, &ratio.field("shape"), findings);
        }
        (ScoringStrategyType::RequestedToCapacityRatio, None) => {
            findings.note(ratio, "is required by type: RequestedToCapacityRatio");
        }
        (_, Some(_)) => findings.note(ratio, "is allowed only with type: RequestedToCapacityRatio"),
        (_, None) => {}
    }
}

fn topology_spread(args: &PodTopologySpreadArgs, path: &Path, findings: &mut Findings) {
    if args.defaulting_type != Some(DefaultingType::List) && !args.default_constraints.is_empty() {
        findings.note(path.field("defaultConstraints"), "are allowed only with defaultingType: List");
    }
    for (at, constraint) in args.default_constraints.iter().enumerate() {
        let path = path.field("defaultConstraints").index(at);
        if !constraint.topology_key.is_empty()
            && let Err(message) = names::qualified(&constraint.topology_key)
        {
            findings.note(path.field("topologyKey"), message);
        }
        if constraint.label_selector.is_some() {
            let message =
                "is not allowed in a default constraint: the selector comes from the pod's Services and controllers";
            findings.note(path.field("labelSelector"), message);
        }
        let key =
            |at: usize| (&args.default_constraints[at].topology_key, args.default_constraints[at].when_unsatisfiable);
        if let Some(first) = (0..at).find(|other| key(*other) == key(at)) {
            let message = format!("has the same topologyKey and whenUnsatisfiable as defaultConstraints[{first}]");
            findings.note(path, message);
        }
    }
}

fn node_affinity(args: &NodeAffinityArgs, path: &Path, findings: &mut Findings) {
    let Some(affinity) = &args.added_affinity else { return };
    let path = path.field("addedAffinity");
    if let Some(required) = &affinity.required_during_scheduling_ignored_during_execution {
        let path = path.fields(&["requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"]);
        if required.node_selector_terms.is_empty() {
            findings.note(path.clone(), "is empty: no node would match");
        }
        for (at, term) in required.node_selector_terms.iter().enumerate() {
            selector_term(term, &path.index(at), findings);
        }
    }
    let path = path.field("preferredDuringSchedulingIgnoredDuringExecution");
    for (at, term) in affinity.preferred_during_scheduling_ignored_during_execution.iter().enumerate() {
        selector_term(&term.preference, &path.index(at).field("preference"), findings);
    }
}

fn selector_term(term: &NodeSelectorTerm, path: &Path, findings: &mut Findings) {
    for (at, requirement) in term.match_expressions.iter().enumerate() {
        let path = path.field("matchExpressions").index(at);
        if let Err(message) = names::qualified(&requirement.key) {
            findings.note(path.field("key"), message);
        }
        if let Err(message) = names::values(requirement) {
            findings.note(path.field("values"), message);
        }
    }
    for (at, requirement) in term.match_fields.iter().enumerate() {
        let path = path.field("matchFields").index(at);
        if requirement.key != "metadata.name" {
            findings.note(path.field("key"), format!("{:?}: only metadata.name is supported", requirement.key));
        }
        if requirement.values.len() != 1 {
            findings.note(path.field("values"), "must be exactly one name");
        }
    }
}
