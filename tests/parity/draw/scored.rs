//! Devices that score plugins count, limited to what the two schedulers can be compared on.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claims;
use crate::case::Case;

/// Keeps the inputs of selectors constant: a device's attributes follow from its name, and a node's labels from the
/// node's. While kube-scheduler runs, it remembers which devices a class has selected and which nodes a slice has,
/// which is a deliberate difference. Its NodeResourcesBalancedAllocation can't evaluate selectors at all and ends
/// the process, so they are removed from the classes that it scores.
pub fn settle(case: &mut Case) {
    claims::settle(case);
    let scored = case.arguments.get("NodeResourcesBalancedAllocation").map(Value::to_string).unwrap_or_default();
    let mut seen = BTreeMap::new();
    for object in case.set_mut() {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        match object["kind"].as_str() {
            Some("Node") => keep(&mut seen, format!("node {name}"), &mut object["metadata"], &["labels"]),
            Some("ResourceSlice") => {
                let pool = object["spec"]["pool"]["name"].clone();
                for device in object["spec"]["devices"].as_array_mut().into_iter().flatten() {
                    let id = format!("device {pool} {}", device["name"]);
                    keep(&mut seen, id, device, &["attributes", "capacity", "allowMultipleAllocations"]);
                }
            }
            Some("DeviceClass") if scored.contains(&format!("/{name}\"")) => {
                object["spec"].as_object_mut().map(|spec| spec.remove("selectors"));
            }
            _ => {}
        }
    }
}

/// Gives these fields the values that they had when the name was first seen.
pub fn keep(seen: &mut BTreeMap<String, Value>, name: String, object: &mut Value, fields: &[&str]) {
    let Some(object) = object.as_object_mut() else { return };
    let now: Value =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), object.get(*field)?.clone()))).collect();
    let first = seen.entry(name).or_insert(now);
    for field in fields {
        match first.get(*field) {
            Some(value) => drop(object.insert((*field).to_owned(), value.clone())),
            None => drop(object.remove(*field)),
        }
    }
}
