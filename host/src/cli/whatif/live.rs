//! Reads the objects of a live cluster: one list of each kind that the question needs, and nothing else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use berth_analysis::ClusterCopy;
use berth_analysis::whatif::rules_wanted;
use berth_core::model::{ObjectKind, ObjectReads};
use kube::{Client, Error};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Cluster;
use crate::cli::hint::Hint;

/// The kinds of a cluster by their names, so that each is listed once.
type Kinds = BTreeMap<Arc<ObjectKind>, ()>;

/// Lists nodes, pods, and the kinds that plugins read.
///
/// # Errors
/// The API server can't be reached within the time limit, or nodes or pods can't be listed.
pub(super) async fn read(kubeconfig: Option<&Path>, wanted: &[ObjectReads], limit: Duration) -> Result<Cluster> {
    let usual = kubeconfig.map(Path::to_owned).or_else(usual_kubeconfig);
    let client = berth_kube::connect(usual.as_deref()).await?;
    let lists = tokio::time::timeout(limit, list_all(&client, wanted));
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

/// Returns the kubeconfig that kubectl uses, if it exists.
fn usual_kubeconfig() -> Option<PathBuf> {
    let named = std::env::var_os("KUBECONFIG").filter(|names| !names.is_empty());
    match named {
        Some(names) => std::env::split_paths(&names).find(|path| path.exists()),
        None => Some(PathBuf::from(std::env::var_os("HOME")?).join(".kube/config")).filter(|path| path.exists()),
    }
}

/// The kinds that can't be listed, with the reasons.
type Refused = Vec<(Arc<ObjectKind>, Arc<str>)>;

async fn list_all(client: &Client, wanted: &[ObjectReads]) -> Result<(Vec<Value>, Refused)> {
    let mut kinds: Kinds = [ObjectKind::node(), ObjectKind::pod()].map(|kind| (Arc::new(kind), ())).into();
    let rules = rules_wanted();
    kinds.extend(wanted.iter().chain(&rules).map(|reads| (Arc::clone(&reads.kind), ())));
    let (mut objects, mut refused) = (Vec::new(), Vec::new());
    for kind in kinds.into_keys() {
        match berth_kube::list_objects(client, &kind).await {
            Ok(listed) => objects.extend(listed),
            Err(Error::Api(status)) if matches!(status.code, 401 | 403) && !kind.is_pod_or_node() => {
                refused.push((kind, status.message.as_str().into()));
            }
            Err(error) => {
                let plural = kind.kind.to_lowercase() + "s";
                let failed = Err(error).with_context(|| format!("listing objects of {kind}"));
                return failed.or_hint(|| format!("kubectl auth can-i list {plural} --all-namespaces"));
            }
        }
    }
    Ok((objects, refused))
}
