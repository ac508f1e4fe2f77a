//! What a plugin wants done to the cluster: it says so, and the host does it under its own rights.
//!
//! Whoever reads of a kind needs no rights for it; the host's role has to allow what intents do (`patch`, `create`, `delete`, and
//! `watch` of what is waited for). Where it doesn't, or where an intent fails in another way, the pod's placing ends: everything that was
//! reserved is taken back, and the pod is tried again.
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
    /// An object of no namespace, of whatever uid: `ObjectReference::new("v1", "Node", "node-1")`.
    pub fn new(api_version: &str, kind: &str, name: &str) -> ObjectReference {
        let [api_version, kind, name] = [api_version, kind, name].map(str::to_owned);
        ObjectReference { api_version, kind, namespace: String::new(), name, uid: String::new() }
    }

    /// The object of this name in a namespace.
    #[must_use]
    pub fn in_namespace(self, namespace: &str) -> ObjectReference {
        ObjectReference { namespace: namespace.to_owned(), ..self }
    }

    /// This very object: another one of the same name is left alone.
    #[must_use]
    pub fn with_uid(self, uid: &str) -> ObjectReference {
        ObjectReference { uid: uid.to_owned(), ..self }
    }
}

impl Intent {
    /// Change an object by a JSON merge patch.
    pub fn patch(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "", patch.into(), PatchType::Merge)
    }

    /// Change an object's status by a JSON merge patch.
    pub fn patch_status(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "status", patch.into(), PatchType::Merge)
    }

    /// Change an object by a strategic merge patch, which knows the keys of lists. Custom resources have none.
    pub fn strategic_patch(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "", patch.into(), PatchType::StrategicMerge)
    }

    /// Change an object's status by a strategic merge patch.
    pub fn strategic_patch_status(object: ObjectReference, patch: impl Into<String>) -> Intent {
        changed(object, "status", patch.into(), PatchType::StrategicMerge)
    }

    /// Make an object of this name, which nobody else may bear; `json` is what it has besides, but its status, for which it
    /// takes a patch. Whoever makes one in `pre_bind` deletes it in `unreserve`.
    pub fn create(object: ObjectReference, json: impl Into<String>) -> Intent {
        Intent::Create((object, json.into()))
    }

    /// Delete an object. One that is not there is done with.
    pub fn delete(object: ObjectReference) -> Intent {
        Intent::Delete(object)
    }

    /// Bind a pod to a node, as the scheduler itself does it: for a `bind`.
    pub fn bind(pod: ObjectReference, node: &str) -> Intent {
        let patch = format!(r#"{{"target":{{"kind":"Node","name":{}}}}}"#, quoted(node));
        changed(pod, "binding", patch, PatchType::Merge)
    }

    /// Go on with what follows when the object is so. `until` is a CEL expression over `object`: true ends the wait, a string
    /// ends it as failed, for that reason, and anything else (a field that is not there yet) waits on. Without an end of its
    /// own it fails after `timeout`.
    pub fn wait_until(object: ObjectReference, until: impl Into<String>, timeout: Duration) -> Intent {
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        Intent::WaitUntil(Wait { object, until: until.into(), timeout_ms })
    }

    /// Delete this pod to make room, with the reason for its condition.
    pub fn evict(pod: ObjectReference, reason: impl Into<String>) -> Intent {
        Intent::Evict((pod, reason.into()))
    }

    /// The object as it will be, as a JSON merge patch of what it is: every plugin that reads the kind sees it so, marked
    /// [assumed](crate::objects::Object::assumed), until the API server has a newer one or the pod's reservation ends.
    pub fn assume(object: ObjectReference, patch: impl Into<String>) -> Intent {
        Intent::Assume((object, patch.into()))
    }
}

fn changed(object: ObjectReference, subresource: &str, patch: String, patch_type: PatchType) -> Intent {
    Intent::Patch(Patch { object, subresource: subresource.to_owned(), patch, patch_type })
}

/// A text as JSON, in quotes: for patches that are put together with `format!`.
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
