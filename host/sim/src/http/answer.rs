//! Builds HTTP responses: objects, statuses and text, with their media type.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WARNING};
use axum::http::{Response as HttpResponse, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::negotiate::View;
use crate::failure::Failure;
use crate::resource::Resource;
use crate::store::Object;
use crate::table;

/// Returns a response with the given status code, media type and body.
pub fn with_type(code: u16, media: &'static str, body: impl Into<Body>) -> Response {
    let mut response = HttpResponse::new(body.into());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Returns a JSON response.
pub fn json(code: u16, value: &Value) -> Response {
    with_type(code, "application/json", value.to_string())
}

/// Returns a plain-text response with status 200.
pub fn text(text: &'static str) -> Response {
    with_type(200, "text/plain; charset=utf-8", text)
}

/// Returns the `Status` of an error, with `Retry-After: 1` for 429 and 504.
pub fn failure(failure: &Failure) -> Response {
    let mut response = json(failure.code, &failure.to_value());
    if matches!(failure.code, 429 | 504) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Returns a `Status` of success. `details` describes the object, if the response is about one.
pub fn success(code: u16, details: Option<Value>) -> Response {
    let mut status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    match details {
        Some(details) => status["details"] = details,
        None => status["code"] = code.into(),
    }
    json(code, &status)
}

/// Returns a response with status 201 and a failing body: the connection ends before the body is sent.
pub fn broken() -> Response {
    let error = std::io::Error::other("injected");
    let pieces = futures::stream::iter([Err::<axum::body::Bytes, _>(error)]);
    with_type(201, "application/json", Body::from_stream(pieces))
}

/// Returns one object in the form that the client requested.
pub fn object(code: u16, resource: &Resource, object: &Object, view: View) -> Response {
    match view {
        View::Objects => {
            let mut bytes = Vec::new();
            resource.write(object, object.rv(), &mut bytes);
            with_type(code, "application/json", bytes)
        }
        View::Table { now } => {
            let include = table::Include::Metadata;
            json(code, &table::of_one(resource, &resource.served(object), object.rv(), include, now))
        }
        View::Metadata => json(code, &metadata_only(&resource.served(object))),
    }
}

/// Returns an object's metadata as a `PartialObjectMetadata`.
pub fn metadata_only(served: &Value) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": served["metadata"]})
}

/// Adds `Warning` headers, which clients print.
pub fn with_warnings(mut response: Response, warnings: &[String]) -> Response {
    for warning in warnings {
        let escaped = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{escaped}\"")) {
            response.headers_mut().append(WARNING, value);
        }
    }
    response
}
