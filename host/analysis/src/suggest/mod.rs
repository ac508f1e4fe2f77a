//! Suggestions: changes after which the pod fits. Each suggestion is confirmed by asking the plugins again on a copy of
//! the cluster that is changed so.
//!
//! A rule knows a field of pods or nodes that decides where a pod fits. The rule first asks with the weakest value of
//! the field (no node selector, all taints tolerated). If that does not help, no other value does, and the rule ends
//! after one question. Otherwise the rule looks for the smallest change, and keeps what is confirmed.

mod affinity;
mod change;
mod confirm;
mod gates;
mod nodes;
mod pod_affinity;
mod pods;
mod request;
mod resources;
mod selector;
mod shortage;
mod spread;
mod suggestion;
pub(crate) mod taints;
mod values;

pub use self::change::{Change, ChangeKind, ObjectRef, PatchOperation};
pub(crate) use self::confirm::Confirmer;
pub use self::confirm::MOST_CONFIRMATIONS;
pub(crate) use self::gates::{scheduler_name, scheduling_gates};
pub(crate) use self::shortage::Shortage;
pub use self::suggestion::Suggestion;
pub(crate) use self::taints::conditions;

/// The largest number of suggestions of an explanation.
pub(crate) const MOST_SUGGESTIONS: usize = 8;

/// A rule that suggests changes of one kind of field.
type Rule = fn(&mut Confirmer<'_>) -> Vec<Suggestion>;

/// The rules, each with the plugin whose rejections it can remove.
const RULES: [(&str, Rule); 10] = [
    ("NodeResourcesFit", resources::suggest),
    ("NodeAffinity", selector::suggest),
    ("NodeAffinity", affinity::suggest),
    ("NodeUnschedulable", nodes::suggest),
    ("TaintToleration", taints::suggest),
    ("PodTopologySpread", spread::suggest),
    ("InterPodAffinity", pod_affinity::suggest),
    ("NodePorts", pods::suggest_ports),
    ("VolumeBinding", values::suggest_claims),
    ("DynamicResources", values::suggest_resource_claims),
];

/// Returns the suggestions of all rules. The rules about these plugins come first, in this order, because a change that
/// helps most likely concerns a plugin that rejects nodes.
pub(crate) fn suggestions(confirmer: &mut Confirmer<'_>, plugins: &[String]) -> Vec<Suggestion> {
    let place = |plugin: &str| plugins.iter().position(|other| other == plugin).unwrap_or(plugins.len());
    let mut rules: Vec<(usize, Rule)> = RULES.iter().map(|(plugin, rule)| (place(plugin), *rule)).collect();
    rules.sort_by_key(|(place, _)| *place);
    rules.into_iter().flat_map(|(_, rule)| rule(confirmer)).collect()
}
