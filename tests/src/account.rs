//! ServiceAccounts, whose tokens a test uses as a user's.

use std::path::PathBuf;

use anyhow::{Context, Result};
use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

use crate::{Target, api};

/// Creates a ServiceAccount.
///
/// # Errors
/// Returns the API server's error.
pub async fn create(target: &Target, namespace: &str, name: &str) -> Result<()> {
    let metadata = json!({"namespace": namespace, "name": name});
    api::create(&target.client, &json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})).await
}

/// Returns the subject of a role binding for a ServiceAccount.
pub fn subject(namespace: &str, name: &str) -> Value {
    json!({"kind": "ServiceAccount", "namespace": namespace, "name": name})
}

/// Returns a token of a ServiceAccount.
///
/// # Errors
/// Returns the API server's error.
pub async fn token(target: &Target, namespace: &str, name: &str) -> Result<String> {
    let accounts: Api<ServiceAccount> = Api::namespaced(target.client.clone(), namespace);
    let request = TokenRequest { spec: Some(TokenRequestSpec::default()), ..TokenRequest::default() };
    let granted = accounts.create_token_request(name, &PostParams::default(), &request).await?;
    granted.status.and_then(|status| status.token).context("the TokenRequest has no token")
}

/// Writes a kubeconfig with a token of a ServiceAccount and returns its path.
///
/// # Errors
/// Returns the API server's error, or that of the file system.
pub async fn kubeconfig(target: &Target, namespace: &str, name: &str) -> Result<PathBuf> {
    let token = token(target, namespace, name).await?;
    let mut kubeconfig: Value = serde_saphyr::from_str(&std::fs::read_to_string(&target.kubeconfig)?)?;
    kubeconfig["users"][0]["user"] = json!({ "token": token });
    let path = target.home().join(format!("{namespace}-{name}.kubeconfig"));
    std::fs::write(&path, kubeconfig.to_string())?;
    Ok(path)
}

/// Creates a Role or ClusterRole and binds it to the subject. Returns the binding, which has the role's name.
///
/// # Errors
/// Returns the API server's error.
pub async fn grant(target: &Target, role: &Value, subject: &Value) -> Result<Value> {
    api::create(&target.client, role).await?;
    let (kind, metadata) = (&role["kind"], &role["metadata"]);
    let mut binding = json!({
        "apiVersion": role["apiVersion"], "kind": format!("{}Binding", kind.as_str().unwrap_or_default()),
        "metadata": {"name": metadata["name"]},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": metadata["name"]},
        "subjects": [subject],
    });
    if metadata["namespace"].is_string() {
        binding["metadata"]["namespace"] = metadata["namespace"].clone();
    }
    api::create(&target.client, &binding).await?;
    Ok(binding)
}
