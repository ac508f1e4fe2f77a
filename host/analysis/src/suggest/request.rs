//! The resource requests of a pod, as fields that a patch can change.

use berth_core::model::Resources;
use berth_quantity::Quantity;
use serde_json::{Map, Value};

use super::change::{PatchOperation, pointer_part};
use super::confirm::Confirmer;

/// The pointer of the resources of the whole pod.
const WHOLE_POD: &str = "/spec/resources";

/// A request of a container or of the whole pod.
pub(super) struct Request {
    /// The pointer of the object with `requests` and `limits`.
    pub at: String,
    pub resource: String,
    pub amount: Quantity,
}

impl Request {
    pub fn path(&self, list: &str) -> String {
        format!("{}/{list}/{}", self.at, pointer_part(&self.resource))
    }

    /// Returns the patch that sets the request; with `None`, removes it. For resources that can't be overcommitted, the
    /// limit has to be equal.
    pub fn patch(&self, object: &Value, amount: Option<Quantity>) -> Vec<PatchOperation> {
        let set = |path: String| match amount {
            Some(amount) => PatchOperation::replace(path, amount.to_string().into()),
            None if self.must_stay(object) => PatchOperation::replace(path, "0".into()),
            None => PatchOperation::remove(path),
        };
        std::iter::once(set(self.path("requests")))
            .chain(self.has_equal_limit(object).then(|| set(self.path("limits"))))
            .collect()
    }

    /// Returns the patch that requests another resource instead.
    pub fn renamed(&self, object: &Value, resource: &str) -> Vec<PatchOperation> {
        let other = Self { at: self.at.clone(), resource: resource.to_owned(), amount: self.amount };
        let lists = ["requests", "limits"].into_iter().take(if self.has_equal_limit(object) { 2 } else { 1 });
        let operations = lists.flat_map(|list| {
            let amount = PatchOperation::add(other.path(list), self.amount.to_string().into());
            [amount, PatchOperation::remove(self.path(list))]
        });
        operations.collect()
    }

    /// Returns whether the resource is an extended resource or huge pages: anything but `cpu`, `memory` and
    /// `ephemeral-storage`.
    pub fn is_scalar(&self) -> bool {
        !matches!(self.resource.as_str(), "cpu" | "memory" | "ephemeral-storage")
    }

    /// Returns whether a limit has to be equal to the request.
    fn has_equal_limit(&self, object: &Value) -> bool {
        self.is_scalar() && object.pointer(&self.path("limits")).is_some()
    }

    /// Returns whether the API server accepts the request with this amount, or its removal: a request of the whole pod
    /// must be at least the sum of the containers' requests.
    pub fn is_valid(&self, confirmer: &Confirmer<'_>, amount: Option<Quantity>) -> bool {
        let amount = match amount {
            _ if self.at != WHOLE_POD => return true,
            None if !self.must_stay(&confirmer.object) => return true,
            None => Quantity::default(),
            Some(amount) => amount,
        };
        let without = confirmer.changed(&[PatchOperation::remove(self.path("requests"))]);
        let overhead = confirmer.field(&format!("/spec/overhead/{}", pointer_part(&self.resource))).and_then(parsed);
        let overhead = units(&self.resource, overhead.unwrap_or_default());
        without.is_some_and(|pod| {
            amount_of(&pod.requests.fit, &self.resource).saturating_sub(overhead) <= units(&self.resource, amount)
        })
    }

    /// Returns whether the API server refuses the pod without this request: huge pages require a request for CPU or
    /// memory in the same list.
    fn must_stay(&self, object: &Value) -> bool {
        let requests = object.pointer(&format!("{}/requests", self.at)).and_then(Value::as_object);
        let mut others = requests.into_iter().flat_map(Map::keys).filter(|other| **other != self.resource);
        matches!(self.resource.as_str(), "cpu" | "memory")
            && requests.is_some_and(|requests| requests.keys().any(|name| name.starts_with("hugepages-")))
            && !others.any(|other| other == "cpu" || other == "memory")
    }
}

