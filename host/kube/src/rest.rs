//! Sends single requests to the API server, with bodies as bytes.

use std::error::Error;
use std::time::Duration;

use ::kube::Client;
use ::kube::client::Body;
use ::kube::core::Status;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, StatusCode};

/// A request without the host.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    /// The body; empty in a GET.
    pub(super) body: Bytes,
    /// The content type of the body.
    pub(super) content_type: &'static str,
}

pub(super) const JSON: &str = "application/json";
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const STRATEGIC_MERGE: &str = "application/strategic-merge-patch+json";

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The API server refused the request.
    #[error("{message}")]
    Refused {
        /// The status code of the answer.
        code: StatusCode,
        /// The `reason` of the Status, such as `NotFound` or `Conflict`.
        reason: String,
        /// The `message` of the Status.
        message: String,
        /// The wait that the API server asks for (Retry-After in seconds).
        retry_after: Option<Duration>,
    },
    /// No complete answer came, so the API server may have executed the request. Or the request could not be built.
    #[error("{0}")]
    NoAnswer(String),
    /// The request was not sent, because this process no longer holds the Lease.
    #[error("{0}")]
    NotLeading(String),
}

impl CallError {
    /// Returns whether the API server refused the request with this status.
    pub(super) fn is(&self, wanted: StatusCode) -> bool {
        matches!(self, Self::Refused { code, .. } if *code == wanted)
    }

    /// Returns whether the API server may have executed the request in spite of the error.
    pub(super) fn is_ambiguous(&self) -> bool {
        match self {
            Self::NoAnswer(_) => true,
            Self::NotLeading(_) => false,
            Self::Refused { code, .. } => code.is_server_error() && *code != StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns whether the same request may succeed later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer(_) => true,
            Self::NotLeading(_) => false,
            Self::Refused { code, .. } => code.is_server_error() || *code == StatusCode::TOO_MANY_REQUESTS,
        }
    }
}

/// Sends the request and returns the body of the answer. Waits at most `within`.
pub(super) async fn send(client: &Client, call: Call, within: Duration) -> Result<Bytes, CallError> {
    match tokio::time::timeout(within, exchange(client, call)).await {
        Ok(result) => result,
        Err(_) => Err(CallError::NoAnswer(format!("no answer within {} s", within.as_secs()))),
    }
}

/// Sends the request and returns the body of the answer. Has no time limit.
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

/// Returns the error's text with its causes. Leaves out a cause whose text is already part of the returned text. Of an
/// answer of the API server, the text is its message.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let text_of = |error: &(dyn Error + 'static)| match error.downcast_ref() {
        Some(kube::Error::Api(status)) if !status.message.is_empty() => status.message.clone(),
        _ => error.to_string(),
    };
    let mut text = text_of(error);
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = text_of(error);
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

/// Sends the request up to `attempts` times while the error is transient. Use it only for requests that do no harm when
/// the API server executes them twice.
pub(super) async fn send_again(
    client: &Client,
    call: Call,
    within: Duration,
    attempts: u32,
) -> Result<Bytes, CallError> {
    repeat_while_transient(attempts, || send(client, call.clone(), within)).await
}

/// Calls `attempt_once` up to `attempts` times while the error is transient, with a pause between two calls.
pub(super) async fn repeat_while_transient<F>(
    attempts: u32,
    mut attempt_once: impl FnMut() -> F,
) -> Result<Bytes, CallError>
where
    F: Future<Output = Result<Bytes, CallError>>,
{
    let mut attempt = 0;
    loop {
        match attempt_once().await {
            Err(e) if e.is_transient() && attempt + 1 < attempts => pause(&e, attempt).await,
            result => return result,
        }
        attempt += 1;
    }
}

/// Pauses after the given attempt. The first attempt is 0.
pub(super) async fn pause(error: &CallError, attempt: u32) {
    tokio::time::sleep(backoff(error, attempt, fastrand::f64())).await;
}

/// Returns the wait after the given attempt. The wait starts at 100 ms and doubles with each attempt. A factor from 1
/// to 2, according to `chance` (0 to 1), lengthens the wait, so that requests that fail together are not repeated
/// together. A longer Retry-After of the server replaces the wait. The limit in each case is five seconds.
///
/// `backon`, the backoff crate of kube-runtime, adds its jitter to a wait that is already at the limit, so a wait would
/// last up to ten seconds.
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
