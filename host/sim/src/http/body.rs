//! Reads a request's body into JSON, up to a maximum length.

use serde_json::Value;

use super::Call;
use crate::failure::Failure;
use crate::protobuf;

/// The maximum length of a body in bytes (3 MiB), as in kube-apiserver.
pub const LIMIT: usize = 3 << 20;

/// The media types that the server reads, for error messages.
const READABLE: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// Reads the whole body.
///
/// # Errors
/// 413 if the body is longer than [`LIMIT`], 400 if the client ends the connection before the end of the body.
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

/// Reads an object in JSON, YAML or, for built-in kinds, protobuf.
///
/// # Errors
/// 415 for an unknown or missing media type, 413 and 400 as for [`bytes`], 400 if the body cannot be parsed or is not
/// an object.
pub async fn object(call: Call) -> Result<Value, Failure> {
    let parse = parser(&call.content_type)?;
    let value = parse(&bytes(call).await?)?;
    match value.is_object() {
        true => Ok(value),
        false => Err(Failure::bad_request("couldn't get version/kind; json parse error: the body is not an object")),
    }
}

/// Reads a value in JSON, YAML or protobuf. Returns `None` for a body that is empty or only whitespace. Does not check
/// that the value is an object.
///
/// # Errors
/// 415 for an unknown or missing media type, 413 and 400 as for [`bytes`], 400 if the body cannot be parsed.
pub async fn optional_object(call: Call) -> Result<Option<Value>, Failure> {
    let content_type = call.content_type.clone();
    let bytes = bytes(call).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    parser(&content_type)?(&bytes).map(Some)
}

/// A function that reads an object in one media type.
type Parser = fn(&[u8]) -> Result<Value, Failure>;

/// Returns the parser for a media type.
fn parser(content_type: &str) -> Result<Parser, Failure> {
    match content_type {
        "application/json" => Ok(parse_json),
        "application/yaml" => Ok(parse_yaml),
        protobuf::MEDIA_TYPE => Ok(parse_protobuf),
        _ => Err(Failure::unsupported_media_type(READABLE)),
    }
}

fn parse_protobuf(bytes: &[u8]) -> Result<Value, Failure> {
    protobuf::object(bytes).map_err(|problem| Failure::bad_request(problem.to_string()))
}

/// Parses JSON.
///
/// # Errors
/// 400 with the position of the error.
pub fn parse_json(bytes: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::bad_request(format!("couldn't get version/kind; json parse error: {error}")))
}

/// Parses YAML.
///
/// # Errors
/// 400 with the position of the error.
pub fn parse_yaml(bytes: &[u8]) -> Result<Value, Failure> {
    serde_saphyr::from_slice(bytes)
        .map_err(|error| Failure::bad_request(format!("error converting YAML to JSON: {error}")))
}
