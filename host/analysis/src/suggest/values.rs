//! Finds the value that was probably meant, and suggests claims of a similar name.

use std::collections::{BTreeMap, BTreeSet};

use berth_apimachinery::nearest;
use serde_json::Value;

use super::change::{ChangeKind, PatchOperation};
use super::confirm::Confirmer;
use super::suggestion::Suggestion;

/// The number of values that are tried.
pub(super) const MOST_VALUES: usize = 3;

/// Returns the values to try instead of `wrong`, the most likely first: the most similar one, then the most frequent
/// ones.
pub(super) fn alternatives<'a>(wrong: &str, values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    values.filter(|value| *value != wrong).for_each(|value| *counts.entry(value).or_default() += 1);
    let similar = nearest(wrong, counts.keys().copied());
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(value, count)| (Some(*value) != similar, std::cmp::Reverse(*count)));
    all.into_iter().take(MOST_VALUES).map(|(value, _)| value.to_owned()).collect()
}

/// Suggests the similar label key that nodes have for a `topologyKey` that no node has. `pointer` is that of the field.
pub(super) fn suggest_topology_key(confirmer: &mut Confirmer<'_>, plugin: &str, pointer: String) -> Option<Suggestion> {
    let key = confirmer.field(&pointer)?.as_str()?.to_owned();
    let labels = confirmer.cache().nodes().flat_map(|info| info.node.labels.iter());
    let keys: BTreeSet<String> = labels.map(|(key, _)| key.to_owned()).collect();
    if keys.contains(&key) {
        return None;
    }
    let other = nearest(&key, keys.iter().map(String::as_str))?;
    let text = format!("Use the topology key {other} instead of {key}: no node has label {key}.");
    let patch = vec![PatchOperation::replace(pointer, other.into())];
    confirmer.confirmed(ChangeKind::FixTopologyKey, plugin, patch, |_| text)
}

/// Suggests the names of existing claims for volumes whose claim does not exist.
pub(super) fn suggest_claims(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let field = |at| format!("/spec/volumes/{at}/persistentVolumeClaim/claimName");
    of_claims(confirmer, "v1/PersistentVolumeClaim", "/spec/volumes", field, "VolumeBinding")
}

/// Suggests the names of existing ResourceClaims for those that do not exist.
pub(super) fn suggest_resource_claims(confirmer: &mut Confirmer<'_>) -> Vec<Suggestion> {
    let field = |at| format!("/spec/resourceClaims/{at}/resourceClaimName");
    of_claims(confirmer, "ResourceClaim", "/spec/resourceClaims", field, "DynamicResources")
}

/// Suggests names of objects of this kind. `field` returns the pointer of the name in an element of `list`.
fn of_claims(
    confirmer: &mut Confirmer<'_>,
    kind: &str,
    list: &str,
    field: impl Fn(usize) -> String,
    plugin: &str,
) -> Vec<Suggestion> {
    let keys = confirmer.cache().objects().iter().map(|(_, cached)| &cached.object.key);
    let of_kind = keys.filter(|key| key.kind.is_named(kind) && key.namespace == confirmer.pod.key.namespace);
    let claims: BTreeSet<String> = of_kind.map(|key| key.name.to_string()).collect();
    let count = confirmer.field(list).and_then(Value::as_array).map_or(0, Vec::len);
    let mut suggestions = Vec::new();
    for pointer in (0..count).map(field) {
        let Some(name) = confirmer.field(&pointer).and_then(Value::as_str).map(str::to_owned) else { continue };
        if claims.contains(&name) {
            continue;
        }
        for other in alternatives(&name, claims.iter().map(String::as_str)) {
            let patch = vec![PatchOperation::replace(pointer.clone(), other.as_str().into())];
            let text = format!("Use the claim {other}: the claim {name} does not exist.");
            suggestions.extend(confirmer.confirmed(ChangeKind::FixClaimName, plugin, patch, |_| text));
        }
    }
    suggestions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_value_comes_before_frequent_values() {
        let values = ["blue", "blue", "green", "A", "green", "green", "red"];
        assert_eq!(alternatives("a", values.into_iter()), ["A", "green", "blue"]);
        assert_eq!(alternatives("green", values.into_iter()), ["blue", "A", "red"]);
        assert!(alternatives("a", std::iter::empty()).is_empty());
    }
}
