//! With the simulated controllers: Deployments are scaled, and nodes are drained, also with `berth controllers`.

use anyhow::{Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{deployment, node, nodes, pod};
use berth_tests::{Pods, Process, Session, Target, api, programs};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{EvictParams, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;

crate::case::cases!(Both: a_deployment_is_scaled, a_node_is_drained, a_command_plays_the_controllers);

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

/// `berth controllers` plays kubelets and controllers on an API server, and refuses one that has them.
async fn a_command_plays_the_controllers(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let mut controllers = controllers(target, &[])?;
    session.create(&deployment("web", 3, "100m")).await?;
    until_running(&session, 3).await?;
    controllers.stop().await?;

    // Without the controller of Deployments, a Deployment gets no pods, and pods still run.
    let mut controllers = self::controllers(target, &["--only", "kubelet,replicaset"])?;
    session.create(&deployment("idle", 3, "100m")).await?;
    session.create(&pod("web-alone", "100m")).await?;
    until_running(&session, 4).await?;
    let none = session.journal.now(|pods| pods.named("idle-").count());
    ensure!(none == 0, "{none} pods of a Deployment without a controller");
    controllers.stop().await?;

    let name = "kube-controller-manager";
    let spec = json!({ "holderIdentity": "it", "leaseDurationSeconds": 600, "renewTime": MicroTime(Timestamp::now()) });
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "name": name, "namespace": "kube-system" }, "spec": spec,
    });
    api::create(&target.client, &lease).await?;
    let kubeconfig = target.kubeconfig.display().to_string();
    let refused = programs::run_berth(&["controllers", "--kubeconfig", &kubeconfig]).await?;
    api::delete(&target.client, &lease).await?;
    let expected =
        "kube-controller-manager runs in this cluster: its Lease kube-system/kube-controller-manager was renewed";
    ensure!(refused.status == Some(1) && refused.stderr.contains(expected), "{refused:?}");
    session.end().await
}

/// Starts `berth controllers` with these flags.
fn controllers(target: &Target, flags: &[&str]) -> Result<Process> {
    let mut command = tokio::process::Command::new(programs::berth()?);
    command.args(["controllers", "--kubeconfig"]).arg(&target.kubeconfig).args(flags);
    Process::spawn(command)
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
