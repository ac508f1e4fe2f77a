//! With the simulated controllers: Deployments are scaled, and nodes are drained.

use anyhow::{Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{deployment, node, nodes};
use berth_tests::{Pods, Session, Target, api};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{EvictParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;

crate::case::cases!(Both: a_deployment_is_scaled, a_node_is_drained);

async fn a_deployment_is_scaled(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 4, 4)).await?;
    session.create(&deployment("web", 5, "100m")).await?;
    until_running(&session, 5).await?;
    for replicas in [12, 2, 0, 3] {
        scale(&target.client, "web", replicas).await?;
        until_running(&session, replicas).await?;
    }
    session.end().await
}

/// Drains a node like `kubectl drain`: the test cordons the node and evicts the node's pods.
async fn a_node_is_drained(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 3, 4)).await?;
    session.create(&deployment("web", 9, "500m")).await?;
    until_running(&session, 9).await?;
    api::patch(&target.client, &node("n-0", 4), json!({"spec": {"unschedulable": true}})).await?;
    session.until_cordoned("n-0").await?;
    let evicted = session.journal.now(|pods| on_node(pods, "n-0"));
    ensure!(
        !evicted.is_empty(),
        "no pod was on the node to be drained: {:?}",
        session.journal.now(|pods| pods.by_name.clone())
    );
    let pods: Api<Pod> = Api::default_namespaced(target.client.clone());
    for name in &evicted {
        pods.evict(name, &EvictParams::default()).await?;
    }
    session
        .journal
        .until("the evicted pods are gone", |pods| {
            let remaining = on_node(pods, "n-0");
            Look::at(remaining.is_empty(), || format!("{remaining:?} are there"))
        })
        .await?;
    until_running(&session, 9).await?;
    let back = session.journal.now(|pods| on_node(pods, "n-0"));
    ensure!(back.is_empty(), "{back:?} were placed on the drained node");
    session.end().await
}

/// Waits until exactly this many pods of the Deployment exist, all on nodes and running.
async fn until_running(session: &Session<'_>, replicas: usize) -> Result<()> {
    session
        .journal
        .until(&format!("{replicas} pods run"), |pods| {
            let all: Vec<_> = pods.named("web-").map(|(_, seen)| seen).collect();
            let running = all.iter().filter(|seen| seen.node.is_some() && seen.phase == "Running").count();
            Look::at(running == replicas && all.len() == replicas, || format!("{running} of {} run", all.len()))
        })
        .await
}

async fn scale(client: &Client, name: &str, replicas: usize) -> Result<()> {
    let api: Api<Deployment> = Api::default_namespaced(client.clone());
    let scale = json!({"spec": {"replicas": replicas}});
    api.patch_scale(name, &PatchParams::default(), &Patch::Merge(scale)).await?;
    Ok(())
}

fn on_node(pods: &Pods, node: &str) -> Vec<String> {
    pods.by_name.iter().filter(|(_, seen)| seen.node.as_deref() == Some(node)).map(|(name, _)| name.clone()).collect()
}
