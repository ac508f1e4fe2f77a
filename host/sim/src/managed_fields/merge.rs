//! Merges an applied configuration into an object, and removes fields from an object.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::set::FieldSet;
use super::step::Step;
use super::typing::{Atom, ListType, MapType, TypeRef, is_empty, steps};

/// Returns `live` with the values of `config`. Both are objects of type `kind`.
pub fn merge(kind: TypeRef<'_>, live: &Value, config: &Value) -> Value {
    match kind.atom(config) {
        _ if is_empty(Some(live)) && is_empty(Some(config)) => config.clone(),
        Atom::Map(map) if live.is_object() || live.is_null() => merge_members(map, live, config),
        Atom::List(list) if live.is_array() || live.is_null() => merge_items(list, live, config),
        _ => config.clone(),
    }
}

fn merge_members(kind: MapType<'_>, live: &Value, config: &Value) -> Value {
    let mut merged = live.as_object().cloned().unwrap_or_default();
    for (name, wanted) in config.as_object().into_iter().flatten() {
        let inner = kind.member(name).map_or(TypeRef::Unknown, |member| member.kind);
        let value = match merged.get(name) {
            Some(existing) => merge(inner, existing, wanted),
            None => wanted.clone(),
        };
        merged.insert(name.clone(), value);
    }
    Value::Object(merged)
}

/// Merges two lists. The items of the configuration keep its order. The other items keep their places between them.
fn merge_items(kind: ListType<'_>, live: &Value, config: &Value) -> Value {
    let (left, right) = (steps(kind, Some(live)), steps(kind, Some(config)));
    // Several live items with one key are not merged with an item of the configuration, but replaced.
    let mut existing: HashMap<&Step, Option<&Value>> = HashMap::new();
    for (step, item) in &left {
        existing.entry(step).and_modify(|found| *found = None).or_insert(Some(*item));
    }
    let wanted: HashSet<&Step> = right.iter().map(|(step, _)| step).collect();
    let merged = |step: &Step, item: &Value| match existing.get(step).copied().flatten() {
        Some(live) => merge(kind.item(), live, item),
        None => item.clone(),
    };
    let mut shared = right.iter().map(|(step, _)| step).filter(|step| existing.contains_key(*step));
    let mut next_shared = shared.next();
    let mut done: HashSet<&Step> = HashSet::new();
    let mut list = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (0, 0);
    while l < left.len() || r < right.len() {
        if let (Some((step, _)), Some((other, item))) = (left.get(l), right.get(r)) {
            if step == other {
                done.insert(step);
                list.push(merged(other, item));
                (l, r) = (l + 1, r + 1);
                next_shared = shared.next();
                continue;
            }
            // The item is in both lists, and another shared item comes first in the configuration.
            if wanted.contains(step) && next_shared.is_some_and(|next| next != step) {
                l += 1;
                continue;
            }
        }
        if let Some((step, item)) = left.get(l) {
            if !wanted.contains(step) {
                list.push((*item).clone());
                l += 1;
                continue;
            }
            if done.contains(step) {
                l += 1;
            }
        }
        if let Some((step, item)) = right.get(r) {
            done.insert(step);
            list.push(merged(step, item));
            r += 1;
            if next_shared == Some(step) {
                next_shared = shared.next();
            }
        }
    }
    Value::Array(list)
}

/// Removes the fields of `set` from `value`, whose type is `kind`. A list or an object that has become empty becomes
/// null, and a value that is replaced as a whole becomes null if `set` contains anything below it.
pub fn remove(kind: TypeRef<'_>, value: &mut Value, set: &FieldSet) {
    if is_empty(Some(value)) {
        return;
    }
    match kind.atom(value) {
        Atom::Leaf if value.is_object() || value.is_array() => *value = Value::Null,
        Atom::Leaf => {}
        Atom::Map(map) => {
            let Some(members) = value.as_object_mut() else { return };
            remove_members(map, members, set);
            if members.is_empty() {
                *value = Value::Null;
            }
        }
        Atom::List(list) => {
            let Some(items) = value.as_array_mut() else { return };
            items.retain_mut(|item| {
                let Ok(step) = list.step(item) else { return true };
                if !set.has(&step)
                    && let Some(below) = set.below(&step)
                {
                    remove(list.item(), item, below);
                }
                !set.has(&step)
            });
            if items.is_empty() {
                *value = Value::Null;
            }
        }
    }
}

fn remove_members(kind: MapType<'_>, members: &mut Map<String, Value>, set: &FieldSet) {
    members.retain(|name, value| {
        let step = Step::field(name);
        if set.has(&step) {
            return false;
        }
        if let (Some(below), Some(member)) = (set.below(&step), kind.member(name)) {
            remove(member.kind, value, below);
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use berth_apimachinery::schema;
    use serde_json::json;

    use super::*;

    fn pod() -> TypeRef<'static> {
        TypeRef::Named(schema::type_named("core.v1.Pod").unwrap())
    }

    #[test]
    fn lists_are_merged_by_their_keys() {
        let live = json!({"spec": {"containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80, "protocol": "TCP"}]}, {"name": "b"}],
            "tolerations": [{"key": "j"}], "nodeSelector": {"a": "b"}}});
        let config = json!({"metadata": {"labels": {"l": "1"}, "finalizers": ["f"]},
            "spec": {"containers": [{"name": "a", "image": "y", "ports": [{"containerPort": 80, "name": "web"}]}], "tolerations": [{"key": "k"}],
                "nodeSelector": {"c": "d"}}});
        let merged = merge(pod(), &live, &config);
        assert_eq!(
            merged["spec"],
            json!({"containers": [{"name": "a", "image": "y", "ports": [{"containerPort": 80, "protocol": "TCP", "name": "web"}]}, {"name": "b"}],
                "tolerations": [{"key": "k"}], "nodeSelector": {"c": "d"}})
        );
        assert_eq!(merged["metadata"], config["metadata"]);
    }

    #[test]
    fn the_items_of_a_configuration_keep_their_order() {
        for (live, config, expected) in [
            ("abc", "", "abc"),
            ("", "abc", "abc"),
            ("abc", "cb", "acb"),
            ("abcd", "da", "bcda"),
            ("abc", "xb", "axbc"),
            ("ac", "abc", "abc"),
            ("xay", "ba", "xbay"),
        ] {
            let list = |names: &str| {
                let items: Vec<Value> = names.chars().map(|name| json!({"name": name.to_string()})).collect();
                json!({"spec": {"containers": items}})
            };
            let merged = merge(pod(), &list(live), &list(config));
            let names: String = merged["spec"]["containers"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|item| item["name"].as_str())
                .collect();
            assert_eq!(names, expected, "{live} with {config}");
        }
    }

    #[test]
    fn fields_are_removed() {
        let mut value = json!({"metadata": {"labels": {"a": "1", "b": "2"}, "annotations": {"c": "3"}},
            "spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b"}], "nodeName": "n"}});
        let set = json!({"f:metadata": {"f:labels": {"f:a": {}}, "f:annotations": {"f:c": {}}}, "f:spec": {"f:nodeName": {},
            "f:containers": {"k:{\"name\":\"a\"}": {"f:image": {}}, "k:{\"name\":\"b\"}": {".": {}, "f:name": {}}}}});
        remove(pod(), &mut value, &FieldSet::parse(&set).unwrap());
        assert_eq!(
            value,
            json!({"metadata": {"labels": {"b": "2"}, "annotations": null}, "spec": {"containers": [{"name": "a"}]}})
        );
    }
}
