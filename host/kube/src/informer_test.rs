//! Tests informers with an API server that never answers, or always reports an expired resourceVersion.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use ::kube::Client;
use ::kube::client::Body;
use axum::body::Body as AnswerBody;
use http::{Request, Response};
use serde_json::json;
use tower_service::Service;

use super::*;
use crate::list::Collection;
use berth_apimachinery::objects::{Observed, PodObject};

/// An API server without pods. If `answers` is false, the server never answers a watch. Otherwise, the server begins
/// each answer to a watch, but the body never brings data or ends.
#[derive(Clone, Default)]
struct HalfOpen {
    watches: Arc<Mutex<usize>>,
    answers: bool,
}

impl Service<Request<Body>> for HalfOpen {
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<AnswerBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.uri().query().is_some_and(|query| query.contains("watch=true")) {
            *self.watches.lock().unwrap() += 1;
            if !self.answers {
                return Box::pin(std::future::pending());
            }
            let silence = futures::stream::pending::<Result<Vec<u8>, Infallible>>();
            return Box::pin(async { Ok(Response::new(AnswerBody::from_stream(silence))) });
        }
        let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []});
        Box::pin(async move { Ok(Response::new(AnswerBody::from(list.to_string()))) })
    }
}

/// Ignores all objects.
struct IgnoringIntake;

impl Intake for IgnoringIntake {
    type Object = Observed<PodObject, false>;

    fn kind_name(&self) -> String {
        "pods".to_owned()
    }

    fn list_begins(&mut self) {}
    fn list_ends(&mut self, _: ResourceVersion) {}
    fn set(&mut self, _: Self::Object) {}
    fn removed(&mut self, _: &Self::Object) {}
}

/// Waits until the informer begins a second watch.
///
/// # Panics
/// No second watch begins within 30 s.
async fn wait_for_second_watch(server: HalfOpen, patience: Duration, silence: Duration) {
    let collection = Collection { client: Client::new(server.clone(), "default"), path: "/api/v1/pods".to_owned() };
    let selection = Selection { fields: None, page_size: 500, patience, silence };
    let mut intake = IgnoringIntake;
    let informer = run(collection, selection, &mut intake, || {});
    let second_watch = async {
        while *server.watches.lock().unwrap() < 2 {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(30), second_watch);
    tokio::select! {
        () = informer => {}
        opened = in_time => assert!(opened.is_ok(), "no second watch is opened"),
    }
}

const SOON: Duration = Duration::from_millis(10);
const NEVER: Duration = Duration::from_secs(1 << 20);

#[tokio::test]
async fn a_watch_without_an_answer_is_opened_again() {
    wait_for_second_watch(HalfOpen::default(), SOON, NEVER).await;
}

#[tokio::test]
async fn a_watch_that_becomes_silent_is_opened_again() {
    wait_for_second_watch(HalfOpen { answers: true, ..HalfOpen::default() }, NEVER, SOON).await;
}

#[test]
fn pauses_between_lists_double_up_to_a_limit() {
    let mut relists = Relists::default();
    for least in [800, 1_600, 3_200, 6_400, 12_800, 25_600] {
        let pause = u64::try_from(relists.pause().as_millis()).unwrap();
        assert!((least - 1..=2 * least + 1).contains(&pause), "{pause} ms, where at least {least} ms are due");
    }
    assert!(relists.pause() >= Duration::from_secs(30));
}
