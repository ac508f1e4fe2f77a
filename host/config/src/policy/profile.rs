//! Builds the profile with the effect of a Policy's predicates and priorities. The profile lists every plugin
//! explicitly.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::v1::{
    DefaultingType, ExtensionPoint, InterPodAffinityArgs, NodeResourcesFitArgs, Plugin, PluginArgs, PluginConfig,
    PluginSet, Plugins, PodTopologySpreadArgs, Profile, ScoringStrategy,
};
use ExtensionPoint::{Bind, Filter, PostFilter, PreBind, PreEnqueue, PreFilter, PreScore, QueueSort, Reserve, Score};

const NODE_LABEL: &str = "NodeLabel";
const SERVICE_AFFINITY: &str = "ServiceAffinity";
const NODE_CONDITIONS: &str = "NodeConditions";
const IN_TREE_VOLUME_LIMITS: &str = "InTreeVolumeLimits";
const SELECTOR_SPREAD: &str = "SelectorSpread";
const NODE_RESOURCES_FIT: &str = "NodeResourcesFit";
const INTER_POD_AFFINITY: &str = "InterPodAffinity";
const POD_TOPOLOGY_SPREAD: &str = "PodTopologySpread";

/// Plugins that run in every profile. They are neither predicates nor priorities.
const ALWAYS: [(&str, ExtensionPoint); 4] = [
    ("SchedulingGates", PreEnqueue),
    ("PrioritySort", QueueSort),
    ("DefaultPreemption", PostFilter),
    ("DefaultBinder", Bind),
];

/// Plugins that filter, in kube-scheduler's order of predicates, each with the extension points that its filter needs.
const FILTERS: [(&str, &[ExtensionPoint]); 16] = [
    (NODE_CONDITIONS, &[Filter]),
    ("NodeUnschedulable", &[Filter]),
    (NODE_RESOURCES_FIT, &[Filter]),
    ("NodeName", &[Filter]),
    ("NodePorts", &[PreFilter, Filter]),
    ("NodeAffinity", &[PreFilter, Filter]),
    ("VolumeRestrictions", &[PreFilter, Filter]),
    ("TaintToleration", &[Filter]),
    (NODE_LABEL, &[Filter]),
    (SERVICE_AFFINITY, &[PreFilter, Filter]),
    (IN_TREE_VOLUME_LIMITS, &[PreFilter, Filter]),
    ("NodeVolumeLimits", &[PreFilter, Filter]),
    ("VolumeBinding", &[PreFilter, Filter, Reserve, PreBind]),
    ("VolumeZone", &[PreFilter, Filter]),
    (POD_TOPOLOGY_SPREAD, &[PreFilter, Filter]),
    (INTER_POD_AFFINITY, &[PreFilter, Filter]),
];

/// Plugins that score, each with the extension points that its score needs.
const SCORES: [(&str, &[ExtensionPoint]); 11] = [
    ("NodeResourcesBalancedAllocation", &[PreScore, Score]),
    ("ImageLocality", &[Score]),
    (INTER_POD_AFFINITY, &[PreScore, Score]),
    (NODE_RESOURCES_FIT, &[Score]),
    ("NodeAffinity", &[PreScore, Score]),
    ("NodePreferAvoidPods", &[Score]),
    (POD_TOPOLOGY_SPREAD, &[PreScore, Score]),
    (SELECTOR_SPREAD, &[PreScore, Score]),
    ("TaintToleration", &[Score]),
    (NODE_LABEL, &[Score]),
    (SERVICE_AFFINITY, &[Score]),
];

/// A priority's name and weight.
#[derive(Clone, Copy)]
pub(super) struct Weighed<'a> {
    pub(super) name: &'a str,
    pub(super) weight: i32,
}

/// A profile under construction.
#[derive(Default)]
pub(super) struct Draft {
    filters: BTreeSet<&'static str>,
    scores: BTreeMap<&'static str, i32>,
    /// By plugin: the name and weight of the first priority that uses the plugin. `score_once` refuses a second
    /// priority for the plugin. `add_weight` requires that all priorities for the plugin have the same weight.
    first: BTreeMap<&'static str, (String, i32)>,
    node_label: NodeLabel,
    service_affinity: ServiceAffinity,
    conditions: Vec<String>,
    volume_limits: Vec<String>,
    services_only: bool,
    strategy: Option<ScoringStrategy>,
    /// `hardPodAffinitySymmetricWeight`.
    pub(super) hard_pod_affinity_weight: Option<i32>,
    /// The maximum number of in-tree volumes of one type on a node. Absent: the default limits.
    pub(super) max_volumes: Option<u32>,
}

