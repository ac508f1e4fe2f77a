//! Reads the cluster's settings for authentication: certificate authorities and front proxy headers.

use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ::kube::runtime::{WatchStreamExt, watcher};
use ::kube::{Api, Client};
use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use tracing::{info, warn};

use super::AccessError;
use super::authorities::Authorities;
use super::front_proxy::{FrontProxy, Headers};
use berth_kube::{ConnectError, connect};

const NAMESPACE: &str = "kube-system";
const NAME: &str = "extension-apiserver-authentication";

/// The ConfigMap with the settings, for the log.
pub(super) const OBJECT: &str = "ConfigMap kube-system/extension-apiserver-authentication";

/// The timeout of the first lookup.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the client for reviews: from the kubeconfig, else from the pod's service account; `None` if there is
/// neither.
///
/// # Errors
/// The kubeconfig can't be used.
pub(super) async fn client(flag: &'static str, kubeconfig: Option<&Path>) -> Result<Option<Client>, AccessError> {
    match connect(kubeconfig).await {
        Ok(client) => Ok(Some(client)),
        Err(ConnectError::NotInCluster(_)) => Ok(None),
        Err(source) => Err(AccessError::Kubeconfig { flag, source }),
    }
}

/// The settings to look up in the cluster. A setting is `None` if a flag names a file for it.
#[derive(Clone, Default)]
pub(super) struct Lookup {
    pub clients: Option<Arc<Authorities>>,
    pub proxy: Option<Arc<RwLock<FrontProxy>>>,
}

impl Lookup {
    fn api(client: Client) -> Api<ConfigMap> {
        Api::namespaced(client, NAMESPACE)
    }

    /// Reads the ConfigMap once.
    ///
    /// # Errors
    /// The ConfigMap does not exist or can't be read, or the API server does not answer within [`PATIENCE`].
    pub async fn once(&self, client: Client) -> Result<(), String> {
        let found = match tokio::time::timeout(PATIENCE, Self::api(client).get(NAME)).await {
            Ok(Ok(found)) => found,
            Ok(Err(::kube::Error::Api(status))) => return Err(status.message),
            Ok(Err(error)) => return Err(berth_kube::error_with_causes(&error)),
            Err(_) => return Err(format!("no answer within {} s", PATIENCE.as_secs())),
        };
        self.apply(&found);
        Ok(())
    }

    /// Applies every change of the ConfigMap. The future never completes.
    pub async fn follow(self, client: Client) {
        let config = watcher::Config::default().fields(&format!("metadata.name={NAME}"));
        let changes = watcher(Self::api(client), config).default_backoff().applied_objects();
        let report = |why: &str| {
            warn!(
                object = OBJECT,
                error = %why,
                "watch of the cluster's certificate authorities failed; trying again; bind the user of \
                 --authentication-kubeconfig (by default, the pod's service account) to the Role \
                 extension-apiserver-authentication-reader in kube-system"
            );
        };
        self.apply_all(changes, report).await;
    }

    /// Applies every change. The watcher retries after an error. Calls `report` with an error, unless the
    /// previous result of the watch was an equal error.
    async fn apply_all(
        &self,
        changes: impl Stream<Item = Result<ConfigMap, watcher::Error>>,
        mut report: impl FnMut(&str),
    ) {
        let (mut changes, mut reported) = (pin!(changes), None);
        while let Some(change) = changes.next().await {
            match change {
                Ok(found) => {
                    reported = None;
                    self.apply(&found);
                }
                Err(error) => {
                    let why = berth_kube::error_with_causes(&error);
                    if reported.as_ref() != Some(&why) {
                        report(&why);
                        reported = Some(why);
                    }
                }
            }
        }
    }

    fn apply(&self, config_map: &ConfigMap) {
        let text = |key: &str| config_map.data.as_ref().and_then(|data| data.get(key)).map(String::as_str);
        let list =
            |key: &str| text(key).and_then(|text| serde_json::from_str::<Vec<String>>(text).ok()).unwrap_or_default();
        let lower = |key: &str| list(key).iter().map(|name| name.to_ascii_lowercase()).collect();
        if let Some(clients) = &self.clients {
            set(clients, "client-ca-file", text("client-ca-file"));
        }
        if let Some(proxy) = &self.proxy {
            let mut proxy = proxy.write().unwrap_or_else(PoisonError::into_inner);
            set(&proxy.authorities, "requestheader-client-ca-file", text("requestheader-client-ca-file"));
            proxy.headers = Headers {
                allowed_names: list("requestheader-allowed-names"),
                user: lower("requestheader-username-headers"),
                uid: lower("requestheader-uid-headers"),
                group: lower("requestheader-group-headers"),
                extra_prefixes: lower("requestheader-extra-headers-prefix"),
            };
        }
    }
}

fn set(authorities: &Authorities, key: &str, pem: Option<&str>) {
    match pem.map(|pem| authorities.set(pem.as_bytes())) {
        None => authorities.clear(),
        Some(Ok(true)) => info!(object = OBJECT, key, "loaded certificate authorities from the cluster"),
        Some(Ok(false)) => {}
        Some(Err(error)) => warn!(
            object = OBJECT,
            key,
            %error,
            "certificate authorities in the cluster are invalid; keeping the previous certificate authorities"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::kube::core::Status;

    #[tokio::test]
    async fn a_watch_that_fails_is_reported_once_until_it_succeeds() {
        let fails = |code| {
            let status = Status::failure(&format!("configmaps: {code}"), "Forbidden").with_code(code).boxed();
            Err(watcher::Error::WatchStartFailed(::kube::Error::Api(status)))
        };
        let changes = [fails(403), fails(403), fails(500), Ok(ConfigMap::default()), fails(500)];
        let mut reports = Vec::new();
        let lookup = Lookup::default();
        lookup.apply_all(futures::stream::iter(changes), |why| reports.push(why.to_owned())).await;
        assert_eq!(reports.len(), 3, "{reports:?}");
        assert!(reports[0].contains("configmaps: 403"), "{reports:?}");
    }
}