/// Returns the pointers of the places that can have requests: the whole pod and its containers.
fn places(object: &Value) -> Vec<String> {
    let mut places = vec![WHOLE_POD.to_owned()];
    for list in ["containers", "initContainers"] {
        let count = object["spec"][list].as_array().map_or(0, Vec::len);
        places.extend((0..count).map(|at| format!("/spec/{list}/{at}/resources")));
    }
    places
}

/// Returns whether the API server refuses the pod because a list requests huge pages without CPU or memory.
pub(super) fn has_lone_huge_pages(object: &Value) -> bool {
    let lists = places(object).into_iter().map(|at| format!("{at}/requests"));
    lists.filter_map(|list| object.pointer(&list)?.as_object()).any(|requests| {
        requests.keys().any(|name| name.starts_with("hugepages-"))
            && !requests.contains_key("cpu")
            && !requests.contains_key("memory")
    })
}

/// Returns the requests of the pod: those of the whole pod, or those of its containers, the largest first.
pub(super) fn requests(object: &Value) -> Vec<Request> {
    let mut all: Vec<Request> = Vec::new();
    for at in places(object) {
        let Some(requests) = object.pointer(&format!("{at}/requests")).and_then(Value::as_object) else { continue };
        for (resource, amount) in requests {
            if let Some(amount) = parsed(amount).filter(|amount| amount.sign() > 0) {
                all.push(Request { at: at.clone(), resource: resource.clone(), amount });
            }
        }
    }
    all.sort_by(|one, other| one.resource.cmp(&other.resource).then_with(|| other.amount.cmp(&one.amount)));
    all
}

fn parsed(amount: &Value) -> Option<Quantity> {
    match amount {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Returns the amount in the units of [`Resources`].
pub(super) fn amount_of(resources: &Resources, resource: &str) -> i64 {
    match resource {
        "cpu" => resources.milli_cpu,
        "memory" => resources.memory,
        "ephemeral-storage" => resources.ephemeral_storage,
        other => resources.scalar(other),
    }
}

pub(super) fn units(resource: &str, amount: Quantity) -> i64 {
    if resource == "cpu" { amount.milli() } else { amount.value() }
}

pub(super) fn quantity(resource: &str, units: i64) -> Quantity {
    match resource {
        "cpu" => Quantity::from_milli(units),
        "memory" | "ephemeral-storage" => Quantity::from_binary(units),
        other if other.starts_with("hugepages-") => Quantity::from_binary(units),
        _ => Quantity::from_value(units),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_largest_request_of_a_resource_comes_first() {
        let pod = json!({"spec": {
            "containers": [
                {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}},
                {"resources": {"requests": {"cpu": 2}}},
            ],
            "initContainers": [{"resources": {"requests": {"cpu": "0"}}}],
        }});
        let found: Vec<(String, String)> =
            requests(&pod).iter().map(|request| (request.path("requests"), request.amount.to_string())).collect();
        let path = |at: usize, name: &str| format!("/spec/containers/{at}/resources/requests/{name}");
        assert_eq!(
            found,
            [(path(1, "cpu"), "2".into()), (path(0, "cpu"), "1".into()), (path(0, "memory"), "1Gi".into())]
        );
    }

    #[test]
    fn the_limit_of_an_extended_resource_changes_with_the_request() {
        let pod = json!({"spec": {"containers": [{"resources": {
            "requests": {"cpu": "1", "example.com/gpu": "2"}, "limits": {"cpu": "1", "example.com/gpu": "2"},
        }}]}});
        let lengths: Vec<(String, usize)> = requests(&pod)
            .iter()
            .map(|request| (request.resource.clone(), request.patch(&pod, Some(Quantity::from_value(1))).len()))
            .collect();
        assert_eq!(lengths, [("cpu".into(), 1), ("example.com/gpu".into(), 2)]);
    }

    #[test]
    fn huge_pages_need_cpu_or_memory_in_the_same_list() {
        let pod = |requests: Value| json!({"spec": {"containers": [{"resources": {"requests": requests}}]}});
        for (requests, expected) in [
            (json!({"hugepages-2Mi": "2Mi"}), true),
            (json!({"hugepages-2Mi": "2Mi", "cpu": "1"}), false),
            (json!({"example.com/gpu": "1"}), false),
        ] {
            assert_eq!(has_lone_huge_pages(&pod(requests)), expected);
        }
    }
}