#[derive(Default)]
struct NodeLabel {
    present: Vec<String>,
    absent: Vec<String>,
    present_preferred: Vec<String>,
    absent_preferred: Vec<String>,
}

#[derive(Default)]
struct ServiceAffinity {
    alike: Vec<String>,
    apart: Vec<String>,
}

impl Draft {
    /// Enables the plugin's filter.
    pub(super) fn filter(&mut self, plugin: &'static str) {
        self.filters.insert(plugin);
    }

    /// Adds a predicate about node conditions.
    pub(super) fn check_condition(&mut self, predicate: &str) {
        self.filter(NODE_CONDITIONS);
        self.conditions.push(predicate.to_owned());
    }

    /// Adds a predicate about in-tree volumes.
    pub(super) fn limit_volumes(&mut self, predicate: &str) {
        self.filter(IN_TREE_VOLUME_LIMITS);
        self.volume_limits.push(predicate.to_owned());
    }

    /// Requires nodes to have all of these labels (`presence`) or none.
    pub(super) fn require_labels(&mut self, keys: &[String], presence: bool) {
        self.filter(NODE_LABEL);
        let labels = if presence { &mut self.node_label.present } else { &mut self.node_label.absent };
        labels.extend_from_slice(keys);
    }

    /// Requires nodes with pods of one Service to have equal values of these labels.
    pub(super) fn require_alike(&mut self, keys: &[String]) {
        self.filter(SERVICE_AFFINITY);
        self.service_affinity.alike.extend_from_slice(keys);
    }

    /// Enables the plugin's score.
    pub(super) fn score(&mut self, plugin: &'static str, weighed: Weighed<'_>) {
        self.scores.insert(plugin, weighed.weight);
    }

    /// Sets the scoring strategy for resources. A profile can have only one strategy.
    pub(super) fn score_resources(&mut self, strategy: ScoringStrategy, weighed: Weighed<'_>) -> Result<(), String> {
        self.score_once(NODE_RESOURCES_FIT, weighed)?;
        self.strategy = Some(strategy);
        Ok(())
    }

    /// Spreads pods by Services, and by controllers too unless `services_only` is set.
    pub(super) fn spread(&mut self, services_only: bool, weighed: Weighed<'_>) -> Result<(), String> {
        self.score_once(SELECTOR_SPREAD, weighed)?;
        self.services_only = services_only;
        Ok(())
    }

    fn score_once(&mut self, plugin: &'static str, weighed: Weighed<'_>) -> Result<(), String> {
        if let Some((first, _)) = self.first.get(plugin) {
            return Err(format!(
                "{} and {first} both configure the score of {plugin}; remove one of them",
                weighed.name
            ));
        }
        self.first.insert(plugin, (weighed.name.to_owned(), weighed.weight));
        self.score(plugin, weighed);
        Ok(())
    }

    /// Prefers nodes with this label (`presence`) or without it.
    pub(super) fn prefer_label(&mut self, key: &str, presence: bool, weighed: Weighed<'_>) -> Result<(), String> {
        self.add_weight(NODE_LABEL, weighed)?;
        let preferred = &mut self.node_label;
        let labels = if presence { &mut preferred.present_preferred } else { &mut preferred.absent_preferred };
        labels.push(key.to_owned());
        Ok(())
    }

    /// Spreads the pods of a Service over the values of this label.
    pub(super) fn keep_apart(&mut self, key: &str, weighed: Weighed<'_>) -> Result<(), String> {
        self.add_weight(SERVICE_AFFINITY, weighed)?;
        self.service_affinity.apart.push(key.to_owned());
        Ok(())
    }

    /// Adds the weight of a priority to the plugin's weight. The plugin scores the mean of its preferences. So the
    /// plugin's weight is the sum of the priorities' weights, and the priorities' weights must be equal.
    fn add_weight(&mut self, plugin: &'static str, weighed: Weighed<'_>) -> Result<(), String> {
        let weight = weighed.weight;
        let (first, of_first) = self.first.entry(plugin).or_insert_with(|| (weighed.name.to_owned(), weight));
        if *of_first != weight {
            return Err(format!(
                "{} has weight {weight}, but {first}, of the same kind, has weight {of_first}; the weights must be \
                 equal",
                weighed.name
            ));
        }
        let sum = self.scores.get(plugin).copied().unwrap_or(0).checked_add(weight);
        let sum =
            sum.ok_or_else(|| format!("the total weight of the priorities of this kind is more than {}", i32::MAX))?;
        self.scores.insert(plugin, sum);
        Ok(())
    }

