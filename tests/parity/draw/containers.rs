//! The parts of pods that are in their containers: requests, ports and images.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::nodes::IMAGES;
use super::parts::{Part, any_of, field, list, map, object, optional};
use super::quantities::quantity;

/// Excludes fractions of a millicore. If a pod has pod-level requests, the API server sums up the requests of its
/// containers, each rounded to millicores, and then refuses its own sum.
fn without_fractions_of_millicores(quantity: Part) -> Part {
    let has_no_fraction =
        |text: &Value| text.as_str().is_none_or(|text| !text.ends_with(['n', 'u']) && text != "0.0001");
    quantity.prop_filter("a fraction of a millicore", has_no_fraction).boxed()
}

/// Draws a container's requests. Extended resources and huge pages can't be overcommitted, so their limits equal
/// the requests. Huge pages require requests for CPU or memory.
fn requests() -> Part {
    let resources =
        map(&["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu", "vendor.io/nic"], |resource| {
            without_fractions_of_millicores(quantity(resource, 3))
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
        optional("hostPort", any_of(&[80, 8080])),
        optional("hostIP", any_of(&["10.0.0.1", "0.0.0.0", "127.0.0.1", "", "::", "fd00::1"])),
        optional("protocol", any_of(&["TCP", "UDP", "SCTP"])),
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
            // A sidecar can't have restart rules, so no sidecars are drawn with restart rules.
            let sidecar = if self.restart_rules {
                Just(json!({})).boxed()
            } else {
                optional("restartPolicy", any_of(&["Always"]))
            };
            let init = object(vec![self.container(), sidecar]);
            parts.push(optional("spec.initContainers", list(init, 1..=3).prop_map(|list| named(list, "i"))));
        }
        parts
    }

    fn container(self) -> Part {
        let mut parts = Vec::new();
        if self.requests {
            parts.push(optional("resources", requests()));
        }
        if self.ports {
            parts.push(optional("ports", list(port(), 1..=2)));
        }
        if self.restart_rules {
            parts.push(restart_rules());
        }
        let images = if self.images { &IMAGES[..] } else { &IMAGES[..1] };
        parts.push(field("image", any_of(images)));
        object(parts)
    }
}

/// Gives the containers names, and removes host ports that occur twice in the list.
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
