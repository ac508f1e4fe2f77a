//! The parts of pods that are in their containers: requests, ports and images.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::nodes::IMAGES;
use super::parts::{Part, any_of, field, list, map, object, perhaps};
use super::quantities::quantity;

/// Leaves out fractions of a millicore. If a pod has pod-level requests, the API server sums up the requests of its
/// containers, each rounded to millicores, and then refuses its own sum.
fn whole_millis(quantity: Part) -> Part {
    let whole = |text: &Value| text.as_str().is_none_or(|text| !text.ends_with(['n', 'u']) && text != "0.0001");
    quantity.prop_filter("a part of a millicore", whole).boxed()
}

/// Draws a container's requests. Extended resources and huge pages can't be overcommitted, so their limits equal
/// the requests. Huge pages require requests for CPU or memory.
fn requests() -> Part {
    let resources =
        map(&["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu", "vendor.io/nic"], |resource| {
            whole_millis(quantity(resource, 3))
        });
    resources
        .prop_map(|mut requests| {
            if let Some(requests) = requests.as_object_mut()
                && !requests.contains_key("cpu")
                && !requests.contains_key("memory")
            {
                requests.retain(|name, _| !name.starts_with("hugepages"));
            }
            let limits = requests.as_object().into_iter().flatten();
            let limits = limits.filter(|(name, _)| name.contains('/') || name.starts_with("hugepages"));
            let limits: serde_json::Map<String, Value> = limits.map(|(k, v)| (k.clone(), v.clone())).collect();
            json!({"requests": requests, "limits": limits})
        })
        .boxed()
}

fn port() -> Part {
    object(vec![
        field("containerPort", any_of(&[80, 8080])),
        perhaps("hostPort", any_of(&[80, 8080])),
        perhaps("hostIP", any_of(&["10.0.0.1", "0.0.0.0", "127.0.0.1", "", "::", "fd00::1"])),
        perhaps("protocol", any_of(&["TCP", "UDP", "SCTP"])),
    ])
}

/// Draws restart rules, together with the restart policy that they require.
fn restart_rules() -> Part {
    let rule = any_of(&["Restart", "RestartAllContainers"])
        .prop_map(|action| json!({"action": action, "exitCodes": {"operator": "In", "values": [42]}}));
    let rules = list(rule.boxed(), 1..=2);
    let rules = rules.prop_map(|rules| json!({"restartPolicy": "Never", "restartPolicyRules": rules}));
    prop_oneof![3 => Just(json!({})), 1 => rules].boxed()
}

/// The fields to draw for each container.
#[derive(Clone, Copy, Default)]
pub struct Containers {
    /// `resources`
    pub requests: bool,
    /// `ports`
    pub ports: bool,
    /// `image`
    pub images: bool,
    /// `initContainers`, including sidecars.
    pub init: bool,
    /// `restartPolicyRules`
    pub restart_rules: bool,
}

impl Containers {
    /// Draws `spec.containers` and `spec.initContainers`.
    pub fn parts(self) -> Vec<Part> {
        let mut parts = vec![field("spec.containers", list(self.container(), 1..=2).prop_map(|list| named(list, "c")))];
        if self.init {
            // Sidecars have no restart rules.
            let going_on = if self.restart_rules {
                Just(json!({})).boxed()
            } else {
                perhaps("restartPolicy", any_of(&["Always"]))
            };
            let init = object(vec![self.container(), going_on]);
            parts.push(perhaps("spec.initContainers", list(init, 1..=3).prop_map(|list| named(list, "i"))));
        }
        parts
    }

    fn container(self) -> Part {
        let mut parts = Vec::new();
        if self.requests {
            parts.push(perhaps("resources", requests()));
        }
        if self.ports {
            parts.push(perhaps("ports", list(port(), 1..=2)));
        }
        if self.restart_rules {
            parts.push(restart_rules());
        }
        let images = if self.images { &IMAGES[..] } else { &IMAGES[..1] };
        parts.push(field("image", any_of(images)));
        object(parts)
    }
}

/// Gives the containers names, and removes duplicate ports.
fn named(list: Value, letter: &str) -> Value {
    let mut list = list;
    let mut taken = Vec::new();
    for (at, container) in list.as_array_mut().into_iter().flatten().enumerate() {
        container["name"] = format!("{letter}{at}").into();
        if let Some(ports) = container.get_mut("ports").and_then(Value::as_array_mut) {
            ports.retain(|port| {
                let protocol = port.get("protocol").cloned().unwrap_or_else(|| "TCP".into());
                let ip = port.get("hostIP").cloned().unwrap_or_else(|| "".into());
                let key = json!([protocol, ip, port["hostPort"]]);
                let first = port.get("hostPort").is_none() || !taken.contains(&key);
                taken.push(key);
                first
            });
        }
    }
    list
}
