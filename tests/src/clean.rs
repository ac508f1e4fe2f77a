//! An API server that several tests use, one after the other.

use anyhow::Result;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{DeleteParams, ListParams};
use kube::{Api, Client};

use crate::wait::eventually;

/// Deletes what schedules and what is scheduled, and waits until it is gone. No kubelet is there to confirm a deletion,
/// so none is waited for.
///
/// # Errors
/// The API server's.
pub async fn up(client: &Client) -> Result<()> {
    let at_once = DeleteParams::default().grace_period(0);
    let all = ListParams::default();
    workloads(client).await?;
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let nodes: Api<Node> = Api::all(client.clone());
    eventually("pods and nodes of the last test are gone", || async {
        pods.delete_collection(&at_once, &all).await?;
        nodes.delete_collection(&at_once, &all).await?;
        let gone = pods.list(&all.clone().limit(1)).await?.items.is_empty();
        Ok((gone && nodes.list(&all.clone().limit(1)).await?.items.is_empty()).then_some(()))
    })
    .await
}

async fn workloads(client: &Client) -> Result<()> {
    use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
    let at_once = DeleteParams::background().grace_period(0);
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "default");
    deployments.delete_collection(&at_once, &ListParams::default()).await?;
    let replica_sets: Api<ReplicaSet> = Api::namespaced(client.clone(), "default");
    replica_sets.delete_collection(&at_once, &ListParams::default()).await?;
    Ok(())
}
