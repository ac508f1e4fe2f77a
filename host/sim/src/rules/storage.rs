//! Rules of volumes, volume claims, storage classes and device claims.

use serde_json::{Value, json};

use super::Rules;
use crate::failure::{Failure, Problems, Subject};
use crate::pods;
use crate::state::State;
use crate::value::{items, object_mut, set_default, text};

/// The rules of core/v1 PersistentVolumes.
pub struct PersistentVolumes;

impl Rules for PersistentVolumes {
    fn default(&self, object: &mut Value) {
        let spec = &mut object["spec"];
        set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
        set_default(spec, "volumeMode", "Filesystem");
        if let Some(path) = spec.get_mut("hostPath") {
            set_default(path, "type", "");
        }
    }

    fn admit(&self, _state: &State, object: &mut Value) -> Result<(), Failure> {
        protect(object, "kubernetes.io/pv-protection");
        Ok(())
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"phase": "Pending"});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let spec = &object["spec"];
        if spec.get("capacity").is_none() {
            problems.required("spec.capacity", "");
        }
        if items(spec, "accessModes").next().is_none() {
            problems.required("spec.accessModes", "");
        }
    }
}

/// The rules of core/v1 PersistentVolumeClaims.
pub struct PersistentVolumeClaims;

impl Rules for PersistentVolumeClaims {
    fn default(&self, object: &mut Value) {
        set_default(&mut object["spec"], "volumeMode", "Filesystem");
        set_default(object, "status", json!({}));
        set_default(&mut object["status"], "phase", "Pending");
    }

    fn admit(&self, state: &State, object: &mut Value) -> Result<(), Failure> {
        protect(object, "kubernetes.io/pvc-protection");
        let named = object["spec"].get("storageClassName").is_some();
        let legacy = object.pointer("/metadata/annotations/volume.beta.kubernetes.io~1storage-class").is_some();
        if !named
            && !legacy
            && let Some(class) = default_class(state)
        {
            object["spec"]["storageClassName"] = class;
        }
        let subject = Subject { group: "", kind: "persistentvolumeclaims", name: text(&object["metadata"], "name") };
        pods::admit_claim(state, object).map_err(|why| Failure::forbidden(subject, &why))
    }

    fn create(&self, object: &mut Value) {
        object["status"] = json!({"phase": "Pending"});
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        let spec = &object["spec"];
        if items(spec, "accessModes").next().is_none() {
            problems.required("spec.accessModes", "at least 1 access mode is required");
        }
        if spec.pointer("/resources/requests/storage").is_none() {
            problems.required("spec.resources[storage]", "");
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        let mut allowed = new["spec"].clone();
        // A client can set a claim's volume and storage class once. A client can always change the claim's resources
        // and volume attributes class.
        if old["spec"].get("volumeName").is_none() {
            crate::value::copy_member(&mut allowed, &old["spec"], "volumeName");
        }
        for member in ["resources", "volumeAttributesClassName"] {
            crate::value::copy_member(&mut allowed, &old["spec"], member);
        }
        if old["spec"].get("storageClassName").is_none() {
            crate::value::copy_member(&mut allowed, &old["spec"], "storageClassName");
        }
        if allowed != old["spec"] {
            let why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
            problems.forbidden("spec", why);
        }
    }
}

/// Returns the name of the default storage class: the newest class with the annotation `is-default-class`.
fn default_class(state: &State) -> Option<Value> {
    let classes = state.values("storage.k8s.io", "storageclasses", None);
    let marked = classes.into_iter().filter(|class| {
        let annotation = class.pointer("/metadata/annotations/storageclass.kubernetes.io~1is-default-class");
        annotation.and_then(Value::as_str) == Some("true")
    });
    marked
        .max_by_key(|class| text(&class["metadata"], "creationTimestamp").to_owned())
        .map(|class| class["metadata"]["name"].clone())
}

fn protect(object: &mut Value, finalizer: &str) {
    if let Some(metadata) = object_mut(object, "metadata")
        && let Some(finalizers) = metadata.entry("finalizers").or_insert_with(|| json!([])).as_array_mut()
        && !finalizers.iter().any(|existing| existing == finalizer)
    {
        finalizers.push(finalizer.into());
    }
}

/// The rules of storage.k8s.io/v1 StorageClasses.
pub struct StorageClasses;

impl Rules for StorageClasses {
    fn default(&self, object: &mut Value) {
        set_default(object, "reclaimPolicy", "Delete");
        set_default(object, "volumeBindingMode", "Immediate");
    }

    fn check(&self, object: &Value, problems: &mut Problems) {
        if text(object, "provisioner").is_empty() {
            problems.required("provisioner", "");
        }
        let mode = text(object, "volumeBindingMode");
        if !matches!(mode, "Immediate" | "WaitForFirstConsumer") {
            problems.unsupported("volumeBindingMode", mode, &["Immediate", "WaitForFirstConsumer"]);
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
            if new.get(field) != old.get(field) {
                problems.forbidden(field, &format!("updates to {field} are forbidden."));
            }
        }
    }
}

/// The rules of resource.k8s.io/v1 ResourceClaims.
pub struct ResourceClaims;

impl Rules for ResourceClaims {
    fn default(&self, object: &mut Value) {
        let requests = object.pointer_mut("/spec/devices/requests").and_then(Value::as_array_mut);
        for request in requests.into_iter().flatten() {
            if let Some(exactly) = request.get_mut("exactly") {
                default_request(exactly);
            }
            for alternative in crate::value::items_mut(request, "firstAvailable") {
                default_request(alternative);
            }
        }
    }

    fn check_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        if new["spec"] != old["spec"] {
            problems.invalid("spec", &new["spec"], "field is immutable");
        }
    }

    fn check_status_update(&self, new: &Value, old: &Value, problems: &mut Problems) {
        let (after, before) = (&new["status"], &old["status"]);
        let allocated = after["allocation"].is_object();
        let users = |status| items(status, "reservedFor").map(|user| text(user, "uid"));
        if users(after).next().is_some() && !allocated {
            problems.forbidden("status.reservedFor", "may not be specified when `allocated` is not set");
        } else if old["metadata"].get("deletionTimestamp").is_some()
            && users(after).any(|user| users(before).all(|known| known != user))
        {
            let why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            problems.forbidden("status.reservedFor", why);
        }
        if allocated && before["allocation"].is_object() && after["allocation"] != before["allocation"] {
            problems.invalid("status.allocation", &after["allocation"], "field is immutable");
        }
    }
}

fn default_request(request: &mut Value) {
    set_default(request, "allocationMode", "ExactCount");
    if text(request, "allocationMode") == "ExactCount" {
        set_default(request, "count", 1);
    }
}
