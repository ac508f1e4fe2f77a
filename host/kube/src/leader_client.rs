//! Requests that only the leader may send: bindings, evictions, changes that plugins want, conditions of pods.

use std::time::Duration;

use ::kube::Client;
use bytes::Bytes;

use super::lease::{LeaseTerm, Unanswered};
use super::rest::{self, Call, CallError};

/// A client that sends nothing once the Lease has run out.
#[derive(Clone)]
pub(super) struct LeaderClient {
    client: Client,
    term: LeaseTerm,
}

impl LeaderClient {
    pub(super) fn new(client: Client, term: LeaseTerm) -> Self {
        Self { client, term }
    }

    /// Sends reads, which any candidate may send.
    pub(super) fn reader(&self) -> &Client {
        &self.client
    }

    pub(super) fn term(&self) -> &LeaseTerm {
        &self.term
    }

    /// Sends the request once. Waits for the answer no longer than `within`, nor than the Lease lasts.
    pub(super) async fn send(&self, call: Call, within: Duration) -> Result<Bytes, CallError> {
        match self.term.send(within, rest::exchange(&self.client, call)).await {
            Ok(answer) => answer,
            Err(error @ Unanswered::NotSent(_)) => Err(CallError::NotLeading(error.to_string())),
            Err(error) => Err(CallError::NoAnswer(error.to_string())),
        }
    }

    /// Sends the request up to `tries` times, as [`rest::send_again`] does.
    pub(super) async fn send_again(&self, call: Call, within: Duration, tries: u32) -> Result<Bytes, CallError> {
        rest::again(tries, || self.send(call.clone(), within)).await
    }
}
