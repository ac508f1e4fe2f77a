//! Sends the requests that only the leader may send: bindings, evictions, intents of plugins, conditions of pods.

use std::time::Duration;

use ::kube::Client;
use bytes::Bytes;

use super::lease::{LeaseTerm, Unanswered};
use super::rest::{self, Call, CallError};

/// An API client for writes. It sends no write after the Lease of this process has ended.
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

    /// Sends the request up to `attempts` times, as [`rest::send_again`] does.
    pub(super) async fn send_again(&self, call: Call, within: Duration, attempts: u32) -> Result<Bytes, CallError> {
        rest::repeat_while_transient(attempts, || self.send(call.clone(), within)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering::SeqCst;

    use berth_core::Event;
    use berth_core::model::PodKey;
    use http::Method;
    use prometheus_client::metrics::counter::Counter;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::evictor::Evictor;
    use crate::lease::system_clock;
    use crate::silent;

    #[tokio::test]
    async fn no_request_is_sent_while_another_process_holds_the_lease() {
        let (client, requests) = silent::client();
        let term = LeaseTerm::new("kube-system/berth", system_clock(), Counter::default());
        let leader = LeaderClient::new(client, term);
        let path = "/api/v1/namespaces/default/pods/p".to_owned();
        let call = Call { method: Method::DELETE, path, body: Bytes::new(), content_type: rest::JSON };
        let within = Duration::from_millis(10);
        for answer in [leader.send(call.clone(), within).await, leader.send_again(call, within, 2).await] {
            assert!(matches!(&answer, Err(CallError::NotLeading(_))), "{answer:?}");
        }
        let (events, mut received) = unbounded_channel();
        let pod = PodKey { namespace: "default".into(), name: "p".into(), uid: "u".into() };
        Arc::new(Evictor::new(leader, events, 1, berth_clock::real())).evict(pod, "room is needed".into()).await;
        assert!(matches!(received.try_recv().expect("an event").event, Event::EvictionFailed(_)));
        assert_eq!(requests.load(SeqCst), 0);
    }
}
