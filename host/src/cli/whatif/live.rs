//! Reads the objects of a live cluster: one list of each kind that the question needs, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use berth_analysis::ClusterCopy;
use berth_analysis::whatif::rules_wanted;
use berth_core::model::{ObjectKind, ObjectReads};
use berth_kube::UserConnection;
use kube::Client;
use serde_json::Value;

use super::Cluster;
use crate::cli::live::{self, Refused};

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

async fn list_all(client: &Client, wanted: &[ObjectReads]) -> Result<(Vec<Value>, Refused)> {
    // Two plugins can read the same kind. Each kind is listed once.
    let mut kinds: BTreeSet<Arc<ObjectKind>> = [ObjectKind::node(), ObjectKind::pod()].map(Arc::new).into();
    let rules = rules_wanted();
    kinds.extend(wanted.iter().chain(&rules).map(|reads| Arc::clone(&reads.kind)));
    let mut objects = Vec::new();
    let refused = live::list(client, kinds, &mut |object| objects.push(object)).await?;
    Ok((objects, refused))
}
