//! The quality-of-service class of a pod, from the requests and limits of its containers.

use serde_json::Value;

use crate::value::{items, members};

const COUNTED: [&str; 2] = ["cpu", "memory"];

/// Returns `Guaranteed` if CPU and memory have equal requests and limits in all containers, `BestEffort` if no
/// container sets a request or a limit for CPU or memory, else `Burstable`. Resources of the pod replace the resources
/// of the containers.
pub fn qos_class(spec: &Value) -> &'static str {
    let pod_level = spec.get("resources").filter(|resources| has_any(resources));
    let resources: Vec<&Value> = match pod_level {
        Some(resources) => vec![resources],
        None => ["containers", "initContainers"]
            .iter()
            .flat_map(|list| items(spec, list))
            .map(|container| &container["resources"])
            .collect(),
    };
    if !resources.iter().any(|resources| has_any(resources)) {
        return "BestEffort";
    }
    let guaranteed = resources.iter().all(|resources| {
        COUNTED.iter().all(|name| {
            let limit = resources.pointer(&format!("/limits/{name}"));
            let request = resources.pointer(&format!("/requests/{name}"));
            limit.is_some_and(|limit| limit != "0" && request.is_none_or(|request| request == limit))
        })
    });
    if guaranteed { "Guaranteed" } else { "Burstable" }
}

fn has_any(resources: &Value) -> bool {
    let counted =
        |part| members(resources, part).any(|(name, amount)| COUNTED.contains(&name.as_str()) && amount != "0");
    counted("requests") || counted("limits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn classes_follow_requests_and_limits() {
        let both = json!({"cpu": "1", "memory": "1Gi"});
        for (resources, class) in [
            (json!([{}]), "BestEffort"),
            (json!([{"requests": {"nvidia.com/gpu": "1"}}]), "BestEffort"),
            (json!([{"requests": {"cpu": "1"}}]), "Burstable"),
            (json!([{"limits": both, "requests": both}]), "Guaranteed"),
            (json!([{"limits": both, "requests": both}, {}]), "Burstable"),
            (json!([{"limits": both, "requests": {"cpu": "500m", "memory": "1Gi"}}]), "Burstable"),
        ] {
            let containers: Vec<Value> =
                resources.as_array().unwrap().iter().map(|r| json!({"resources": r})).collect();
            assert_eq!(qos_class(&json!({"containers": containers})), class, "{resources}");
        }
    }
}
