//! Errors of extenders.

use std::time::Duration;

use http::StatusCode;

/// An invalid configuration of an extender, found when the scheduler starts.
#[derive(Debug, thiserror::Error)]
pub enum ExtenderError {
    /// `urlPrefix` is not a server's address.
    #[error(
        "extender {url_prefix:?}: urlPrefix must be http://HOST or https://HOST, optionally with a port and a path: \
         {why}"
    )]
    Address {
        /// The configured `urlPrefix`.
        url_prefix: String,
        /// The reason.
        why: String,
    },
    /// `tlsConfig` can't be used.
    #[error("extender {url_prefix}: tlsConfig: {why}")]
    Tls {
        /// The extender's `urlPrefix`.
        url_prefix: String,
        /// The reason.
        why: String,
    },
}

/// A call failed. The text goes into the pod's condition.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The arguments can't be written as JSON.
    #[error("the arguments of {verb} can't be written as JSON: {source}")]
    Arguments { verb: String, source: serde_json::Error },
    /// The extender answered with a status other than 200.
    #[error("failed {verb} with extender at URL {url}, code {}", .code.as_u16())]
    Status { verb: String, url: String, code: StatusCode },
    /// The extender can't be reached, or the connection broke.
    #[error("Post {url:?}: {why}")]
    NoAnswer { url: String, why: String },
    /// The answer did not arrive within `httpTimeout`.
    #[error("Post {url:?}: no answer within {within:?} (httpTimeout)")]
    TimedOut { url: String, within: Duration },
    /// The answer is too long or incomplete.
    #[error("Post {url:?}: the answer is longer than {most} bytes, or incomplete: {why}")]
    Body { url: String, most: usize, why: String },
    /// The answer is not JSON, or has the wrong structure.
    #[error("Post {url:?}: the answer can't be read: {source}")]
    Unreadable { url: String, source: serde_json::Error },
}
