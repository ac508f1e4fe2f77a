//! Reads the objects of a live cluster: one list of each kind that the question needs, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use berth_analysis::ClusterCopy;
use berth_analysis::whatif::rules_wanted;
use berth_core::model::{ObjectKind, ObjectReads};
use berth_kube::UserConnection;
use kube::{Client, Error};
use serde_json::Value;

use super::Cluster;
use crate::cli::hint::Hint;

/// Lists nodes, pods, and the kinds that plugins read.
///
/// # Errors
/// The API server can't be reached within the time limit, or nodes or pods can't be listed.
pub(super) async fn read(kubeconfig: Option<&Path>, wanted: &[ObjectReads], limit: Duration) -> Result<Cluster> {
    let user = UserConnection::from_kubeconfig(kubeconfig).await?;
    let lists = tokio::time::timeout(limit, list_all(user.api_server(), wanted));
    let (objects, refused) = lists
        .await
        .with_context(|| format!("the API server did not send all objects within --timeout {limit:?}"))??;
    let mut cluster = Cluster::read(objects, wanted)?;
    refuse(&mut cluster.copy, wanted, &refused);
    refuse(&mut cluster.rules, &rules_wanted(), &refused);
    Ok(cluster)
}

/// Marks the refused kinds of a copy.
fn refuse(copy: &mut ClusterCopy, wanted: &[ObjectReads], refused: &Refused) {
    let is_wanted = |kind: &ObjectKind| wanted.iter().any(|reads| *reads.kind == *kind);
    copy.refused = refused.iter().filter(|(kind, _)| is_wanted(kind)).cloned().collect();
    copy.kinds.retain(|reads| !refused.iter().any(|(kind, _)| *kind == reads.kind));
}

/// The kinds that can't be listed, with the reasons.
type Refused = Vec<(Arc<ObjectKind>, Arc<str>)>;

async fn list_all(client: &Client, wanted: &[ObjectReads]) -> Result<(Vec<Value>, Refused)> {
    // Two plugins can read the same kind. Each kind is listed once.
    let mut kinds: BTreeSet<Arc<ObjectKind>> = [ObjectKind::node(), ObjectKind::pod()].map(Arc::new).into();
    let rules = rules_wanted();
    kinds.extend(wanted.iter().chain(&rules).map(|reads| Arc::clone(&reads.kind)));
    let (mut objects, mut refused) = (Vec::new(), Vec::new());
    for kind in kinds {
        match berth_kube::list_objects(client, &kind).await {
            Ok(listed) => objects.extend(listed),
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
    Ok((objects, refused))
}
