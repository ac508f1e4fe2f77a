//! What the API server's admission adds to new objects: priorities, default requests and the default storage class.

use std::collections::BTreeMap;

use berth_core::model::{Object, ObjectKind, ObjectReads};
use serde_json::Value;

use crate::copy::{ClusterCopy, CopyError};

/// The annotation of the default StorageClass.
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// The classes of a cluster.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The PriorityClasses, by name; `None` if they are not known.
    priorities: Option<BTreeMap<String, Priority>>,
    /// The PriorityClass of pods without one.
    global_default: Option<String>,
    /// The StorageClass of claims without one.
    pub default_storage_class: Option<String>,
}

#[derive(Clone, Debug)]
struct Priority {
    value: i64,
    preemption_policy: Option<String>,
}

/// Returns the kinds that decide how the API server admits and evicts pods: PriorityClasses, StorageClasses and
/// PodDisruptionBudgets, each with the fields that a question reads. Plugins may read other fields of these kinds, so the
/// objects are kept apart from the copy that plugins see.
#[must_use]
pub fn rules_wanted() -> Vec<ObjectReads> {
    let reads = |api_version: &str, kind: &str, fields: &[&str]| ObjectReads {
        kind: std::sync::Arc::new(ObjectKind { api_version: api_version.into(), kind: kind.into() }),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    };
    vec![
        reads("scheduling.k8s.io/v1", "PriorityClass", &["value", "globalDefault", "preemptionPolicy"]),
        reads("storage.k8s.io/v1", "StorageClass", &["metadata.annotations"]),
        reads("policy/v1", "PodDisruptionBudget", &["spec.selector", "status.disruptionsAllowed"]),
    ]
}

/// Adds the rules of manifests. An object replaces the object with its name.
///
/// # Errors
/// An object has no valid metadata.
pub(super) fn with_manifests(rules: &ClusterCopy, manifests: &[Value]) -> Result<ClusterCopy, CopyError> {
    let wanted = rules_wanted();
    let is_rule = |object: &&Value| wanted.iter().any(|reads| object["kind"] == *reads.kind.kind);
    let added = manifests.iter().filter(is_rule);
    let (added, _) = ClusterCopy::read(added, &wanted)?;
    let mut all = rules.clone();
    all.objects.retain(|object| added.objects.iter().all(|new| new.key != object.key));
    all.objects.extend(added.objects);
    Ok(all)
}

/// Returns the objects of a kind with their fields, or `None` if the copy does not have them.
pub(super) fn objects<'c>(copy: &'c ClusterCopy, kind: &'c str) -> Option<impl Iterator<Item = (&'c Object, Value)>> {
    let is_known = copy.kinds.iter().any(|reads| *reads.kind.kind == *kind);
    let of_kind = copy.objects.iter().filter(move |object| *object.key.kind.kind == *kind);
    is_known.then(|| of_kind.map(|object| (&**object, serde_json::from_str(&object.fields).unwrap_or_default())))
}

impl Classes {
    #[cfg(test)]
    pub fn with_default_storage_class(name: &str) -> Self {
        Self { default_storage_class: Some(name.to_owned()), ..Self::default() }
    }

    /// Returns the classes among these rules.
    pub fn of(copy: &ClusterCopy) -> Self {
        let mut classes = Self::default();
        if let Some(objects) = objects(copy, "PriorityClass") {
            let mut priorities = BTreeMap::new();
            for (object, fields) in objects {
                let name = object.key.name.to_string();
                if fields["globalDefault"] == true {
                    classes.global_default = Some(name.clone());
                }
                let preemption_policy = fields["preemptionPolicy"].as_str().map(str::to_owned);
                priorities
                    .insert(name, Priority { value: fields["value"].as_i64().unwrap_or_default(), preemption_policy });
            }
            classes.priorities = Some(priorities);
        }
        let storage = objects(copy, "StorageClass").into_iter().flatten();
        let mut defaults = storage.filter(|(_, fields)| fields["metadata"]["annotations"][DEFAULT_CLASS] == "true");
        classes.default_storage_class = defaults.next().map(|(object, _)| object.key.name.to_string());
        classes
    }

