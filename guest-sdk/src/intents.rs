//! Changes to the cluster that a plugin asks for. The plugin returns intents, and the host executes them under its
//! own rights.
//!
//! A plugin needs no rights. The host's role must allow what intents do: `patch`, `create`, `delete`, and `watch` of
//! an object that an intent waits for. If an intent fails, for this or another reason, the pod's scheduling attempt
//! fails: every reservation is undone and the pod is queued again.
//!
//! ```
//! use std::time::Duration;
//!
//! use berth_guest::intents::{Intent, ObjectReference, quoted};
//!
//! let claim = ObjectReference::new("v1", "PersistentVolumeClaim", "data").in_namespace("shop");
//! let patch = format!(r#"{{"metadata":{{"annotations":{{"volume.kubernetes.io/selected-node":{}}}}}}}"#, quoted("node-1"));
//! let wanted = [
//!     Intent::patch(claim.clone(), patch),
//!     Intent::wait_until(claim, "object.status.phase == 'Bound'", Duration::from_secs(600)),
//! ];
//! # let _ = wanted;
//! ```

use std::time::Duration;

pub use crate::bindings::reserve::berth::scheduler::intents::{Intent, ObjectReference, Patch, PatchType, Wait};

impl ObjectReference {
    /// Names a cluster-scoped object, with any uid: `ObjectReference::new("v1", "Node", "node-1")`.
    pub fn new(api_version: &str, kind: &str, name: &str) -> ObjectReference {
        let [api_version, kind, name] = [api_version, kind, name].map(str::to_owned);
        ObjectReference { api_version, kind, namespace: String::new(), name, uid: String::new() }
    }

    /// Sets the namespace of the object.
    #[must_use]
    pub fn in_namespace(self, namespace: &str) -> ObjectReference {
        ObjectReference { namespace: namespace.to_owned(), ..self }
    }

    /// Sets the uid of the object. The intent then does not change another object of the same name.
    #[must_use]
    pub fn with_uid(self, uid: &str) -> ObjectReference {
        ObjectReference { uid: uid.to_owned(), ..self }
    }
}

impl Intent {
    /// Changes an object by a JSON merge patch.
    pub fn patch(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "", patch.into(), PatchType::Merge)
    }

    /// Changes an object's status by a JSON merge patch.
    pub fn patch_status(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "status", patch.into(), PatchType::Merge)
    }

    /// Changes an object by a strategic merge patch, which merges lists by their keys. Custom resources don't support
    /// strategic merge patches.
    pub fn strategic_patch(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "", patch.into(), PatchType::StrategicMerge)
    }

    /// Changes an object's status by a strategic merge patch.
    pub fn strategic_patch_status(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "status", patch.into(), PatchType::StrategicMerge)
    }

    /// Creates an object. The intent fails if an object of this name exists. `json` is the object without its kind and
    /// names. The created object has no status: patch the status afterwards. A plugin that creates an object in
    /// `pre_bind` deletes it in `unreserve`.
    pub fn create(object: ObjectReference, json: impl Into<String>) -> Intent {
        Intent::Create((object, json.into()))
    }

    /// Deletes an object. An object that does not exist counts as deleted.
    pub fn delete(object: ObjectReference) -> Intent {
        Intent::Delete(object)
    }

    /// Binds a pod to a node as the scheduler itself does. For a `bind` function.
    pub fn bind(pod: ObjectReference, node: &str) -> Intent {
        let patch = format!(r#"{{"target":{{"kind":"Node","name":{}}}}}"#, quoted(node));
        changed(pod, "binding", patch, PatchType::Merge)
    }

    /// Waits until the object meets a condition. `until` is a CEL expression over `object`. True ends the wait. A
    /// string ends the wait as failed, and the string is the reason. Any other value, or an error such as a missing
    /// field, continues the wait. The wait fails after `timeout`.
    pub fn wait_until(object: ObjectReference, until: impl Into<String>, timeout: Duration) -> Intent {
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        Intent::WaitUntil(Wait { object, until: until.into(), timeout_ms })
    }

    /// Evicts a victim of preemption. `reason` is for the pod's condition.
    pub fn evict(pod: ObjectReference, reason: impl Into<String>) -> Intent {
        Intent::Evict((pod, reason.into()))
    }

    /// Assumes a change of an object: `patch` is a JSON merge patch of the object as it is now. Every plugin that
    /// reads the kind sees the patched object, marked [assumed](crate::objects::Object::assumed), until the API
    /// server has a newer version or the pod's reservation ends.
    pub fn assume(object: ObjectReference, patch: impl Into<String>) -> Intent {
        Intent::Assume((object, patch.into()))
    }
}

fn changed(object: ObjectReference, subresource: &str, patch: String, patch_type: PatchType) -> Intent {
    Intent::Patch(Patch { object, subresource: subresource.to_owned(), patch, patch_type })
}

/// Writes a string as JSON, in quotes. For patches that are built with `format!`.
///
/// ```
/// use berth_guest::intents::quoted;
///
/// assert_eq!(quoted("a \"b\"\n"), r#""a \"b\"\u000a""#);
/// ```
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => {
                let digit = |value: u32| char::from_digit(value, 16).unwrap_or('0');
                let code = u32::from(character);
                json.push_str("\\u00");
                json.extend([digit(code >> 4), digit(code & 15)]);
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}
