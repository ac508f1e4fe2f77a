//! Lists the objects of a live cluster. Sends no other requests than lists and discovery.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use berth_core::model::ObjectKind;
use kube::{Client, Error};
use serde_json::Value;

use super::hint::Hint;

/// The kinds that can't be listed, with the reasons.
pub(super) type Refused = Vec<(Arc<ObjectKind>, Arc<str>)>;

/// Passes each object of the kinds to `each`, with its `apiVersion` and `kind`. Returns the kinds that the user may not
/// list. Nodes and pods are not among them.
///
/// # Errors
/// The API server can't be reached, or nodes or pods can't be listed.
pub(super) async fn list(
    client: &Client,
    kinds: impl IntoIterator<Item = Arc<ObjectKind>>,
    each: &mut (dyn FnMut(Value) + Send),
) -> Result<Refused> {
    let mut refused = Vec::new();
    for kind in kinds {
        match berth_kube::each_object(client, &kind, each).await {
            Ok(()) => {}
            Err(Error::Api(status)) if matches!(status.code, 401 | 403) && !kind.is_pod_or_node() => {
                refused.push((kind, status.message.as_str().into()));
            }
            Err(Error::Api(status)) => {
                let plural = kind.kind.to_lowercase() + "s";
                let failed = Err(anyhow!("listing objects of {kind}: {}", status.message));
                return failed.or_hint(|| format!("kubectl auth can-i list {plural} --all-namespaces"));
            }
            Err(error) => {
                let causes = berth_kube::error_with_causes(&error);
                return Err(anyhow!("the API server can't be reached: {causes}"))
                    .or_hint(|| "kubectl cluster-info".to_owned());
            }
        }
    }
    Ok(refused)
}
