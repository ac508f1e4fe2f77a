//! Patches: a change to an object in one of the forms that Kubernetes takes.

mod apply;
mod strategic;

use serde_json::Value;

use super::failure::Failure;
use super::resource::Resource;

/// A patch.
#[derive(Debug, Clone, PartialEq)]
pub enum Patch {
    /// RFC 6902: a list of operations.
    Json(Value),
    /// RFC 7386: an object over the object; null takes away.
    Merge(Value),
    /// As a merge patch, but lists whose items have keys are merged by these.
    Strategic(Value),
    /// Server-side apply, in short form: what is sent is merged in by the keys of lists, and ownership of fields is not
    /// tracked, so that leaving a field out doesn't take it away.
    Apply(Value),
}

/// Applies a patch to an object in its served form.
///
/// # Errors
/// 422 where an operation can't be done, 400 where the patch makes no sense; 500, as kube-apiserver has it, where a
/// strategic merge patch makes none.
pub fn apply(patch: &Patch, resource: &Resource, served: &Value) -> Result<Value, Failure> {
    match patch {
        Patch::Json(_) | Patch::Merge(_) => apply_plain(patch, served),
        Patch::Strategic(change) => {
            let mut object = served.clone();
            strategic::merge(&resource.type_name(), &mut object, change).map_err(Failure::plain_error)?;
            Ok(object)
        }
        Patch::Apply(change) => {
            let mut object = served.clone();
            apply::merge(&resource.type_name(), &mut object, change);
            Ok(object)
        }
    }
}

/// Applies a patch that needs no knowledge of the kind.
///
/// # Errors
/// As [`apply`].
pub fn apply_plain(patch: &Patch, served: &Value) -> Result<Value, Failure> {
    let mut object = served.clone();
    match patch {
        Patch::Json(operations) => {
            let operations: json_patch::Patch = serde_json::from_value(operations.clone())
                .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
            json_patch::patch(&mut object, &operations).map_err(|error| {
                let what = format!("the server rejected our request due to an error in our request: {error}");
                Failure::unprocessable(what)
            })?;
        }
        Patch::Merge(change) | Patch::Strategic(change) | Patch::Apply(change) => {
            json_patch::merge(&mut object, change)
        }
    }
    Ok(object)
}
