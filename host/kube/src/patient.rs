//! A client that gives up on requests that the API server does not begin to answer.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use ::kube::client::Body;
use ::kube::{Client, Error};
use http::{Request, Response};
use tower_service::Service;

/// Returns a client whose requests fail if the head of the answer does not arrive within `patience`. The body may take
/// longer, as that of a watch does.
pub(super) fn patient(client: Client, patience: Duration) -> Client {
    let namespace = client.default_namespace().to_owned();
    Client::new(Patient { client, patience }, namespace)
}

struct Patient {
    client: Client,
    patience: Duration,
}

impl Service<Request<Body>> for Patient {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (client, patience) = (self.client.clone(), self.patience);
        Box::pin(async move {
            let answer = tokio::time::timeout(patience, client.send(request)).await;
            answer.unwrap_or_else(|_| Err(Error::Service(format!("no answer within {patience:?}").into())))
        })
    }
}
