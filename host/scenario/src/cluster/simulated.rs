//! A cluster in simulated time: API server, controllers and scheduler in one tokio runtime, without a network.

use std::sync::Arc;
use std::time::Duration;

use berth_analysis::{ClusterCopy, KnownPod, PodAnswer, PodQuestion, PodRef, Sandbox, text};
use berth_clock::Clock;
use berth_controllers::KubeStore;
use berth_sim::InProcess;
use kube::Client;
use serde_json::Value;
use tokio::task::JoinSet;

use super::scheduler::Scheduler;
use crate::error::ScenarioError;
use crate::policy::Policy;

/// The parts of a cluster in simulated time.
pub struct Simulated {
    scheduler: Scheduler,
    _server: InProcess,
    _controllers: JoinSet<()>,
}

/// What the scheduler knew about a pod.
struct Known {
    copy: ClusterCopy,
    pod: KnownPod,
}

impl Simulated {
    /// Starts the parts. Returns them with a client of the API server.
    ///
    /// # Errors
    /// The plugins can't serve, or a part can't be started.
    pub async fn start(clock: &Arc<dyn Clock>, policy: Policy, seed: u64) -> Result<(Self, Client), ScenarioError> {
        let options = berth_sim::Options {
            // A bookmark tells a watch of another process that nothing was lost. In one process nothing is.
            bookmark_every: Duration::from_secs(3600),
            clock: Arc::clone(clock),
            seed: Some(seed),
            ..berth_sim::Options::default()
        };
        let server = InProcess::start(options).map_err(|error| ScenarioError::cluster("the API server", error))?;
        let client = client(&server);
        let mut controllers = JoinSet::new();
        let options = berth_controllers::Options { clock: Arc::clone(clock), ..berth_controllers::Options::default() };
        let run = berth_controllers::run(KubeStore::new(client.clone()), options, std::future::pending::<()>());
        controllers.spawn(async move {
            if let Err(error) = run.await {
                tracing::error!(%error, "controllers have ended");
            }
        });
        let scheduler = Scheduler::start(&client, clock, policy, seed).await?;
        Ok((Self { scheduler, _server: server, _controllers: controllers }, client))
    }

    /// Exchanges the plugins and profiles.
    ///
    /// # Errors
    /// The plugins can't serve.
    pub async fn exchange(&mut self, policy: Policy) -> Result<(), ScenarioError> {
        self.scheduler.serve(policy).await
    }

    /// Returns why a pod is pending, or why it is on its node, as `berth explain pod` prints it.
    pub async fn explain(&self, pod: &Value, now: berth_core::Timestamp) -> String {
        let field = |name: &str| pod["metadata"][name].as_str().unwrap_or_default().to_owned();
        let of = PodRef { namespace: field("namespace"), name: field("name"), uid: field("uid") };
        let looked = {
            let (namespace, uid) = (of.namespace.clone(), of.uid.clone());
            self.scheduler
                .look(move |core| Known { copy: ClusterCopy::of(core), pod: KnownPod::of(core, &namespace, &uid) })
                .await
        };
        let Some(Known { copy, pod: known }) = looked else { return "the scheduler has ended".to_owned() };
        let Policy { components, specs, .. } = self.scheduler.policy();
        let mut sandbox = match Sandbox::new(components, specs.clone(), &copy, now) {
            Ok(sandbox) => sandbox,
            Err(error) => return error.to_string(),
        };
        let question = PodQuestion { pod: of, object: pod, known, why_not: None, all_nodes: false };
        match PodAnswer::of(&mut sandbox, question) {
            Ok(answer) => answer.explanation.as_ref().map(text::explanation).unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }
}

/// Returns a client whose requests are function calls.
fn client(server: &InProcess) -> Client {
    let service = Calls(server.service());
    Client::new(service, super::kinds::DEFAULT_NAMESPACE)
}

/// A service that passes requests of a kube client on to the API server.
#[derive(Clone)]
struct Calls(axum::Router);

impl tower_service::Service<http::Request<kube::client::Body>> for Calls {
    type Response = http::Response<axum::body::Body>;
    type Error = std::convert::Infallible;
    type Future = axum::routing::future::RouteFuture<std::convert::Infallible>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<kube::client::Body>) -> Self::Future {
        self.0.call(request.map(axum::body::Body::new))
    }
}
