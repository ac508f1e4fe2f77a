//! The client: which API server, and as whom.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use ::kube::{Client, Config};
use tracing::info;

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file named by `--kubeconfig` is not there, or not what it should be.
    #[error("kubeconfig {path}: {why}")]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, without an excerpt: it holds secrets.
        why: String,
    },
    /// No file was named, and this is no pod.
    #[error(
        "no API server to talk to: no --kubeconfig was given, and the service account of a pod, which is the other way, \
         is not here ({0}); give --kubeconfig FILE, for example ~/.kube/config"
    )]
    NotInCluster(#[source] InClusterError),
    /// `--master` is no URL.
    #[error("--master {address:?} is no URL: {source}")]
    Address {
        /// What was given.
        address: String,
        /// Why.
        source: http::uri::InvalidUri,
    },
    /// What was found can't be used: certificates, credentials.
    #[error("{from}: {}", super::rest::chain(source))]
    Client {
        /// Where the settings come from.
        from: String,
        /// What is wrong with them.
        source: ::kube::Error,
    },
}

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client for the current context of the kubeconfig, else for the cluster whose pod this is.
///
/// It has no rate limit of its own and retries nothing by itself: who makes a request knows how long it is worth trying.
///
/// # Errors
/// Names what was tried, and what is wrong with it.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<Client, ConnectError> {
    connect_at(kubeconfig, None).await
}

/// The same, for the API server at this address, where one is given.
///
/// # Errors
/// As [`connect`]; the address is none.
pub async fn connect_at(kubeconfig: Option<&Path>, address: Option<&str>) -> Result<Client, ConnectError> {
    let url = address.filter(|address| !address.is_empty()).map(parse_address).transpose()?;
    let (mut config, from) = match (kubeconfig, &url) {
        (Some(path), _) => (from_file(path).await?, format!("kubeconfig {}", path.display())),
        (None, Some(url)) => (Config::new(url.clone()), "--master".to_owned()),
        (None, None) => {
            (Config::incluster().map_err(ConnectError::NotInCluster)?, "the pod's service account".to_owned())
        }
    };
    if let Some(url) = url {
        config.cluster_url = url;
    }
    info!("API server: {}, of {from}", config.cluster_url);
    client(config, from)
}

fn parse_address(address: &str) -> Result<http::Uri, ConnectError> {
    let with_scheme = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    with_scheme.parse().map_err(|source| ConnectError::Address { address: address.to_owned(), source })
}

fn client(mut config: Config, from: String) -> Result<Client, ConnectError> {
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    // Watches are quiet for as long as nothing happens; requests have deadlines of their own.
    config.read_timeout = None;
    config.write_timeout = None;
    config.default_retry = false;
    Client::try_from(config).map_err(|source| ConnectError::Client { from, source })
}

/// A client for the current context of a kubeconfig's text, as a server in this process gives it.
///
/// # Errors
/// As [`connect`].
pub async fn connect_to(kubeconfig: &str) -> Result<Client, ConnectError> {
    let fail = |error: KubeconfigError| wrong_kubeconfig(Path::new("of this process"), &error);
    let file = Kubeconfig::from_yaml(kubeconfig).map_err(fail)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(fail)?;
    client(config, "a server in this process".to_owned())
}

fn wrong_kubeconfig(path: &Path, error: &KubeconfigError) -> ConnectError {
    let said = super::error_with_causes(error);
    ConnectError::Kubeconfig { path: path.to_owned(), why: said.lines().next().unwrap_or_default().to_owned() }
}

async fn from_file(path: &Path) -> Result<Config, ConnectError> {
    let fail = |error: KubeconfigError| wrong_kubeconfig(path, &error);
    let file = Kubeconfig::read_from(path).map_err(fail)?;
    Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(fail)
}
