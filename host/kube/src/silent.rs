//! An API server that never answers, for tests.

use std::convert::Infallible;
use std::future::{Pending, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll};

use ::kube::Client;
use ::kube::client::Body;
use http::{Request, Response};
use tower_service::Service;

#[derive(Clone, Default)]
struct Silent(Arc<AtomicUsize>);

impl Service<Request<Body>> for Silent {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pending<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        self.0.fetch_add(1, SeqCst);
        pending()
    }
}

/// Returns a client of an API server that never answers, and the counter of the client's requests.
pub(super) fn client() -> (Client, Arc<AtomicUsize>) {
    let silent = Silent::default();
    let requests = Arc::clone(&silent.0);
    (Client::new(silent, "default"), requests)
}
