//! get: returns one object.

use axum::response::Response;

use crate::failure::Failure;
use crate::http::{Call, answer};
use crate::request::Target;
use crate::store::key;

/// Returns the object that the path names.
///
/// # Errors
/// 404 if the object does not exist, 406.
pub fn get(target: &Target, call: &Call) -> Result<Response, Failure> {
    let view = call.view()?;
    let name = target.name.as_deref().unwrap_or_default();
    let object = target.resource.objects.get(&key(&target.namespace, name));
    let object = object.ok_or_else(|| Failure::not_found(target.resource.subject(name)))?;
    Ok(answer::object(200, &target.resource, &object, view))
}
