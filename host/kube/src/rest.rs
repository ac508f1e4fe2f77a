//! Single requests to the API server, made from bytes: what is sent is known, and what comes back is hardly read.

use std::error::Error;
use std::time::Duration;

use ::kube::Client;
use ::kube::client::Body;
use ::kube::core::Status;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, StatusCode};

/// A request without host: path, and what is sent.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    /// Empty in a GET.
    pub(super) body: Bytes,
    /// Of the body.
    pub(super) content_type: &'static str,
}

pub(super) const JSON: &str = "application/json";
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const STRATEGIC_MERGE: &str = "application/strategic-merge-patch+json";

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The API server answered, and refused.
    #[error("{message}")]
    Refused {
        /// The answer's status.
        code: StatusCode,
        /// `reason` of the Status: `NotFound`, `Conflict`, …
        reason: String,
        /// `message` of the Status.
        message: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// No answer came: whether it was done is not known.
    #[error("{0}")]
    NoAnswer(String),
    /// The request was not sent, because this process does not hold the Lease any more.
    #[error("{0}")]
    NotLeading(String),
}

impl CallError {
    /// It was refused with this status.
    pub(super) fn is(&self, wanted: StatusCode) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == wanted)
    }

    /// The API server may have done it in spite of the error.
    pub(super) fn is_ambiguous(&self) -> bool {
        match self {
            Self::NoAnswer(_) => true,
            Self::NotLeading(_) => false,
            Self::Refused { code, .. } => code.is_server_error() && *code != StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The same request may succeed a little later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer(_) => true,
            Self::NotLeading(_) => false,
            Self::Refused { code, .. } => code.is_server_error() || *code == StatusCode::TOO_MANY_REQUESTS,
        }
    }
}

/// Sends it and returns the answer's body, within the time given.
pub(super) async fn send(client: &Client, call: Call, within: Duration) -> Result<Bytes, CallError> {
    match tokio::time::timeout(within, exchange(client, call)).await {
        Ok(result) => result,
        Err(_) => Err(CallError::NoAnswer(format!("no answer within {} s", within.as_secs()))),
    }
}

/// Sends it and returns the answer's body, however long that takes.
pub(super) async fn exchange(client: &Client, call: Call) -> Result<Bytes, CallError> {
    let mut request = Request::builder()
        .method(call.method)
        .uri(call.path)
        .body(Body::from(call.body))
        .map_err(|e| CallError::NoAnswer(format!("the request can't be built: {e}")))?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static(JSON));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(call.content_type));
    let answer = client.send(request).await.map_err(|e| CallError::NoAnswer(chain(&e)))?;
    let (head, body) = answer.into_parts();
    let body = body.collect_bytes().await.map_err(|e| CallError::NoAnswer(chain(&e)))?;
    if head.status.is_success() {
        return Ok(body);
    }
    let status: Status = serde_json::from_slice(&body).unwrap_or_default();
    let message = match status.message {
        message if message.is_empty() => format!("the API server answered {}", head.status),
        message => message,
    };
    let retry_after = head.headers.get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok());
    Err(CallError::Refused {
        code: head.status,
        reason: status.reason,
        message,
        retry_after: retry_after.map(Duration::from_secs),
    })
}

/// An error with its causes, each said once.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// Sends it up to `tries` times, for as long as the errors are such that a later attempt may succeed. For requests that
/// may be done twice.
pub(super) async fn send_again(client: &Client, call: Call, within: Duration, tries: u32) -> Result<Bytes, CallError> {
    again(tries, || send(client, call.clone(), within)).await
}

/// Makes up to `tries` attempts, for as long as the errors are such that a later attempt may succeed.
pub(super) async fn again<F>(tries: u32, mut attempt_once: impl FnMut() -> F) -> Result<Bytes, CallError>
where
    F: Future<Output = Result<Bytes, CallError>>,
{
    let mut attempt = 0;
    loop {
        match attempt_once().await {
            Err(e) if e.is_transient() && attempt + 1 < tries => pause(&e, attempt).await,
            result => return result,
        }
        attempt += 1;
    }
}

/// Waits after the given attempt (the first is 0).
pub(super) async fn pause(error: &CallError, attempt: u32) {
    tokio::time::sleep(backoff(error, attempt, fastrand::f64())).await;
}

/// How long to wait after the given attempt: doubling from a tenth of a second, and up to twice as long by `chance`, a number of 0
/// to 1, so that requests that fail together are not repeated together; or what the API server asks for; and never more than five
/// seconds.
fn backoff(error: &CallError, attempt: u32, chance: f64) -> Duration {
    const MOST: Duration = Duration::from_secs(5);
    let own = Duration::from_millis(100 << attempt.min(10)).mul_f64(1.0 + chance.clamp(0.0, 1.0));
    match error {
        CallError::Refused { retry_after: Some(asked), .. } => own.max(*asked).min(MOST),
        _ => own.min(MOST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_fail_together_are_not_repeated_together() {
        let none = CallError::NoAnswer("no answer".to_owned());
        let asked = |seconds| CallError::Refused {
            code: StatusCode::TOO_MANY_REQUESTS,
            reason: String::new(),
            message: String::new(),
            retry_after: Some(Duration::from_secs(seconds)),
        };
        for (error, attempt, chance, millis) in [
            (&none, 0, 0.0, 100),
            (&none, 0, 0.5, 150),
            (&none, 0, 1.0, 200),
            (&none, 3, 0.5, 1_200),
            (&none, 30, 1.0, 5_000),
            (&asked(1), 0, 0.5, 1_000),
            (&asked(60), 0, 0.5, 5_000),
        ] {
            assert_eq!(backoff(error, attempt, chance).as_millis(), millis, "{error:?}, {attempt}, {chance}");
        }
    }
}
