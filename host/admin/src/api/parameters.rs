//! The parameters of a question: the part of its address behind `?`.

use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde::de::DeserializeOwned;

use crate::status::refuse;

/// The parameters of a question. Wrong parameters are refused with a `Status` object, which names them.
pub(super) struct Parameters<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(parameters)) => Ok(Self(parameters)),
            Err(wrong) => {
                let path = parts.uri.path();
                let text = wrong.body_text();
                // The beginning names the operation that failed, not what is wrong with the parameters.
                let why = text.rsplit_once("query string: ").map_or(&*text, |(_, why)| why);
                Err(refuse(StatusCode::BAD_REQUEST, "BadRequest", format!("wrong parameters of {path}: {why}")))
            }
        }
    }
}
