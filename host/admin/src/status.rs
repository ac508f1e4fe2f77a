//! `Status` objects, as the API server answers errors.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Returns a `Status` object, as the API server does.
pub(crate) fn refuse(code: StatusCode, reason: &str, message: String) -> Response {
    let mut status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code.as_u16(),
    });
    if code == StatusCode::FORBIDDEN {
        status["details"] = json!({});
    }
    (code, Json(status)).into_response()
}
