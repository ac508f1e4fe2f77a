//! `priorities[]`: scores nodes.

use super::model::{self, PriorityArgument, RequestedToCapacityRatioArguments};
use super::profile::{Draft, Weighed};
use super::{Findings, check_unique};
use crate::path::Path;
use crate::v1::{self, ScoringStrategy, ScoringStrategyType, UtilizationShapePoint};
use berth_apimachinery::nearest;

/// The replacement of a priority.
#[derive(Clone, Copy)]
enum Priority {
    /// The score of a plugin.
    Score(&'static str),
    /// The score of NodeResourcesFit, with one of its strategies.
    Resources(ScoringStrategyType),
    /// The score of SelectorSpread, by Services only or by Services and controllers.
    Spread { services_only: bool },
    /// The same score for all nodes: no effect on the order.
    Equal,
    /// A priority with an argument. The value is the argument's required field.
    Argument(&'static str),
}

use Priority::{Argument, Equal, Resources, Score, Spread};
use ScoringStrategyType::{LeastAllocated, MostAllocated, RequestedToCapacityRatio};

const LABEL_PREFERENCE: &str = "labelPreference";
const SERVICE_ANTI_AFFINITY: &str = "serviceAntiAffinity";
const RATIO: &str = "requestedToCapacityRatioArguments";

/// All priorities of Kubernetes v1.0 to v1.22, except ResourceLimitsPriority, an alpha feature that was removed. The
/// last two are the names that the Kubernetes documentation uses for priorities with an argument.
const PRIORITIES: [(&str, Priority); 15] = [
    ("BalancedResourceAllocation", Score("NodeResourcesBalancedAllocation")),
    ("EqualPriority", Equal),
    ("EvenPodsSpreadPriority", Score("PodTopologySpread")),
    ("ImageLocalityPriority", Score("ImageLocality")),
    ("InterPodAffinityPriority", Score("InterPodAffinity")),
    ("LeastRequestedPriority", Resources(LeastAllocated)),
    ("MostRequestedPriority", Resources(MostAllocated)),
    ("NodeAffinityPriority", Score("NodeAffinity")),
    ("NodePreferAvoidPodsPriority", Score("NodePreferAvoidPods")),
    ("RequestedToCapacityRatioPriority", Resources(RequestedToCapacityRatio)),
    ("SelectorSpreadPriority", Spread { services_only: false }),
    ("ServiceSpreadingPriority", Spread { services_only: true }),
    ("TaintTolerationPriority", Score("TaintToleration")),
    ("labelPreference", Argument(LABEL_PREFERENCE)),
    ("serviceAntiAffinity", Argument(SERVICE_ANTI_AFFINITY)),
];

/// kube-scheduler's priorities for a Policy without `priorities`, with their weights.
const DEFAULTS: [(&str, i32); 9] = [
    ("BalancedResourceAllocation", 1),
    ("EvenPodsSpreadPriority", 2),
    ("ImageLocalityPriority", 1),
    ("InterPodAffinityPriority", 1),
    ("LeastRequestedPriority", 1),
    ("NodeAffinityPriority", 1),
    ("NodePreferAvoidPodsPriority", 10_000),
    ("SelectorSpreadPriority", 1),
    ("TaintTolerationPriority", 1),
];

/// kube-scheduler's utilization function for a RequestedToCapacityRatio priority without an argument: emptier nodes
/// score higher.
const EMPTIEST: [UtilizationShapePoint; 2] =
    [UtilizationShapePoint { utilization: 0, score: 10 }, UtilizationShapePoint { utilization: 100, score: 0 }];

/// Enables the priorities of kube-scheduler's default provider.
pub(super) fn defaults(draft: &mut Draft) {
    for (name, weight) in DEFAULTS {
        if let Some(priority) = known(name) {
            // Default priorities don't conflict with each other.
            enable(priority, Weighed { name, weight }, draft).ok();
        }
    }
}

/// Enables the priorities of the file.
pub(super) fn convert(list: &[model::Priority], path: &Path, draft: &mut Draft, findings: &mut Findings) {
    check_unique(list.iter().map(|priority| priority.name.as_str()), path, findings);
    for (at, priority) in list.iter().enumerate() {
        let path = path.index(at);
        if let Err(message) = convert_one(priority, &path.field("argument"), draft, findings) {
            findings.push((path.field("name"), message));
        }
    }
}

/// Returns an error if the name is unknown, the argument is missing, or the priority conflicts with an earlier one.
fn convert_one(
    priority: &model::Priority,
    argument_path: &Path,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), String> {
    let name = priority.name.as_str();
    let weighed = Weighed { name, weight: priority.weight };
    match (known(name), &priority.argument) {
        (None, None) => Err(unknown(name)),
        (Some(Argument(kind)), None) => Err(format!("{name} needs an argument: {kind}")),
        (Some(known), None) => enable(known, weighed, draft),
        (Some(Argument(kind)), Some(argument)) => {
            enable_by_argument(argument, &[kind], argument_path, weighed, draft, findings)
        }
        (Some(Resources(RequestedToCapacityRatio)), Some(argument)) => {
            enable_by_argument(argument, &[RATIO], argument_path, weighed, draft, findings)
        }
        (None, Some(argument)) => {
            let kinds = [SERVICE_ANTI_AFFINITY, LABEL_PREFERENCE, RATIO];
            enable_by_argument(argument, &kinds, argument_path, weighed, draft, findings)
        }
        (Some(_), Some(_)) => {
            findings.push((argument_path.clone(), format!("{name} takes no argument")));
            Ok(())
        }
    }
}

fn known(name: &str) -> Option<Priority> {
    PRIORITIES.iter().find(|(known, _)| *known == name).map(|(_, priority)| *priority)
}

fn unknown(name: &str) -> String {
    let hint = match nearest(name, PRIORITIES.into_iter().map(|(name, _)| name)) {
        Some(known) => format!("did you mean {known}?"),
        None => {
            format!("a custom priority needs an argument: {SERVICE_ANTI_AFFINITY}, {LABEL_PREFERENCE} or {RATIO}")
        }
    };
    format!("unknown priority {name:?}; {hint}")
}

/// Enables a priority without an argument.
fn enable(priority: Priority, weighed: Weighed<'_>, draft: &mut Draft) -> Result<(), String> {
    match priority {
        Score(plugin) => {
            draft.score(plugin, weighed);
            Ok(())
        }
        Resources(RequestedToCapacityRatio) => draft.score_resources(ratio(EMPTIEST.to_vec(), Vec::new()), weighed),
        Resources(kind) => draft.score_resources(ScoringStrategy { kind, ..ScoringStrategy::default() }, weighed),
        Spread { services_only } => draft.spread(services_only, weighed),
        Equal | Argument(_) => Ok(()),
    }
}

/// Enables a priority by its argument, which must be one of `kinds`.
fn enable_by_argument(
    argument: &PriorityArgument,
    kinds: &[&str],
    path: &Path,
    weighed: Weighed<'_>,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Result<(), String> {
    let PriorityArgument { service_anti_affinity, label_preference, requested_to_capacity_ratio_arguments } = argument;
    match (service_anti_affinity, label_preference, requested_to_capacity_ratio_arguments) {
        (Some(apart), None, None) if kinds.contains(&SERVICE_ANTI_AFFINITY) => draft.keep_apart(&apart.label, weighed),
        (None, Some(preference), None) if kinds.contains(&LABEL_PREFERENCE) => {
            draft.prefer_label(&preference.label, preference.presence, weighed)
        }
        (None, None, Some(arguments)) if kinds.contains(&RATIO) => {
            let RequestedToCapacityRatioArguments { shape, resources } = arguments;
            check_shape(shape, &path.fields(&[RATIO, "shape"]), findings);
            draft.score_resources(ratio(shape.clone(), resources.clone()), weighed)
        }
        _ => {
            findings.push((path.clone(), format!("must have exactly one field: {}", kinds.join(" or "))));
            Ok(())
        }
    }
}

fn ratio(shape: Vec<UtilizationShapePoint>, resources: Vec<v1::ResourceSpec>) -> ScoringStrategy {
    ScoringStrategy {
        kind: RequestedToCapacityRatio,
        resources,
        requested_to_capacity_ratio: Some(v1::RequestedToCapacityRatio { shape }),
    }
}

fn check_shape(shape: &[UtilizationShapePoint], path: &Path, findings: &mut Findings) {
    if shape.is_empty() {
        findings.push((path.clone(), "is empty; add at least one point".to_owned()));
    }
    for (at, pair) in shape.windows(2).enumerate() {
        if pair[0].utilization >= pair[1].utilization {
            let path = path.index(at + 1).field("utilization");
            findings.push((path, "must be more than the utilization of the previous point".to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;

    #[test]
    fn the_page_names_the_plugin_of_each_priority() {
        for (name, priority) in PRIORITIES {
            let plugins = page::plugins_for(name);
            let plugin = match priority {
                Score(plugin) => plugin,
                Resources(_) => "NodeResourcesFit",
                Spread { .. } => "SelectorSpread",
                Equal => "none",
                Argument(LABEL_PREFERENCE) => "NodeLabel",
                Argument(_) => "ServiceAffinity",
            };
            assert!(plugins.contains(&plugin), "{name}: {plugin}, the page lists {plugins:?}");
        }
    }
}
