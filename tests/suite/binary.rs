//! The built `berth` binary: commands that need no cluster.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::programs::{self, Kubectl};
use libtest_mimic::Trial;

use crate::harness::standalone_trial;

/// Returns the trials. Tests that need kubectl are shown as ignored if there is no kubectl.
pub fn trials() -> Vec<Trial> {
    let no_kubectl = programs::kubectl_path().is_none();
    vec![
        standalone_trial("binary::demo", || Box::pin(demo())),
        standalone_trial("binary::sim_serves_kubectl", || Box::pin(sim_serves_kubectl())).with_ignored_flag(no_kubectl),
        standalone_trial("binary::sim_without_scheduler", || Box::pin(sim_without_scheduler()))
            .with_ignored_flag(no_kubectl),
        standalone_trial("binary::a_closed_standard_output_is_no_error", || {
            Box::pin(a_closed_standard_output_is_no_error())
        }),
    ]
}

/// Without a terminal, the demo ends after its table. The command fails if the demo's counts are not as expected.
async fn demo() -> Result<()> {
    let output = programs::run_berth(&["demo"]).await?;
    ensure!(output.success, "berth demo failed:\n{}\n{}", output.stdout, output.stderr);
    // The demo itself compares the counts with host/demo/expected.yaml. This test checks that the table shows them.
    for expected in [
        "106 of 111 pods placed on 50 nodes",
        "4 node(s) didn't have free ports for the requested pod ports",
        "38 Insufficient cpu",
        "44 Insufficient nvidia.com/gpu",
        "didn't match Pod's node affinity/selector",
    ] {
        // The table breaks lines between words.
        let text = output.stdout.replace(['│', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(text.contains(expected), "the demo does not print {expected:?}:\n{}", output.stdout);
    }
    Ok(())
}

/// Behaves like `berth plugin list | head -0`.
async fn a_closed_standard_output_is_no_error() -> Result<()> {
    let output = programs::run_berth_with_closed_stdout(&["plugin", "list"]).await?;
    ensure!(output.success && output.stderr.is_empty(), "berth plugin list failed:\n{}", output.stderr);
    Ok(())
}

async fn sim_serves_kubectl() -> Result<()> {
    let sim = Sim::start(&["--empty"]).await?;
    sim.kubectl.run_with(&["apply", "-f", "-"], NODE).await?;
    sim.kubectl.run(&["create", "deployment", "web", "--image=registry.example/web:1", "--replicas=2"]).await?;
    eventually("the Deployment is available", || async {
        let available =
            sim.kubectl.run(&["get", "deployment", "web", "-o", "jsonpath={.status.availableReplicas}"]).await?;
        Ok(Look::at(available == "2", || format!("{available:?} replicas are available")))
    })
    .await?;
    let pods = sim.kubectl.run(&["get", "pods", "-o", "wide"]).await?;
    ensure!(pods.matches("n1").count() == 2, "not both pods are on n1:\n{pods}");
    sim.stop().await
}

/// With `--no-scheduler`, another scheduler can bind the pods.
async fn sim_without_scheduler() -> Result<()> {
    let sim = Sim::start(&["--empty", "--no-scheduler", "--no-controllers"]).await?;
    sim.kubectl.run_with(&["apply", "-f", "-"], NODE).await?;
    sim.kubectl.run(&["run", "web", "--image=registry.example/web:1"]).await?;
    let target = bind_as_another_scheduler(&sim).await?;
    ensure!(target == "n1", "the pod is on {target:?} after its binding");
    sim.stop().await
}

/// Binds the pod like another scheduler, and returns the pod's node. If Berth had bound the pod before, the API server
/// would refuse this binding.
async fn bind_as_another_scheduler(sim: &Sim) -> Result<String> {
    let binding = r#"{"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web", "namespace": "default"},
                      "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}"#;
    let path = "/api/v1/namespaces/default/pods/web/binding";
    sim.kubectl.run_with(&["create", "--raw", path, "-f", "-"], binding).await?;
    sim.kubectl.run(&["get", "pod", "web", "-o", "jsonpath={.spec.nodeName}"]).await
}

const NODE: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
"#;

/// A running `berth sim`, and a kubectl for it.
struct Sim {
    child: tokio::process::Child,
    kubectl: Kubectl,
    _home: tempfile::TempDir,
}

impl Sim {
    async fn start(arguments: &[&str]) -> Result<Self> {
        let home = tempfile::TempDir::new()?;
        let kubeconfig = home.path().join("kubeconfig");
        let path = kubeconfig.to_string_lossy().into_owned();
        let mut child = programs::spawn_berth(&[&["sim", "--kubeconfig", &path], arguments].concat())?;
        eventually("berth sim has written its kubeconfig", || {
            let ended = child.try_wait();
            let exists = kubeconfig.is_file();
            async move {
                ensure!(ended?.is_none(), "berth sim ended before it wrote its kubeconfig");
                Ok(Look::at(exists, || "the file does not exist".into()))
            }
        })
        .await?;
        Ok(Self { child, kubectl: Kubectl::new(&kubeconfig)?, _home: home })
    }

    /// Sends SIGTERM to `berth sim`, as a service manager does. The command must end with exit status 0.
    async fn stop(mut self) -> Result<()> {
        let status = programs::terminate(&mut self.child).await.context("stopping berth sim")?;
        ensure!(status.success(), "berth sim ended with {status} on SIGTERM");
        Ok(())
    }
}
