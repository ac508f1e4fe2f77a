//! Host ports of running pods. Two pods on a node never hold the same port, because no kubelet would start both.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The name of the pod that owns each host port of each node. The key is the node, protocol, IP address and port as
/// JSON. Later pods lose the port, even after the owner is gone.
#[derive(Default)]
pub struct Owners(BTreeMap<String, Value>);

impl Owners {
    /// Removes the pod's host ports that another pod on the same node owns. The pod becomes the owner of the other
    /// ports.
    pub fn settle(&mut self, pod: &mut Value) {
        let (name, node) = (pod["metadata"]["name"].clone(), pod["spec"]["nodeName"].clone());
        for list in ["containers", "initContainers"] {
            for container in pod["spec"].get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(ports) = container.get_mut("ports").and_then(Value::as_array_mut) {
                    ports.retain(|port| self.is_owner(&name, &node, port));
                }
            }
        }
    }

    fn is_owner(&mut self, pod: &Value, node: &Value, port: &Value) -> bool {
        let text = |field: &str, default: &str| match port[field].as_str() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => default.to_owned(),
        };
        let Some(number) = port.get("hostPort") else { return true };
        let key = json!([node, text("protocol", "TCP"), text("hostIP", "0.0.0.0"), number]).to_string();
        self.0.entry(key).or_insert_with(|| pod.clone()) == pod
    }
}
