//! What can go wrong with an extender.

use std::time::Duration;

use http::StatusCode;

/// An extender can't be asked at all: found when the scheduler starts.
#[derive(Debug, thiserror::Error)]
pub enum ExtenderError {
    /// Its urlPrefix is no address of a server.
    #[error(
        "extender {url_prefix:?}: urlPrefix has to be http://HOST or https://HOST, perhaps with a port and a path: {why}"
    )]
    Address {
        /// As configured.
        url_prefix: String,
        /// What is wrong with it.
        why: String,
    },
    /// Its TLS settings can't be used.
    #[error("extender {url_prefix}: tlsConfig: {why}")]
    Tls {
        /// Which extender.
        url_prefix: String,
        /// What is wrong with them.
        why: String,
    },
}

/// A call came to nothing. The text goes into the pod's condition.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The arguments can't be written as JSON.
    #[error("arguments of {verb}: {source}")]
    Arguments { verb: String, source: serde_json::Error },
    /// It refused.
    #[error("failed {verb} with extender at URL {url}, code {}", .code.as_u16())]
    Status { verb: String, url: String, code: StatusCode },
    /// It can't be reached, or the connection broke.
    #[error("Post {url:?}: {why}")]
    NoAnswer { url: String, why: String },
    /// It took too long.
    #[error("Post {url:?}: no answer within {within:?} (httpTimeout)")]
    TimedOut { url: String, within: Duration },
    /// It said more than anybody wants to read.
    #[error("Post {url:?}: the answer is longer than {most} bytes, or broke off: {why}")]
    Body { url: String, most: usize, why: String },
    /// It is no JSON, or not of the right form.
    #[error("Post {url:?}: the answer can't be read: {source}")]
    Unreadable { url: String, source: serde_json::Error },
}
