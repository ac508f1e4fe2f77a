//! The API's verbs, one in each file, and the dispatch of requests to them.

mod content;
mod create;
mod definitions;
mod delete;
mod delete_collection;
mod get;
mod incoming;
mod list;
mod namespaces;
mod patch;
mod scale;
mod update;
mod watch;
mod write;

use std::sync::Arc;

use axum::http::Method;
use axum::response::Response;

pub use create::{check, store_new};
pub use definitions::is_resource_of_definitions;
pub use delete::{Deletion, delete_object};
pub use incoming::accept;
pub use write::{ObjectRef, erase, modify, written};

use super::failure::Failure;
use super::http::{Call, body};
use super::kinds::Sub;
use super::pods;
use super::protobuf;
use super::request::Target;
use super::resource::{Resource, Source};
use super::state::State;
use super::value::text;

/// Handles a request for a resource.
///
/// # Errors
/// The failure to send as the response.
pub async fn dispatch(state: &Arc<State>, target: Target, call: Call) -> Result<Response, Failure> {
    let method = call.method.clone();
    match (&target.name, target.sub) {
        (None, _) => match method {
            Method::GET if call.query.flag("watch") => watch::watch(state, target, &call),
            Method::GET => list::list(state, target, &call),
            Method::POST => create::create(state, target, call).await,
            Method::DELETE => delete_collection::delete_collection(state, target, call).await,
            _ => Err(Failure::method_not_allowed()),
        },
        (Some(_), None) => match method {
            // The deprecated form of a watch of one object.
            Method::GET if call.query.flag("watch") => watch::watch(state, target, &call),
            Method::GET => get::get(&target, &call),
            Method::PUT => update::update(state, target, call).await,
            Method::PATCH => patch::patch(state, target, call).await,
            Method::DELETE => delete::delete(state, target, call).await,
            _ => Err(Failure::method_not_allowed()),
        },
        (Some(name), Some(sub)) => match (sub, method) {
            (Sub::Binding, Method::POST) => pods::bind(state, &target.namespace, Some(name), call).await,
            (Sub::Eviction, Method::POST) => pods::evict(state, &target.namespace, name, call).await,
            (Sub::Scale, _) => scale::scale(state, target, call).await,
            (Sub::Status | Sub::Resize | Sub::EphemeralContainers, Method::GET) => get::get(&target, &call),
            (Sub::Status | Sub::Resize | Sub::EphemeralContainers | Sub::Finalize, Method::PUT) => {
                update::update(state, target, call).await
            }
            (Sub::Status | Sub::Resize | Sub::EphemeralContainers, Method::PATCH) => {
                patch::patch(state, target, call).await
            }
            _ => Err(Failure::method_not_allowed()),
        },
    }
}

/// Handles a binding that is posted to a namespace instead of a pod. The body names the pod.
///
/// # Errors
/// The failure to send as the response.
pub async fn bind_by_body(state: &Arc<State>, namespace: &str, call: Call) -> Result<Response, Failure> {
    match call.method {
        Method::POST => pods::bind(state, namespace, None, call).await,
        _ => Err(Failure::method_not_allowed()),
    }
}

/// Checks that the name and namespace of an object in a body match the request's path.
fn check_place(object: &serde_json::Value, namespace: &str, name: Option<&str>) -> Result<(), Failure> {
    let metadata = &object["metadata"];
    let given = text(metadata, "namespace");
    if !given.is_empty() && given != namespace {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    match (name, text(metadata, "name")) {
        (Some(name), given) if !given.is_empty() && given != name => Err(Failure::bad_request(format!(
            "the name of the object ({given}) does not match the name on the URL ({name})"
        ))),
        _ => Ok(()),
    }
}

/// Reads an object of a resource from a body.
async fn read(resource: &Resource, call: Call) -> Result<serde_json::Value, Failure> {
    // The server does not know the protobuf messages of custom resources.
    if matches!(resource.source, Source::Custom(_)) && call.content_type == protobuf::MEDIA_TYPE {
        return Err(Failure::unsupported_media_type("application/json, application/yaml"));
    }
    body::object(call).await
}
