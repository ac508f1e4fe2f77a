//! Who may ask for what: authentication and authorization as kube-scheduler delegates them to the API server.

mod authentication;
mod authorities;
mod authorization;
mod cache;
mod cluster;
mod front_proxy;
mod gate;
mod review;
mod subject_name;
mod tokens;
mod user;

pub use self::authentication::Authentication;
pub use self::authorization::Authorization;
pub use self::front_proxy::Headers;
pub use self::gate::Gate;
pub(super) use self::gate::admit;

use std::path::PathBuf;
use std::time::Duration;

/// What the flags of kube-scheduler say about authentication.
#[derive(Clone, Debug)]
pub struct AuthenticationOptions {
    /// `--authentication-kubeconfig`; the pod's service account if not given; neither, and nobody is asked.
    pub kubeconfig: Option<PathBuf>,
    /// `--authentication-skip-lookup`: the cluster's authorities are not looked up.
    pub skip_lookup: bool,
    /// `--authentication-tolerate-lookup-failure`
    pub tolerate_lookup_failure: bool,
    /// `--authentication-token-webhook-cache-ttl`
    pub token_ttl: Duration,
    /// `--client-ca-file`
    pub client_ca: Option<PathBuf>,
    /// `--requestheader-client-ca-file`
    pub front_proxy_ca: Option<PathBuf>,
    /// The other flags `--requestheader-*`. They count with that file; the cluster says its own with its own authorities.
    pub front_proxy: Headers,
}

impl Default for AuthenticationOptions {
    fn default() -> Self {
        Self {
            kubeconfig: None,
            skip_lookup: false,
            tolerate_lookup_failure: true,
            token_ttl: Duration::from_secs(10),
            client_ca: None,
            front_proxy_ca: None,
            front_proxy: Headers::default(),
        }
    }
}

/// What the flags of kube-scheduler say about authorization.
#[derive(Clone, Debug)]
pub struct AuthorizationOptions {
    /// `--authorization-kubeconfig`; the pod's service account if not given; neither, and nobody is asked.
    pub kubeconfig: Option<PathBuf>,
    /// `--authorization-always-allow-paths`; one that ends with `*` is a beginning.
    pub always_allow: Vec<String>,
    /// `--authorization-webhook-cache-authorized-ttl`
    pub allowed_ttl: Duration,
    /// `--authorization-webhook-cache-unauthorized-ttl`
    pub denied_ttl: Duration,
}

impl Default for AuthorizationOptions {
    fn default() -> Self {
        let ttl = Duration::from_secs(10);
        let always_allow = ["/healthz", "/readyz", "/livez"].map(str::to_owned).into();
        Self { kubeconfig: None, always_allow, allowed_ttl: ttl, denied_ttl: ttl }
    }
}

/// Why access can't be guarded as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A flag's kubeconfig.
    #[error("{flag}: {source}")]
    Kubeconfig {
        /// The flag.
        flag: &'static str,
        /// What is wrong with it.
        source: berth_kube::ConnectError,
    },
    /// A file of authorities.
    #[error("{flag} {file}: {what}", file = file.display())]
    Authorities {
        /// The flag.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The cluster's authorities are not to be had, and that is not to be tolerated.
    #[error(
        "the cluster's authorities can't be read from ConfigMap kube-system/extension-apiserver-authentication: {0}; bind its \
         reader to the Role extension-apiserver-authentication-reader there, or say --authentication-skip-lookup, or \
         --authentication-tolerate-lookup-failure"
    )]
    Lookup(String),
}