    /// Sets the fields of a new pod that the API server would set and the scheduler reads. Returns what is not known
    /// about the pod, as a sentence.
    pub fn admit(&self, pod: &mut Value) -> Option<String> {
        let spec = &mut pod["spec"];
        for list in ["containers", "initContainers"] {
            let containers = spec[list].as_array_mut().into_iter().flatten();
            containers.for_each(default_requests);
        }
        if !spec["schedulerName"].is_string() {
            spec["schedulerName"] = "default-scheduler".into();
        }
        self.set_priority(spec)
    }

    fn set_priority(&self, spec: &mut Value) -> Option<String> {
        if spec["priority"].is_i64() {
            return None;
        }
        let named = spec["priorityClassName"].as_str().map(str::to_owned);
        let name = named.or_else(|| self.global_default.clone())?;
        let known = self.priorities.as_ref().and_then(|priorities| priorities.get(&name).cloned());
        let Some(class) = known.or_else(|| built_in(&name)) else {
            return Some(format!("PriorityClass {name} is not known, so the pods have priority 0."));
        };
        spec["priority"] = class.value.into();
        if let (Some(policy), true) = (class.preemption_policy, spec["preemptionPolicy"].is_null()) {
            spec["preemptionPolicy"] = policy.into();
        }
        None
    }
}

fn built_in(name: &str) -> Option<Priority> {
    let value = match name {
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => return None,
    };
    Some(Priority { value, preemption_policy: None })
}

/// Sets the requests that a container does not have to its limits.
fn default_requests(container: &mut Value) {
    let Some(limits) = container["resources"]["limits"].as_object().cloned() else { return };
    if !container["resources"]["requests"].is_object() {
        container["resources"]["requests"] = Value::Object(serde_json::Map::new());
    }
    if let Some(requests) = container["resources"]["requests"].as_object_mut() {
        for (resource, limit) in limits {
            requests.entry(resource).or_insert(limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn copy() -> ClusterCopy {
        let class = |name: &str, value: i64, default: bool| {
            json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
                   "value": value, "globalDefault": default, "preemptionPolicy": "Never"})
        };
        let storage = |name: &str, default: &str| {
            json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                   "metadata": {"name": name, "annotations": {(DEFAULT_CLASS): default}}})
        };
        let objects =
            [class("low", 1, true), class("high", 9, false), storage("slow", "false"), storage("fast", "true")];
        ClusterCopy::read(&objects, &rules_wanted()).expect("valid objects").0
    }

    #[test]
    fn a_new_pod_gets_the_priority_of_its_class() {
        let classes = Classes::of(&copy());
        assert_eq!(classes.default_storage_class.as_deref(), Some("fast"));
        let with = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7});
        let changed = with_manifests(&copy(), &[with, json!({"kind": "Pod"})]).expect("valid");
        assert_eq!(Classes::of(&changed).priorities.expect("known")["high"].value, 7);
        for (spec, priority, note) in [
            (json!({"priorityClassName": "high"}), json!(9), false),
            (json!({}), json!(1), false),
            (json!({"priority": 5, "priorityClassName": "high"}), json!(5), false),
            (json!({"priorityClassName": "system-node-critical"}), json!(2_000_001_000), false),
            (json!({"priorityClassName": "none"}), Value::Null, true),
        ] {
            let mut pod = json!({"spec": spec});
            assert_eq!(classes.admit(&mut pod).is_some(), note, "{spec}");
            assert_eq!(pod["spec"]["priority"], priority, "{spec}");
        }
        assert!(Classes::of(&ClusterCopy::default()).priorities.is_none());
    }

    #[test]
    fn absent_requests_are_the_limits() {
        let resources = json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}});
        let mut pod = json!({"spec": {"containers": [{"resources": resources}, {}], "initContainers": [{"resources": {"limits": {"cpu": "3"}}}]}});
        assert!(Classes::default().admit(&mut pod).is_none());
        let spec = &pod["spec"];
        assert_eq!(spec["containers"][0]["resources"]["requests"], json!({"cpu": "1", "memory": "1Gi"}));
        assert_eq!(spec["initContainers"][0]["resources"]["requests"], json!({"cpu": "3"}));
        assert_eq!(spec["schedulerName"], "default-scheduler");
    }
}
