//! Tests which requests the binder sends while a Lease lasts and after it ended.

use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::{Context, Poll};

use ::kube::Client;
use ::kube::client::Body;
use http::{Request, Response};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::mpsc::unbounded_channel;
use tower_service::Service;

use super::*;
use crate::known::KnownPods;
use crate::lease::{LeaseTerm, Moment};

/// An API server that refuses each request with 503. Each request moves the clock on by `takes` milliseconds.
#[derive(Clone, Default)]
struct Unavailable {
    clock_millis: Arc<AtomicU64>,
    takes: u64,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service<Request<Body>> for Unavailable {
    type Response = Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.requests.lock().unwrap().push(format!("{} {}", request.method(), request.uri()));
        self.clock_millis.fetch_add(self.takes, SeqCst);
        let answer = Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).body(Body::empty()).unwrap();
        Box::pin(async { Ok(answer) })
    }
}

/// Binds a pod while the clock shows `at` milliseconds. The Lease ends at 2,000 ms. Returns the requests and the event.
async fn bind(server: Unavailable, at: u64, by: By) -> (Vec<String>, Event) {
    let (events, mut received) = unbounded_channel();
    server.clock_millis.store(at, SeqCst);
    let clock_millis = Arc::clone(&server.clock_millis);
    let clock =
        move || Moment { own: Duration::from_millis(clock_millis.load(SeqCst)), wall: jiff::Timestamp::UNIX_EPOCH };
    let term = LeaseTerm::new("kube-system/berth", Arc::new(clock), Counter::default());
    term.set_end(Some(Duration::from_secs(2)));
    let client = LeaderClient::new(Client::new(server.clone(), "default"), term);
    let status = Arc::new(StatusWriter::new(client.clone(), Arc::new(KnownPods::default()), berth_clock::real()));
    let binder = Arc::new(Binder::new(client, status, events, 1, Arc::default()));
    let pod = PodKey { namespace: "default".into(), name: "p".into(), uid: "u".into() };
    Binder::bind(binder, pod, "n".into(), by).await;
    let requests = server.requests.lock().unwrap().clone();
    (requests, received.recv().await.unwrap().event)
}

fn names_the_lease(event: &Event) -> bool {
    matches!(event, Event::BindFailed(_, why) if why.contains("Lease kube-system/berth has expired"))
}

#[tokio::test]
async fn no_binding_is_sent_after_the_lease_expired() {
    for by in [By::Server, By::Extender(0)] {
        let (requests, event) = bind(Unavailable::default(), 2_000, by).await;
        assert!(requests.is_empty() && names_the_lease(&event), "{by:?}: {requests:?}, {event:?}");
    }
}

#[tokio::test]
async fn the_lease_is_checked_before_each_attempt() {
    let server = Unavailable { takes: 900, ..Unavailable::default() };
    let (requests, event) = bind(server, 0, By::Server).await;
    let binding = "POST /api/v1/namespaces/default/pods/p/binding".to_owned();
    assert_eq!(requests, [binding.clone(), binding], "a third attempt would come after the end of the Lease");
    assert!(names_the_lease(&event), "{event:?}");
}
