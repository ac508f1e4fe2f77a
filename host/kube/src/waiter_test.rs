//! Tests many concurrent waits on the in-memory API server.

use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{Context, Poll};

use ::kube::api::{Patch, PatchParams, PostParams};
use ::kube::client::Body;
use futures::future::{join, join_all};
use http::{Request, Response};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tower_service::Service;

use super::*;
use crate::silent;
use berth_sim as sim;

/// More concurrent waits than [`WATCHES`], so that some waits share a watch.
const MANY: usize = WATCHES + 40;

/// A client that records the path and query of each list.
struct Recording {
    client: Client,
    lists: Arc<Mutex<Vec<String>>>,
}

impl Service<Request<Body>> for Recording {
    type Response = Response<Body>;
    type Error = ClientError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, ClientError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ClientError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let uri = request.uri().to_string();
        if uri.contains("/configmaps") && !uri.contains("watch=true") {
            self.lists.lock().unwrap().push(uri);
        }
        let client = self.client.clone();
        Box::pin(async move { client.send(request).await })
    }
}

fn wait_for(number: usize) -> Wait {
    let object = ObjectReference {
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "default".into(),
        name: format!("m-{number}").into(),
        uid: "".into(),
    };
    Wait { object, until: "object.data.ready == 'yes'".into(), timeout: Duration::from_secs(120) }
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_beyond_the_limit_share_a_watch_and_read_once() {
    let server = sim::Server::start(sim::Options::default()).await.expect("a server");
    let client = crate::connect_to(&server.kubeconfig()).await.expect("a client");
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    for number in 0..MANY {
        let map = json!({"metadata": {"name": format!("m-{number}")}, "data": {"ready": "no"}});
        let map = serde_json::from_value(map).expect("a ConfigMap");
        maps.create(&PostParams::default(), &map).await.expect("created");
    }
    let lists = Arc::<Mutex<Vec<String>>>::default();
    let recording = Client::new(Recording { client, lists: Arc::clone(&lists) }, "default");
    let waiter = Waiter::new(recording.clone(), Arc::new(Resources::new(recording)), Supervisor::default());
    let waits: Vec<_> = (0..MANY).map(wait_for).collect();
    let waiting = join_all(waits.iter().map(|wait| waiter.wait(wait)));
    let count_reads = || lists.lock().unwrap().iter().filter(|uri| uri.contains("fieldSelector")).count();
    let make_ready = async {
        // After this loop, each wait has listed its object, which is not ready.
        while count_reads() < MANY {
            tokio::task::yield_now().await;
        }
        for number in 0..MANY {
            let patch = Patch::Merge(json!({"data": {"ready": "yes"}}));
            maps.patch(&format!("m-{number}"), &PatchParams::default(), &patch).await.expect("patched");
        }
    };
    let (ended, ()) = join(waiting, make_ready).await;
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(count_reads(), MANY, "each wait reads its object once");
    assert!(waiter.shared.is_idle(), "the shared watch ends with the last wait");
    server.shutdown().await.expect("ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_supervisor_names_a_shared_watch_that_panics() {
    let server = sim::Server::start(sim::Options::default()).await.expect("a server");
    let client = crate::connect_to(&server.kubeconfig()).await.expect("a client");
    let supervisor = Supervisor::default();
    let watches = SharedWatches::new(client, supervisor.clone());
    let _subscription = watches.subscribe(&wait_for(0).object, &ApiResource::erase::<ConfigMap>(&()));
    supervisor.fail("the shared watch of waits");
    let ended = tokio::time::timeout(Duration::from_secs(30), supervisor.first_end()).await.expect("an end");
    assert!(ended.to_string().starts_with("the shared watch of waits has ended: it panicked"), "{ended}");
    server.shutdown().await.expect("ended");
}

#[tokio::test]
async fn a_wait_whose_watch_gets_no_answer_opens_a_new_watch() {
    let (client, requests) = silent::client();
    let (wait, evaluator) = (wait_for(0), Evaluator::default());
    let until = Arc::new(Until::parse(&wait.until).expect("an expression"));
    let condition = Condition { object: &wait.object, until, evaluator: &evaluator };
    let resource = ApiResource::erase::<ConfigMap>(&());
    let resources = Arc::new(Resources::new(client.clone()));
    let waiter = Waiter::with_patience(client, resources, Supervisor::default(), Duration::from_millis(10));
    let second_request = async {
        while requests.load(SeqCst) < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = waiter.until(condition, &resource) => {}
        in_time = tokio::time::timeout(Duration::from_secs(30), second_request) => {
            assert!(in_time.is_ok(), "no second request is sent");
        }
    }
}
