//! Flags for the connection to the API server, as in kube-scheduler.

use std::path::PathBuf;

use anyhow::Result;
use kube::Client;

use crate::cli::hint::{Hint, quoted};
use berth_config::Configuration;

/// Two clients of one API server, each with its own rate limit (if any), so that a backlog of bindings does not delay
/// the renewal of the Lease. kube-scheduler has two clients, too.
pub struct Clients {
    /// The client for everything but the Lease.
    pub general: Client,
    /// The client for the Lease.
    pub lease: Client,
}

impl Clients {
    fn of(client: Client, rate: Option<(f32, u32)>) -> Self {
        let limited = |client| match rate {
            Some((qps, burst)) => berth_kube::limited(client, qps, burst),
            None => client,
        };
        Self { general: limited(client.clone()), lease: limited(client) }
    }
}

/// The flags of the connection to the API server.
#[derive(Clone, Debug, clap::Args)]
pub struct ConnectionFlags {
    /// Kubeconfig of the cluster [default: from --config, else the pod's cluster].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// URL of the API server; overrides the kubeconfig.
    #[arg(long, value_name = "URL")]
    master: Option<String>,
    /// Requests to the API server per second [default: no limit].
    ///
    /// Ignored with --config, which has clientConnection.qps.
    #[arg(long, value_name = "NUMBER")]
    kube_api_qps: Option<f32>,
    /// Requests to the API server in a burst above the rate [default: 100].
    ///
    /// Ignored with --config, which has clientConnection.burst.
    #[arg(long, value_name = "NUMBER")]
    kube_api_burst: Option<i32>,
}

impl ConnectionFlags {
    /// Overrides the configuration with the flags. If the configuration comes from a file (`of_file`), the rate
    /// flags have no effect.
    pub fn apply_to(&self, configuration: &mut Configuration, of_file: bool) {
        let connection = &mut configuration.client_connection;
        if let Some(kubeconfig) = &self.kubeconfig {
            connection.kubeconfig = Some(kubeconfig.display().to_string());
        }
        if !of_file {
            connection.qps = self.kube_api_qps.or(connection.qps);
            connection.burst = self.kube_api_burst.or(connection.burst);
        }
    }

    /// Returns the clients that the configuration describes, after flags are applied.
    ///
    /// # Errors
    /// No API server is configured, or the kubeconfig can't be used.
    pub async fn clients(&self, configuration: &Configuration) -> Result<Clients> {
        let connection = &configuration.client_connection;
        let client =
            berth_kube::connect_at(connection.kubeconfig(), self.master.as_deref()).await.or_hint(|| self.remedy())?;
        Ok(Clients::of(client, connection.rate()))
    }

    /// Returns the command to run if connecting fails.
    fn remedy(&self) -> String {
        match &self.kubeconfig {
            Some(file) => format!("kubectl config view --minify --kubeconfig {}", quoted(file.display())),
            None => "berth run --kubeconfig ~/.kube/config".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{Ready, ready};
    use std::task::{Context, Poll};
    use std::time::Duration;

    use http::{Request, Response};
    use kube::client::Body;
    use tower_service::Service;

    use super::*;

    /// A server that answers every request at once.
    struct Server;

    impl Service<Request<Body>> for Server {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = Ready<Result<Self::Response, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Body>) -> Self::Future {
            ready(Ok(Response::new(Body::empty())))
        }
    }

    #[tokio::test]
    async fn a_backlog_of_other_requests_does_not_delay_the_lease() {
        // The limit allows one request now and the next a day later.
        let clients = Clients::of(Client::new(Server, "default"), Some((1.0 / 86_400.0, 1)));
        let sent = async |client: &Client| {
            let request = Request::get("/").body(Body::empty()).expect("a request");
            tokio::time::timeout(Duration::from_secs(10), client.send(request)).await.is_ok()
        };
        assert!(sent(&clients.general).await);
        let mut second = std::pin::pin!(sent(&clients.general));
        assert!(futures::poll!(second.as_mut()).is_pending(), "there is no limit");
        assert!(sent(&clients.lease).await, "the Lease waits for the other requests");
    }
}
