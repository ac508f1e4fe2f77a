//! Devices that scores count, as kube-scheduler can be asked about them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claims;
use crate::case::Case;

/// kube-scheduler remembers, as long as it runs, which devices a class has selected and which nodes a slice has; that is a difference
/// on purpose. So what selectors look at stays as it is: a device's attributes go with its name, and a node's labels with the node's.
/// And its NodeResourcesBalancedAllocation can't evaluate selectors at all: it ends there.
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

/// Gives these fields the values that they had when the name was seen first.
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
