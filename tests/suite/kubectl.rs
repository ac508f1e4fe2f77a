//! A standard kubectl against the embedded API server and a real one. The output must be the same.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::nodes;
use berth_tests::programs::Kubectl;
use berth_tests::{Session, Target};
use tokio::io::{AsyncBufReadExt, BufReader};

crate::case::cases!(Both: get_and_describe, apply_edits, deployments, watch, errors);

const POD: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
    - name: web
      image: registry.example/web:1
      resources: {requests: {cpu: 100m}}
"#;

async fn get_and_describe(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 1, 4)).await?;
    let kubectl = Kubectl::new(&target.kubeconfig)?;
    ensure!(kubectl.run_with(&["create", "-f", "-"], POD).await? == "pod/web created\n");
    session.journal.until_pod_placed("web").await?;

    let table = kubectl.run(&["get", "pods", "-o", "wide"]).await?;
    let columns: Vec<&str> = table.split_whitespace().collect();
    let header =
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED", "NODE", "READINESS", "GATES"];
    ensure!(columns.starts_with(&header), "kubectl get pods -o wide:\n{table}");
    ensure!(columns[header.len()..].starts_with(&["web", "0/1", "Pending", "0"]), "kubectl get pods -o wide:\n{table}");
    ensure!(columns.contains(&"n-0"), "the node is not shown:\n{table}");

    until_printed(
        &kubectl,
        &["describe", "pod", "web"],
        &["Node:", "n-0/", "Successfully assigned default/web to n-0"],
    )
    .await?;
    until_printed(&kubectl, &["describe", "node", "n-0"], &["Allocatable:", "default", "web", "100m (2%)"]).await?;
    let names = kubectl.run(&["get", "pods", "-l", "app=web", "-o", "name"]).await?;
    ensure!(names == "pod/web\n", "kubectl get pods -l app=web printed {names:?}");
    let others = kubectl.run(&["get", "pods", "--field-selector", "spec.nodeName!=n-0", "-o", "name"]).await?;
    ensure!(others.is_empty(), "the field selector does not exclude pods on n-0: {others:?}");
    ensure!(
        kubectl
            .run(&["delete", "pod", "web", "--force", "--grace-period=0", "--wait=false"])
            .await?
            .contains("web\" force deleted")
    );
    session.end().await
}

async fn apply_edits(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 1, 4)).await?;
    let kubectl = Kubectl::new(&target.kubeconfig)?;
    for (manifest, expected) in [
        (POD.to_owned(), "pod/web created\n"),
        (POD.to_owned(), "pod/web unchanged\n"),
        (POD.replace("app: web", "app: web, tier: front"), "pod/web configured\n"),
        (POD.to_owned(), "pod/web configured\n"),
    ] {
        let output = kubectl.run_with(&["apply", "-f", "-"], &manifest).await?;
        ensure!(output == expected, "kubectl apply printed {output:?}, expected {expected:?}");
    }
    let labels = kubectl.run(&["get", "pod", "web", "-o", "jsonpath={.metadata.labels}"]).await?;
    ensure!(labels == r#"{"app":"web"}"#, "the removed label still exists: {labels}");
    let applied = kubectl.run_with(&["apply", "--server-side", "--force-conflicts", "-f", "-"], POD).await?;
    ensure!(applied == "pod/web serverside-applied\n", "kubectl apply --server-side printed {applied:?}");
    session.end().await
}

async fn deployments(target: &Target) -> Result<()> {
    let _controllers = target.controllers();
    let session = Session::with_nodes(target, nodes("n", 2, 4)).await?;
    let kubectl = Kubectl::new(&target.kubeconfig)?;
    kubectl.run(&["create", "deployment", "web", "--image=registry.example/web:1", "--replicas=2"]).await?;
    kubectl.run(&["rollout", "status", "deployment/web", "--timeout=60s"]).await?;
    let scaled = kubectl.run(&["scale", "deployment", "web", "--replicas=4"]).await?;
    ensure!(scaled == "deployment.apps/web scaled\n", "kubectl scale printed {scaled:?}");
    kubectl.run(&["wait", "--for=jsonpath={.status.availableReplicas}=4", "deployment/web", "--timeout=60s"]).await?;
    let table = kubectl.run(&["get", "deployments"]).await?;
    let columns: Vec<&str> = table.split_whitespace().collect();
    ensure!(
        columns.starts_with(&["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "web", "4/4", "4", "4"]),
        "kubectl get deployments:\n{table}"
    );
    let drained = kubectl.output(&["drain", "n-0", "--timeout=60s"], "").await?;
    ensure!(drained.success, "kubectl drain: {}{}", drained.stdout, drained.stderr);
    kubectl.run(&["delete", "deployment", "web", "--timeout=60s"]).await?;
    session
        .journal
        .until("the Deployment's pods are gone", |pods| {
            Look::at(pods.by_name.is_empty(), || format!("{:?}", pods.by_name.keys()))
        })
        .await?;
    session.end().await
}

async fn watch(target: &Target) -> Result<()> {
    let session = Session::with_nodes(target, nodes("n", 1, 4)).await?;
    let kubectl = Kubectl::new(&target.kubeconfig)?;
    let columns = "-o=custom-columns=NAME:.metadata.name,NODE:.spec.nodeName";
    let mut watch = kubectl.spawn(&["get", "pods", "--watch", "--no-headers", columns])?;
    let mut lines = BufReader::new(watch.stdout.take().context("kubectl has no output")?).lines();
    kubectl.run_with(&["create", "-f", "-"], POD).await?;
    let seen = async {
        while let Some(line) = lines.next_line().await? {
            if line.split_whitespace().eq(["web", "n-0"]) {
                return Ok(());
            }
        }
        anyhow::bail!("kubectl get --watch ended")
    };
    tokio::time::timeout(berth_test_kit::wait::PATIENCE, seen)
        .await
        .context("the watch does not show the pod on its node")??;
    session.end().await
}

/// kubectl must show the API server's errors with its usual messages.
async fn errors(target: &Target) -> Result<()> {
    let kubectl = Kubectl::new(&target.kubeconfig)?;
    for (arguments, stdin, expected) in [
        (&["get", "pod", "nobody"][..], "", r#"Error from server (NotFound): pods "nobody" not found"#),
        (&["get", "gadgets"], "", r#"the server doesn't have a resource type "gadgets""#),
        (
            &["create", "-f", "-"],
            "apiVersion: v1\nkind: Pod\nmetadata: {name: Bad}\nspec: {containers: []}",
            "is invalid",
        ),
        (
            &["create", "-f", "-"],
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {colour: red}",
            "unknown field \"spec.colour\"",
        ),
        (
            &["create", "namespace", "default"],
            "",
            r#"Error from server (AlreadyExists): namespaces "default" already exists"#,
        ),
    ] {
        let output = kubectl.output(arguments, stdin).await?;
        ensure!(
            !output.success && output.stderr.contains(expected),
            "kubectl {arguments:?} printed {output:?}, expected {expected:?}"
        );
    }
    Ok(())
}

/// Waits until kubectl's output contains all of these texts, because events may arrive late.
async fn until_printed(kubectl: &Kubectl, arguments: &[&str], expected: &[&str]) -> Result<()> {
    eventually(&format!("kubectl {arguments:?} prints {expected:?}"), || async {
        let text = kubectl.run(arguments).await?;
        Ok(Look::at(expected.iter().all(|part| text.contains(part)), || text.clone()))
    })
    .await
}
