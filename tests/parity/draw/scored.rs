//! Devices that score plugins count, limited to what the two schedulers can be compared on.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claims;
use super::parts::keep_first_values;
use crate::case::Case;

/// Keeps the inputs of selectors constant: a device keeps its first attributes and capacity, and a node its first
/// labels. While kube-scheduler runs, it remembers which devices a class has selected and which nodes a slice has,
/// which is a deliberate difference. kube-scheduler's NodeResourcesBalancedAllocation can't evaluate selectors at all
/// and ends the process. For this reason, the classes that its arguments name get no selectors.
pub fn settle(case: &mut Case) {
    claims::settle(case);
    let scored = case.arguments.get("NodeResourcesBalancedAllocation").map(Value::to_string).unwrap_or_default();
    let mut seen = BTreeMap::new();
    for object in case.set_mut() {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        match object["kind"].as_str() {
            Some("Node") => keep_first_values(&mut seen, format!("node {name}"), &mut object["metadata"], &["labels"]),
            Some("ResourceSlice") => {
                let pool = object["spec"]["pool"]["name"].clone();
                for device in object["spec"]["devices"].as_array_mut().into_iter().flatten() {
                    let id = format!("device {pool} {}", device["name"]);
                    keep_first_values(&mut seen, id, device, &["attributes", "capacity", "allowMultipleAllocations"]);
                }
            }
            Some("DeviceClass") if scored.contains(&format!("/{name}\"")) => {
                object["spec"].as_object_mut().map(|spec| spec.remove("selectors"));
            }
            _ => {}
        }
    }
}
