//! Reading a request's body, within bounds, into a JSON tree.

use serde_json::Value;

use super::Call;
use crate::sim::failure::Failure;

/// The longest body that is read, as in kube-apiserver.
pub const LIMIT: usize = 3 << 20;

/// The media types of objects.
const READABLE: &str = "application/json, application/yaml";

/// Reads the whole body.
///
/// # Errors
/// 413 where it is too long, 400 where the client breaks off.
pub async fn bytes(call: Call) -> Result<axum::body::Bytes, Failure> {
    axum::body::to_bytes(call.body, LIMIT).await.map_err(|error| {
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        match cause.to_string().contains("length limit") {
            true => Failure::too_large(LIMIT),
            false => Failure::bad_request(format!("reading the body: {cause}")),
        }
    })
}

/// Reads the body as an object in JSON or YAML.
///
/// # Errors
/// 415 for another media type, 413 and 400 as [`bytes`], 400 where it is no object.
pub async fn object(call: Call) -> Result<Value, Failure> {
    let yaml = match call.content_type.as_str() {
        "" | "application/json" => false,
        "application/yaml" => true,
        _ => return Err(Failure::unsupported_media_type(READABLE)),
    };
    let bytes = bytes(call).await?;
    let value = if yaml { parse_yaml(&bytes) } else { parse_json(&bytes) }?;
    match value.is_object() {
        true => Ok(value),
        false => Err(Failure::bad_request("couldn't get version/kind; json parse error: the body is not an object")),
    }
}

/// Reads the body as an object where there is one.
///
/// # Errors
/// As [`object`].
pub async fn optional_object(call: Call) -> Result<Option<Value>, Failure> {
    let content_type = call.content_type.clone();
    let bytes = bytes(call).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    match content_type.as_str() {
        "" | "application/json" => parse_json(&bytes).map(Some),
        "application/yaml" => parse_yaml(&bytes).map(Some),
        _ => Err(Failure::unsupported_media_type(READABLE)),
    }
}

/// Parses JSON.
///
/// # Errors
/// 400 with the place of the mistake.
pub fn parse_json(bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}")))
}

/// Parses YAML.
///
/// # Errors
/// 400 with the place of the mistake.
pub fn parse_yaml(bytes: &[u8]) -> Result<Value, Failure> {
    serde_saphyr::from_slice(bytes)
        .map_err(|error| Failure::bad_request(format!("error converting YAML to JSON: {error}")))
}
