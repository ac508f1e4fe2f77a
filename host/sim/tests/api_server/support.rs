//! Servers, clients and waiting, for the tests.

use std::time::Duration;

use berth_sim::{Options, Server};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::time::Instant;

/// The maximum time to wait for a condition.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a server with the given options, and returns it with a client.
pub async fn server_with(options: Options) -> (Server, Client) {
    let server = Server::start(options).await.expect("the server starts");
    let client = client(&server).await;
    (server, client)
}

/// Starts a server, and returns it with a client.
pub async fn server() -> (Server, Client) {
    server_with(Options::default()).await
}

/// Returns a client that sends no credentials.
pub fn anonymous(server: &Server) -> Client {
    Client::try_from(Config::new(server.url().parse().expect("a URL"))).expect("the client can be made")
}

/// Returns a client that uses the server's kubeconfig.
pub async fn client(server: &Server) -> Client {
    let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig()).expect("a kubeconfig");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let mut config = config.expect("the kubeconfig is complete");
    // Do not retry, because the tests check each response of the server.
    config.default_retry = false;
    Client::try_from(config).expect("the client can be made")
}

/// Parses YAML 1.2, in which `n` and `y` are strings.
pub fn yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true })
}

/// Waits until `check` returns a value.
pub async fn eventually<T>(what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = check().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not within {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits for a future, with a time limit.
pub async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}
