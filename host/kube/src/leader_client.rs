//! Sends the requests that only the leader may send: bindings, evictions, intents of plugins, conditions of pods.

use std::time::Duration;

use ::kube::Client;
use bytes::Bytes;

use super::lease::{LeaseTerm, Unanswered};
use super::rest::{self, Call, CallError};

/// An API client that sends no request after its Lease has ended.
#[derive(Clone)]
pub(super) struct LeaderClient {
    client: Client,
    term: LeaseTerm,
}

impl LeaderClient {
    pub(super) fn new(client: Client, term: LeaseTerm) -> Self {
        Self { client, term }
    }

    /// Returns the plain client, for reads. A process that does not lead may read.
    pub(super) fn reader(&self) -> &Client {
        &self.client
    }

    pub(super) fn term(&self) -> &LeaseTerm {
        &self.term
    }

    /// Sends the request once. Waits for the answer at most `within`, and no longer than the Lease lasts.
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
