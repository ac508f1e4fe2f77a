//! Servers, clients and time limits, for the tests.

use berth_sim::{Options, Server};
use berth_test_kit::wait::PATIENCE;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

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

/// Waits for a future, with a time limit.
pub async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}
