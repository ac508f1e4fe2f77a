//! deletecollection: deletes all objects that match the selectors.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::delete::{Deletion, delete_object};
use super::list::selection;
use super::write::ObjectRef;
use crate::failure::Failure;
use crate::http::{Call, answer, body};
use crate::request::Target;
use crate::state::State;
use crate::store::Span;

/// Deletes the objects of a collection that match the query's selectors. Returns a list of these objects.
///
/// # Errors
/// 400, 405 for namespaces and for a namespaced kind without a namespace in the path.
pub async fn delete_collection(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let resource = target.resource.clone();
    if resource.kind == "Namespace" && resource.group.is_empty() || resource.namespaced && target.namespace.is_empty() {
        return Err(Failure::method_not_allowed());
    }
    let selection = selection(&resource, &call.query)?;
    let query = call.query.clone();
    let options = body::optional_object(call).await?;
    let deletion = Deletion::read(options.as_ref(), &query)?;
    let span = Span { namespace: resource.namespaced.then(|| target.namespace.clone()), ..Span::default() };
    let found = resource.objects.snapshot(&span, None).map_err(|old| Failure::expired(old.to_string()))?;
    let mut deleted: Vec<Value> = Vec::new();
    for object in found.objects.iter().filter(|object| selection.matches(object)) {
        let reference = ObjectRef { resource: &resource, namespace: object.namespace(), name: object.name() };
        match delete_object(state, reference, &deletion, deletion.is_dry_run()) {
            Ok(modified) => deleted.push(resource.served(modified.object())),
            Err(failure) if failure.code == 404 => {}
            Err(failure) => return Err(failure),
        }
    }
    let list = json!({"kind": format!("{}List", resource.kind), "apiVersion": resource.api_version(),
        "metadata": {"resourceVersion": found.rv.to_string()}, "items": deleted});
    Ok(answer::json(200, &list))
}
