//! Suggests tolerations.

use std::collections::BTreeMap;

use berth_core::model::{Effect, Node, Taint, Toleration, TolerationOperator};
use serde_json::{Value, json};

use super::change::{ChangeKind, PatchOperation};
use super::confirm::{Confirmer, then_fit};
use super::suggestion::Suggestion;
use crate::names::counted;

const PLUGIN: &str = "TaintToleration";

/// The taint of an unschedulable node, which the node lifecycle controller adds and removes.
pub(super) const CORDON: &str = "node.kubernetes.io/unschedulable";

/// The number of different sets of taints that are tried.
const MOST_SETS: usize = 8;

/// The prefixes of taints that stand for a condition of the node: the node is not ready or is being drained, for
/// example. A toleration would bring the pod to a node that can't run it.
const CONDITIONS: [&str; 2] = ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"];

/// Returns whether the taint stands for a condition of the node.
pub(crate) fn is_condition(taint: &Taint) -> bool {
    CONDITIONS.iter().any(|prefix| taint.key.starts_with(prefix))
}

/// Returns whether the taint keeps pods away.
fn repels(taint: &Taint) -> bool {
    taint.effect != Effect::PreferNoSchedule
}

/// Suggests the tolerations for the taints of a node, for each set of taints.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let untolerated = |node: &Node, pod: &[Toleration]| -> Vec<Taint> {
        let open = node.taints.iter().filter(|taint| repels(taint));
        open.filter(|taint| !pod.iter().any(|toleration| tolerates(toleration, taint))).cloned().collect()
    };
    let pod = confirmer.pod.clone();
    let any = confirmer.cache().nodes().any(|info| !untolerated(&info.node, &pod.spec.tolerations).is_empty());
    if !any {
        return Vec::new();
    }
    let Some(fit) = confirmer.fits(&added(confirmer, vec![json!({"operator": "Exists"})])) else { return Vec::new() };
    let mut sets: BTreeMap<Vec<String>, (usize, Vec<Taint>)> = BTreeMap::new();
    for node in confirmer.nodes(&fit) {
        let taints = untolerated(node, &pod.spec.tolerations);
        if taints.is_empty() || taints.iter().any(is_condition) {
            continue;
        }
        sets.entry(taints.iter().map(shown).collect()).or_insert_with(|| (0, taints)).0 += 1;
    }
    let mut sets: Vec<(usize, Vec<Taint>)> = sets.into_values().collect();
    // Nodes with a role, such as the control plane, come last.
    let has_role = |taints: &[Taint]| taints.iter().any(|taint| taint.key.starts_with("node-role.kubernetes.io/"));
    sets.sort_by_key(|(nodes, taints)| (has_role(taints), taints.len(), std::cmp::Reverse(*nodes)));
    let mut suggestions = Vec::new();
    for (_, taints) in sets.into_iter().take(MOST_SETS) {
        let patch = added(confirmer, taints.iter().map(toleration).collect());
        let names: Vec<String> = taints.iter().map(shown).collect();
        let noun = if names.len() == 1 { "a toleration for the taint" } else { "tolerations for the taints" };
        suggestions.extend(confirmer.confirmed(ChangeKind::AddToleration, PLUGIN, patch, |fit| {
            format!("Add {noun} {}; {}.", names.join(", "), then_fit(fit))
        }));
    }
    suggestions
}

/// Returns the patch that adds these tolerations to the pod.
pub(super) fn added(confirmer: &Confirmer<'_>, tolerations: Vec<Value>) -> Vec<PatchOperation> {
    match confirmer.field("/spec/tolerations").and_then(Value::as_array) {
        Some(_) => {
            tolerations.into_iter().map(|toleration| PatchOperation::add("/spec/tolerations/-", toleration)).collect()
        }
        None => vec![PatchOperation::add("/spec/tolerations", tolerations.into())],
    }
}

fn toleration(taint: &Taint) -> Value {
    match &*taint.value {
        "" => json!({"key": taint.key, "operator": "Exists", "effect": effect(taint)}),
        value => json!({"key": taint.key, "operator": "Equal", "value": value, "effect": effect(taint)}),
    }
}

fn effect(taint: &Taint) -> &'static str {
    match taint.effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    }
}

/// Returns the taint as `kubectl` writes it.
pub(crate) fn shown(taint: &Taint) -> String {
    match &*taint.value {
        "" => format!("{}:{}", taint.key, effect(taint)),
        value => format!("{}={value}:{}", taint.key, effect(taint)),
    }
}

/// Returns whether the toleration tolerates the taint. A comparison of numbers counts as no toleration, so that the
/// suggestion may contain one toleration more than needed.
fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let key = toleration.key.is_empty() || toleration.key == taint.key;
    let effect = toleration.effect.is_none_or(|effect| effect == taint.effect);
    let value = match toleration.operator {
        TolerationOperator::Exists => true,
        TolerationOperator::Equal => toleration.value == taint.value,
        TolerationOperator::Lt | TolerationOperator::Gt => false,
    };
    key && effect && value
}

/// Returns a sentence about the nodes that have a taint for a condition.
pub(crate) fn conditions(confirmer: &Confirmer<'_>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let tolerations = &confirmer.pod.spec.tolerations;
    for info in confirmer.cache().nodes() {
        // The row of NodeUnschedulable tells about cordoned nodes.
        let says_more = |taint: &&Taint| repels(taint) && is_condition(taint) && *taint.key != *CORDON;
        let open = info.node.taints.iter().filter(says_more);
        for taint in open.filter(|taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint))) {
            *counts.entry(taint.key.to_string()).or_default() += 1;
        }
    }
    let (key, nodes) = counts.into_iter().max_by_key(|(_, nodes)| *nodes)?;
    let has = if nodes == 1 { "has" } else { "have" };
    Some(format!("{} {has} the taint {key}, which stands for a condition of the node", counted(nodes, "node")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toleration_matches_key_value_and_effect() {
        let taint = Taint { key: "a".into(), value: "1".into(), effect: Effect::NoSchedule };
        let toleration = |key: &str, operator, value: &str, effect| Toleration {
            key: key.into(),
            operator,
            value: value.into(),
            effect,
        };
        use TolerationOperator::{Equal, Exists, Gt};
        for (toleration, expected) in [
            (toleration("a", Equal, "1", None), true),
            (toleration("a", Equal, "2", None), false),
            (toleration("a", Exists, "", Some(Effect::NoSchedule)), true),
            (toleration("a", Exists, "", Some(Effect::NoExecute)), false),
            (toleration("", Exists, "", None), true),
            (toleration("b", Exists, "", None), false),
            (toleration("a", Gt, "0", None), false),
        ] {
            assert_eq!(tolerates(&toleration, &taint), expected, "{toleration:?}");
        }
        assert_eq!(shown(&taint), "a=1:NoSchedule");
    }
}
