//! Changes of objects as data: a JSON patch, with the changed field for people and programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Lower a resource request of the pod.
    LowerRequest,
    /// Remove a resource request of the pod.
    RemoveRequest,
    /// Rename a resource in a request of the pod.
    FixResourceName,
    /// Add tolerations to the pod.
    AddToleration,
    /// Make a node schedulable again.
    Uncordon,
    /// Change the value of a key of `nodeSelector`.
    FixNodeSelectorValue,
    /// Rename a key of `nodeSelector`.
    FixNodeSelectorKey,
    /// Remove a key of `nodeSelector`.
    RemoveNodeSelectorKey,
    /// Remove `nodeSelector`.
    RemoveNodeSelector,
    /// Add a label to a node.
    LabelNode,
    /// Change a value in the required node affinity.
    FixNodeAffinityValue,
    /// Rename a key in the required node affinity.
    FixNodeAffinityKey,
    /// Remove a requirement of the required node affinity.
    RemoveNodeAffinityRequirement,
    /// Remove the required node affinity.
    RemoveNodeAffinity,
    /// Change a label in the selector of a term of required pod affinity.
    FixPodAffinityValue,
    /// Remove a term of required pod affinity.
    RemovePodAffinityTerm,
    /// Remove all terms of required pod affinity.
    RemovePodAffinity,
    /// Remove a term of required pod anti-affinity.
    RemovePodAntiAffinityTerm,
    /// Remove all terms of required pod anti-affinity.
    RemovePodAntiAffinity,
    /// Raise `maxSkew` of a topology spread constraint.
    RaiseMaxSkew,
    /// Change `topologyKey` of a topology spread constraint, or of a term of required pod affinity.
    FixTopologyKey,
    /// Set `whenUnsatisfiable: ScheduleAnyway` in a topology spread constraint.
    RelaxSpreadConstraint,
    /// Remove a topology spread constraint.
    RemoveSpreadConstraint,
    /// Remove a host port of the pod.
    RemoveHostPort,
    /// Delete another pod.
    DeletePod,
    /// Remove scheduling gates.
    RemoveSchedulingGates,
    /// Change the name of a claim in a volume of the pod.
    FixClaimName,
    /// Change `schedulerName`.
    FixSchedulerName,
}

/// An object that is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectRef {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// `metadata.namespace`; empty for a cluster-scoped kind.
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
}

impl ObjectRef {
    /// Returns a node.
    #[must_use]
    pub fn node(name: &str) -> Self {
        Self { api_version: "v1".into(), kind: "Node".into(), namespace: String::new(), name: name.into() }
    }

    /// Returns a pod.
    #[must_use]
    pub fn pod(namespace: &str, name: &str) -> Self {
        Self { api_version: "v1".into(), kind: "Pod".into(), namespace: namespace.into(), name: name.into() }
    }
}

/// An operation of a JSON patch (RFC 6902).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchOperation {
    /// `add`, `remove` or `replace`.
    pub op: String,
    /// A JSON pointer.
    pub path: String,
    /// The new value; absent for `remove`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl PatchOperation {
    /// Returns an operation that adds or replaces a value.
    #[must_use]
    pub fn add(path: impl Into<String>, value: Value) -> Self {
        Self { op: "add".into(), path: path.into(), value: Some(value) }
    }

    /// Returns an operation that removes a value.
    #[must_use]
    pub fn remove(path: impl Into<String>) -> Self {
        Self { op: "remove".into(), path: path.into(), value: None }
    }

    /// Returns an operation that replaces a value.
    #[must_use]
    pub fn replace(path: impl Into<String>, value: Value) -> Self {
        Self { op: "replace".into(), path: path.into(), value: Some(value) }
    }
}

/// A change of one object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The object.
    pub object: ObjectRef,
    /// The object is deleted. Then there is no patch.
    #[serde(default)]
    pub deletes: bool,
    /// The field's path, for example `spec.containers[0].resources.requests.cpu`. Empty if the object is deleted.
    pub field: String,
    /// The field's present value; absent if the field is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The field's new value; absent if the field is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
    /// The change as a JSON patch, as for `kubectl patch --type=json`.
    pub patch: Vec<PatchOperation>,
}

impl Change {
    /// Returns a change of `object` by this patch. The field is that of the first operation. `before` is the present
    /// object, if it is known.
    #[must_use]
    pub fn patch(kind: ChangeKind, object: ObjectRef, before: Option<&Value>, patch: Vec<PatchOperation>) -> Self {
        let first = patch.first();
        let path = first.map_or("", |operation| operation.path.as_str());
        Self {
            kind,
            object,
            deletes: false,
            field: field_of(path),
            from: before.and_then(|object| object.pointer(path)).cloned(),
            to: first.and_then(|operation| operation.value.clone()),
            patch,
        }
    }

    /// Returns the deletion of a pod.
    #[must_use]
    pub fn delete(object: ObjectRef) -> Self {
        let (field, patch) = (String::new(), Vec::new());
        Self { kind: ChangeKind::DeletePod, object, deletes: true, field, from: None, to: None, patch }
    }

    /// Applies the patch to the object. Returns `None` if the object lacks a field that the patch needs.
    #[must_use]
    pub fn apply(&self, object: &Value) -> Option<Value> {
        patched(object, &self.patch)
    }
}

/// Applies a patch to an object.
pub(crate) fn patched(object: &Value, patch: &[PatchOperation]) -> Option<Value> {
    let patch: json_patch::Patch = serde_json::from_value(json!(patch)).ok()?;
    let mut object = object.clone();
    json_patch::patch(&mut object, &patch).ok()?;
    Some(object)
}

/// Returns a key as a part of a JSON pointer.
pub(crate) fn pointer_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns a JSON pointer as the path of a field: `/spec/containers/0/name` as `spec.containers[0].name`.
fn field_of(pointer: &str) -> String {
    let mut field = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(at) => field += &format!("[{at}]"),
            // The end of a list.
            Err(_) if part == "-" => {}
            Err(_) if part.contains(['.', '/']) => field += &format!("[\"{part}\"]"),
            Err(_) if field.is_empty() => field += &part,
            Err(_) => field += &format!(".{part}"),
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_shown_as_fields() {
        for (pointer, expected) in [
            ("/spec/containers/0/resources/requests/cpu", "spec.containers[0].resources.requests.cpu"),
            ("/spec/nodeSelector/topology.kubernetes.io~1zone", "spec.nodeSelector[\"topology.kubernetes.io/zone\"]"),
            ("/spec/tolerations/-", "spec.tolerations"),
            ("", ""),
        ] {
            assert_eq!(field_of(pointer), expected);
        }
    }

    #[test]
    fn a_change_has_the_values_before_and_after() {
        let pod = json!({"spec": {"nodeSelector": {"a/b": "1", "c": "2"}}});
        let path = format!("/spec/nodeSelector/{}", pointer_part("a/b"));
        let change = Change::patch(
            ChangeKind::FixNodeSelectorValue,
            ObjectRef::pod("n", "p"),
            Some(&pod),
            vec![PatchOperation::replace(path.clone(), json!("3"))],
        );
        assert_eq!((change.from.clone(), change.to.clone()), (Some(json!("1")), Some(json!("3"))));
        assert_eq!(change.apply(&pod), Some(json!({"spec": {"nodeSelector": {"a/b": "3", "c": "2"}}})));
        assert_eq!(change.apply(&json!({})), None);
        let removal = vec![PatchOperation::remove(path)];
        assert_eq!(patched(&pod, &removal), Some(json!({"spec": {"nodeSelector": {"c": "2"}}})));
    }
}
