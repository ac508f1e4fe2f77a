//! Tests how a leader gives up its Lease while its last renewal is on its way to the API server.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use ::kube::client::Body;
use http::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tower_service::Service;

use super::*;

/// An API server with one Lease.
#[derive(Clone, Default)]
struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    lease: Option<Value>,
    version: u32,
    /// The number of renewals that the server executes after a read. Each of them changes the resourceVersion.
    late_renewals: u32,
}

impl State {
    fn write(&mut self, mut lease: Value) -> Value {
        self.version += 1;
        lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.lease.insert(lease).clone()
    }

    fn answer(&mut self, method: &Method, body: Value) -> (StatusCode, Value) {
        let stored = self.lease.clone();
        match (method, stored) {
            (&Method::GET, Some(lease)) => {
                if self.late_renewals > 0 {
                    self.late_renewals -= 1;
                    self.write(lease.clone());
                }
                (StatusCode::OK, lease)
            }
            (&Method::POST, None) => (StatusCode::CREATED, self.write(body)),
            (&Method::PUT, Some(lease)) if lease["metadata"] == body["metadata"] => (StatusCode::OK, self.write(body)),
            (&Method::PUT, Some(_)) => (StatusCode::CONFLICT, json!({"message": "the object has been modified"})),
            // The event that announces a change of the leader.
            (&Method::POST, Some(_)) => (StatusCode::CREATED, body),
            _ => (StatusCode::NOT_FOUND, json!({})),
        }
    }
}

impl Service<Request<Body>> for Server {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let state = Arc::clone(&self.0);
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect_bytes().await.expect("a body");
            let body = serde_json::from_slice(&body).unwrap_or_default();
            let (status, answer) = state.lock().expect("no panic").answer(&head.method, body);
            Ok(Response::builder().status(status).body(Body::from(answer.to_string().into_bytes())).expect("an answer"))
        })
    }
}

/// Leads, stops, and releases the Lease while the server executes this many renewals. Returns the last holder.
async fn release_during(late_renewals: u32) -> Value {
    let server = Server::default();
    let client = Client::new(server.clone(), "default");
    let mut elector = Elector::new(client, &LeaderElection::default()).expect("an elector");
    let mut leads = elector.leads();
    tokio::select! {
        lost = elector.run() => panic!("{lost}"),
        leading = leads.wait_for(|&leads| leads) => drop(leading.expect("an elector")),
    }
    server.0.lock().expect("no panic").late_renewals = late_renewals;
    elector.release().await;
    let state = server.0.lock().expect("no panic");
    state.lease.as_ref().expect("a Lease")["spec"]["holderIdentity"].clone()
}

#[tokio::test]
async fn a_renewal_on_its_way_does_not_keep_the_lease() {
    for late_renewals in 0..3 {
        assert_eq!(release_during(late_renewals).await, Value::Null, "{late_renewals} late renewals");
    }
}

#[tokio::test]
async fn the_attempts_to_release_are_bounded() {
    assert!(release_during(3).await.is_string());
}
