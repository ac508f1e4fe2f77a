//! Builds the API client: from a kubeconfig, an address, or the service account of a pod.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use ::kube::{Client, Config};
use tracing::info;

/// The reason why no client can be built.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file named by `--kubeconfig` does not exist or is not valid.
    #[error("kubeconfig {path}: {why}")]
    Kubeconfig {
        /// The path of the file.
        path: PathBuf,
        /// The error, without an excerpt of the file, because the file holds secrets.
        why: String,
    },
    /// Neither `--kubeconfig` nor `--master` was given, and the process does not run in a pod.
    #[error(
        "no API server is configured: --kubeconfig is not set, and this process has no service account of a pod ({0}); \
         set --kubeconfig FILE, for example ~/.kube/config"
    )]
    NotInCluster(#[source] InClusterError),
    /// `--master` is not a URL.
    #[error("--master {address:?} is not a URL: {source}")]
    Address {
        /// The value of the flag.
        address: String,
        /// The parse error.
        source: http::uri::InvalidUri,
    },
    /// The URL of a server can't be used.
    #[error("--server {url:?}: {why}")]
    Server {
        /// The URL.
        url: String,
        /// The reason.
        why: String,
    },
    /// A file of certificate authorities can't be used.
    #[error("certificate authorities {path}: {why}", path = path.display())]
    Authorities {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The settings can't be used, for example a certificate or a credential.
    #[error("{from}: {}", super::rest::chain(source))]
    Client {
        /// The source of the settings.
        from: String,
        /// The error of the client library.
        source: ::kube::Error,
    },
}

/// The time limit to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Builds a client for the current context of the kubeconfig. Without a kubeconfig, uses the service account of this
/// pod.
///
/// The client has no rate limit and retries nothing. Each caller decides how long to retry its request.
///
/// # Errors
/// Names the source of the settings and the reason.
pub async fn connect(kubeconfig: Option<&Path>) -> Result<Client, ConnectError> {
    connect_at(kubeconfig, None).await
}

/// Builds a client as [`connect`] does, but for the API server at `address`, if it is given and not empty. Without a
/// kubeconfig, a client for `address` sends no credentials.
///
/// # Errors
/// As [`connect`]; also if the address is not a URL.
pub async fn connect_at(kubeconfig: Option<&Path>, address: Option<&str>) -> Result<Client, ConnectError> {
    let url = address.filter(|address| !address.is_empty()).map(parse_address).transpose()?;
    let (mut config, from) = match (kubeconfig, &url) {
        (Some(path), _) => {
            (from_file(path, &KubeConfigOptions::default()).await?, format!("kubeconfig {}", path.display()))
        }
        (None, Some(url)) => (Config::new(url.clone()), "--master".to_owned()),
        (None, None) => {
            (Config::incluster().map_err(ConnectError::NotInCluster)?, "the pod's service account".to_owned())
        }
    };
    if let Some(url) = url {
        config.cluster_url = url;
    }
    info!(address = %config.cluster_url, source = %from, "using the API server");
    client(config, from)
}

fn parse_address(address: &str) -> Result<http::Uri, ConnectError> {
    let with_scheme = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    with_scheme.parse().map_err(|source| ConnectError::Address { address: address.to_owned(), source })
}

pub(crate) fn client(mut config: Config, from: String) -> Result<Client, ConnectError> {
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    // A watch is quiet while nothing changes, so reads have no time limit here. The code that sends a request sets the
    // time limit of that request.
    config.read_timeout = None;
    config.write_timeout = None;
    config.default_retry = false;
    Client::try_from(config).map_err(|source| ConnectError::Client { from, source })
}

/// Builds a client from the text of a kubeconfig, as an API server in this process returns it. Uses the current
/// context.
///
/// # Errors
/// As [`connect`].
pub async fn connect_to(kubeconfig: &str) -> Result<Client, ConnectError> {
    let fail = |error: KubeconfigError| wrong_kubeconfig(Path::new("of this process"), &error);
    let file = Kubeconfig::from_yaml(kubeconfig).map_err(fail)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(fail)?;
    client(config, "a server in this process".to_owned())
}

pub(crate) fn wrong_kubeconfig(path: &Path, error: &KubeconfigError) -> ConnectError {
    let causes = super::error_with_causes(error);
    ConnectError::Kubeconfig { path: path.to_owned(), why: causes.lines().next().unwrap_or_default().to_owned() }
}

pub(crate) async fn from_file(path: &Path, options: &KubeConfigOptions) -> Result<Config, ConnectError> {
    let fail = |error: KubeconfigError| wrong_kubeconfig(path, &error);
    let file = Kubeconfig::read_from(path).map_err(fail)?;
    Config::from_custom_kubeconfig(file, options).await.map_err(fail)
}
