//! Suggests weaker topology spread constraints.

use serde_json::{Value, json};

use super::change::{ChangeKind, PatchOperation};
use super::confirm::{Confirmer, then_fit};
use super::suggestion::Suggestion;
use super::values::suggest_topology_key;

const PLUGIN: &str = "PodTopologySpread";
const CONSTRAINTS: &str = "/spec/topologySpreadConstraints";

/// The largest `maxSkew` that is tried.
const HIGHEST_SKEW: i64 = 1024;

/// Suggests another topology key, a higher `maxSkew` or `ScheduleAnyway` for a constraint.
pub(super) fn suggest(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let constraints = confirmer.field(CONSTRAINTS).and_then(Value::as_array).cloned().unwrap_or_default();
    let required: Vec<usize> = constraints
        .iter()
        .enumerate()
        .filter(|(_, constraint)| constraint["whenUnsatisfiable"] == "DoNotSchedule")
        .map(|(at, _)| at)
        .collect();
    if required.is_empty()
        || confirmer.fits(&required.iter().flat_map(|at| relaxed(&constraints[*at], *at)).collect::<Vec<_>>()).is_none()
    {
        return Vec::new();
    }
    let mut suggestions = Vec::new();
    for at in required {
        let key = constraints[at]["topologyKey"].as_str().unwrap_or_default();
        let skew = constraints[at]["maxSkew"].as_i64().unwrap_or(1);
        let topology = suggest_topology_key(confirmer, PLUGIN, format!("{CONSTRAINTS}/{at}/topologyKey"));
        suggestions.extend(topology.filter(|one| !is_taken(&constraints, one.change.to.as_ref(), "DoNotSchedule")));
        suggestions.extend(smallest_skew(confirmer, at, key, skew));
        suggestions.extend(weaker(confirmer, &constraints, at, key));
    }
    suggestions
}

/// Returns whether a constraint has this key and `whenUnsatisfiable`. The API server refuses a second one.
fn is_taken(constraints: &[Value], key: Option<&Value>, when: &str) -> bool {
    constraints.iter().any(|other| Some(&other["topologyKey"]) == key && other["whenUnsatisfiable"] == when)
}

/// Suggests `ScheduleAnyway` for a constraint, or its removal if there is such a constraint for the key already.
fn weaker(confirmer: &mut Confirmer<'_>, constraints: &[Value], at: usize, key: &str) -> Option<Suggestion> {
    if is_taken(constraints, Some(&constraints[at]["topologyKey"]), "ScheduleAnyway") {
        let removal = vec![PatchOperation::remove(format!("{CONSTRAINTS}/{at}"))];
        return confirmer.confirmed(ChangeKind::RemoveSpreadConstraint, PLUGIN, removal, |fit| {
            format!("Remove the required spread constraint for {key}; {}.", then_fit(fit))
        });
    }
    confirmer.confirmed(ChangeKind::RelaxSpreadConstraint, PLUGIN, relaxed(&constraints[at], at), |fit| {
        format!("Set whenUnsatisfiable: ScheduleAnyway in the spread constraint for {key}; {}.", then_fit(fit))
    })
}

/// Returns the patch that sets `ScheduleAnyway`, with which `minDomains` is not allowed.
fn relaxed(constraint: &Value, at: usize) -> Vec<PatchOperation> {
    let set = PatchOperation::replace(format!("{CONSTRAINTS}/{at}/whenUnsatisfiable"), "ScheduleAnyway".into());
    let domains =
        constraint.get("minDomains").map(|_| PatchOperation::remove(format!("{CONSTRAINTS}/{at}/minDomains")));
    std::iter::once(set).chain(domains).collect()
}

/// Suggests the smallest `maxSkew` with which the pod fits.
fn smallest_skew(confirmer: &mut Confirmer<'_>, at: usize, key: &str, skew: i64) -> Option<Suggestion> {
    let patch = |skew: i64| vec![PatchOperation::add(format!("{CONSTRAINTS}/{at}/maxSkew"), json!(skew))];
    // A node without the label fits with no skew.
    confirmer.fits(&patch(HIGHEST_SKEW))?;
    let (mut too_low, mut enough) = (skew, skew + 1);
    while confirmer.fits(&patch(enough)).is_none() {
        if enough >= HIGHEST_SKEW || confirmer.is_limited {
            return None;
        }
        (too_low, enough) = (enough, (enough * 2).min(HIGHEST_SKEW));
    }
    while enough - too_low > 1 {
        let middle = too_low + (enough - too_low) / 2;
        if confirmer.fits(&patch(middle)).is_some() { enough = middle } else { too_low = middle }
    }
    confirmer.confirmed(ChangeKind::RaiseMaxSkew, PLUGIN, patch(enough), |fit| {
        format!("Raise maxSkew from {skew} to {enough} in the spread constraint for {key}; {}.", then_fit(fit))
    })
}