    /// Returns the finished profile.
    pub(super) fn into_profile(self) -> Profile {
        let mut plugins = Plugins {
            multi_point: PluginSet { enabled: Vec::new(), disabled: vec![plugin("*", None)] },
            ..Plugins::default()
        };
        let mut enable = |name, point, weight| at(&mut plugins, point).enabled.push(plugin(name, weight));
        ALWAYS.into_iter().for_each(|(name, point)| enable(name, point, None));
        for (name, points) in FILTERS.into_iter().filter(|(name, _)| self.filters.contains(name)) {
            points.iter().for_each(|point| enable(name, *point, None));
        }
        for (name, points) in SCORES {
            let Some(weight) = self.scores.get(name).copied() else { continue };
            points.iter().for_each(|point| enable(name, *point, (*point == Score).then_some(weight)));
        }
        let named: BTreeSet<&str> = self.filters.iter().chain(self.scores.keys()).copied().collect();
        let plugin_config = named
            .into_iter()
            .filter_map(|name| Some(PluginConfig { name: name.to_owned(), args: Some(self.arguments(name)?) }));
        Profile { plugin_config: plugin_config.collect(), plugins: Some(plugins), ..Profile::default() }
    }

    /// Returns the arguments of a plugin, or `None` if the plugin needs none.
    fn arguments(&self, plugin: &str) -> Option<PluginArgs> {
        match plugin {
            NODE_CONDITIONS => Some(PluginArgs::Other(json!({ "checks": self.conditions }))),
            IN_TREE_VOLUME_LIMITS => {
                let limits = json!({ "limits": self.volume_limits });
                Some(PluginArgs::Other(match self.max_volumes {
                    Some(most) => with(limits, "maxVolumes", &json!(most)),
                    None => limits,
                }))
            }
            NODE_LABEL => {
                let NodeLabel { present, absent, present_preferred, absent_preferred } = &self.node_label;
                Some(lists([
                    ("presentLabels", present),
                    ("absentLabels", absent),
                    ("presentLabelsPreference", present_preferred),
                    ("absentLabelsPreference", absent_preferred),
                ]))
            }
            SERVICE_AFFINITY => {
                let ServiceAffinity { alike, apart } = &self.service_affinity;
                Some(lists([("affinityLabels", alike), ("antiAffinityLabelsPreference", apart)]))
            }
            SELECTOR_SPREAD if self.services_only => Some(PluginArgs::Other(json!({ "servicesOnly": true }))),
            NODE_RESOURCES_FIT => {
                let scoring_strategy = self.strategy.clone()?;
                let args = NodeResourcesFitArgs { scoring_strategy: Some(scoring_strategy), ..Default::default() };
                Some(PluginArgs::NodeResourcesFit(args))
            }
            INTER_POD_AFFINITY => {
                let hard_pod_affinity_weight = Some(self.hard_pod_affinity_weight?);
                let args = InterPodAffinityArgs { hard_pod_affinity_weight, ..Default::default() };
                Some(PluginArgs::InterPodAffinity(args))
            }
            // With an empty list of default constraints, PodTopologySpread ignores pods without topology spread
            // constraints. SelectorSpread spreads those pods, if the Policy enables it.
            POD_TOPOLOGY_SPREAD => {
                let defaulting_type = Some(DefaultingType::List);
                let args = PodTopologySpreadArgs { defaulting_type, ..Default::default() };
                Some(PluginArgs::PodTopologySpread(args))
            }
            _ => None,
        }
    }
}

fn plugin(name: &str, weight: Option<i32>) -> Plugin {
    Plugin { name: name.to_owned(), weight }
}

fn at(plugins: &mut Plugins, point: ExtensionPoint) -> &mut PluginSet {
    match point {
        PreEnqueue => &mut plugins.pre_enqueue,
        QueueSort => &mut plugins.queue_sort,
        PreFilter => &mut plugins.pre_filter,
        Filter => &mut plugins.filter,
        PostFilter => &mut plugins.post_filter,
        PreScore => &mut plugins.pre_score,
        Score => &mut plugins.score,
        Reserve => &mut plugins.reserve,
        ExtensionPoint::Permit => &mut plugins.permit,
        PreBind => &mut plugins.pre_bind,
        Bind => &mut plugins.bind,
        ExtensionPoint::PostBind => &mut plugins.post_bind,
    }
}

/// Returns arguments with the lists that are not empty.
fn lists<const N: usize>(fields: [(&str, &Vec<String>); N]) -> PluginArgs {
    let filled = fields.into_iter().filter(|(_, list)| !list.is_empty());
    PluginArgs::Other(filled.map(|(name, list)| (name.to_owned(), json!(list))).collect())
}

fn with(mut object: Value, field: &str, value: &Value) -> Value {
    object[field] = value.clone();
    object
}
