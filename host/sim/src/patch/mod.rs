//! Patches, in the three forms that change an object. The fourth form, server-side apply, is in
//! [`managed_fields`](crate::managed_fields).

mod strategic;

use serde_json::Value;

use super::failure::Failure;
use super::resource::Resource;

/// A patch of one of the three forms.
#[derive(Debug, Clone, PartialEq)]
pub enum Patch {
    /// A JSON patch (RFC 6902): a list of operations.
    Json(Value),
    /// A JSON merge patch (RFC 7386): an object that is merged into the stored object. A null removes a field.
    Merge(Value),
    /// A strategic merge patch: a merge patch that merges lists by the keys of their items.
    Strategic(Value),
}

/// Applies a patch to an object in its served form.
///
/// # Errors
/// 422 if an operation cannot be applied, 400 if the patch is malformed. A malformed strategic merge patch gives 500,
/// as in kube-apiserver.
pub fn apply(patch: &Patch, resource: &Resource, served: &Value) -> Result<Value, Failure> {
    match patch {
        Patch::Json(_) | Patch::Merge(_) => apply_plain(patch, served),
        Patch::Strategic(change) => {
            let mut object = served.clone();
            strategic::merge(&resource.type_name(), &mut object, change).map_err(Failure::plain_error)?;
            Ok(object)
        }
    }
}

/// Applies a patch without knowledge of the object's kind. A patch in any form except a JSON patch is applied as a JSON
/// merge patch.
///
/// # Errors
/// 422 if an operation of a JSON patch cannot be applied, 400 if the JSON patch is malformed.
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
        Patch::Merge(change) | Patch::Strategic(change) => json_patch::merge(&mut object, change),
    }
    Ok(object)
}
