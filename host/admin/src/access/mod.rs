//! Access control of the server: authentication and authorization, delegated to the API server as in kube-scheduler.

mod authentication;
mod authorities;
mod authorization;
mod cache;
mod caller;
mod cluster;
mod front_proxy;
mod gate;
mod review;
mod right;
mod subject_name;
mod tokens;
mod user;

pub use self::authentication::Authentication;
pub use self::authorization::Authorization;
pub(crate) use self::authorization::Decision;
pub(crate) use self::caller::Caller;
pub use self::front_proxy::Headers;
pub use self::gate::Gate;
pub(super) use self::gate::admit;
pub(crate) use self::right::Right;
#[cfg(test)]
pub(crate) use self::user::User;

use std::path::PathBuf;
use std::time::Duration;

/// The beginning of the paths whose handlers check the caller's rights to the objects that the answer is about. Other
/// paths are authorized as paths.
pub(crate) const OBJECTS: &str = "/berth/v1/";

/// The authentication flags, as in kube-scheduler.
#[derive(Clone, Debug)]
pub struct AuthenticationOptions {
    /// `--authentication-kubeconfig`. Default: the pod's service account. Outside a pod, tokens are not reviewed and
    /// nothing is looked up in the cluster.
    pub kubeconfig: Option<PathBuf>,
    /// `--authentication-skip-lookup`: don't look up the cluster's certificate authorities.
    pub skip_lookup: bool,
    /// `--authentication-tolerate-lookup-failure`: start even if the first lookup fails.
    pub tolerate_lookup_failure: bool,
    /// `--authentication-token-webhook-cache-ttl`.
    pub token_ttl: Duration,
    /// `--client-ca-file`.
    pub client_ca: Option<PathBuf>,
    /// `--requestheader-client-ca-file`.
    pub front_proxy_ca: Option<PathBuf>,
    /// The other flags `--requestheader-*`. These flags apply to the authorities of
    /// `--requestheader-client-ca-file`. The cluster's ConfigMap has headers of its own.
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

/// The authorization flags, as in kube-scheduler.
#[derive(Clone, Debug)]
pub struct AuthorizationOptions {
    /// `--authorization-kubeconfig`. Default: the pod's service account. Outside a pod, only `always_allow` paths are
    /// served, except to the group `system:masters`.
    pub kubeconfig: Option<PathBuf>,
    /// `--authorization-always-allow-paths`. A trailing `*` matches any path with that prefix.
    pub always_allow: Vec<String>,
    /// `--authorization-webhook-cache-authorized-ttl`.
    pub allowed_ttl: Duration,
    /// `--authorization-webhook-cache-unauthorized-ttl`.
    pub denied_ttl: Duration,
}

impl Default for AuthorizationOptions {
    fn default() -> Self {
        let ttl = Duration::from_secs(10);
        let always_allow = ["/healthz", "/readyz", "/livez"].map(str::to_owned).into();
        Self { kubeconfig: None, always_allow, allowed_ttl: ttl, denied_ttl: ttl }
    }
}

/// The reason that access control can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A kubeconfig can't be used.
    #[error("{flag}: {source}")]
    Kubeconfig {
        /// The flag.
        flag: &'static str,
        /// The reason.
        source: berth_kube::ConnectError,
    },
    /// A file of certificate authorities can't be used.
    #[error("{flag} {file}: {reason}", file = file.display())]
    Authorities {
        /// The flag.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The cluster's certificate authorities can't be read, and the flags don't tolerate that.
    #[error(
        "can't read the cluster's certificate authorities from ConfigMap \
         kube-system/extension-apiserver-authentication: {0}; bind the user of --authentication-kubeconfig (by default, the pod's service account) to the Role \
         extension-apiserver-authentication-reader in kube-system, or set --authentication-skip-lookup or \
         --authentication-tolerate-lookup-failure"
    )]
    Lookup(String),
}
