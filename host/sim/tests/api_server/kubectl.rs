//! Tests the server with kubectl and its most common commands.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use berth_sim::Server;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use crate::support::{in_time, server};

/// kubectl with its own kubeconfig and cache.
pub struct Kubectl {
    home: TempDir,
    _server: Server,
}

/// The output of a command, and whether it succeeded.
pub struct Output {
    out: String,
    err: String,
    success: bool,
}

/// Returns the kubectl in `KUBEBUILDER_ASSETS`, or else the kubectl in `PATH`.
fn program() -> PathBuf {
    let beside = std::env::var_os("KUBEBUILDER_ASSETS").map(|folder| Path::new(&folder).join("kubectl"));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("kubectl"))
}

/// Replaces each sequence of spaces with one space.
fn narrow(text: &str) -> String {
    text.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Kubectl {
    pub async fn new() -> Self {
        let (server, _) = server().await;
        let home = TempDir::new().unwrap();
        std::fs::write(home.path().join("config"), server.kubeconfig()).unwrap();
        Self { home, _server: server }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command.args(words(line)).env("KUBECONFIG", self.home.path().join("config")).env("HOME", self.home.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    pub async fn run(&self, line: &str, input: &str) -> Output {
        let mut child = self.command(line).spawn().expect("kubectl is on the path");
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let output = in_time(line, child.wait_with_output()).await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Output { out: text(output.stdout), err: text(output.stderr), success: output.status.success() }
    }

    /// Runs a command that must succeed and print every text in `expected`.
    pub async fn ok(&self, line: &str, expected: &[&str]) -> String {
        self.with(line, "", expected).await
    }

    /// Runs a command with input; it must succeed and print every text in `expected`.
    pub async fn with(&self, line: &str, input: &str, expected: &[&str]) -> String {
        let output = self.run(line, input).await;
        assert!(output.success, "kubectl {line}: {}{}", output.out, output.err);
        // The width of the columns depends on kubectl's version.
        let out = narrow(&output.out);
        for part in expected {
            assert!(
                out.contains(&narrow(part)),
                "kubectl {line} doesn't print {part:?}:\n{}{}",
                output.out,
                output.err
            );
        }
        output.out
    }

    /// Runs a command that must fail and print `why`.
    pub async fn fails(&self, line: &str, input: &str, why: &str) {
        let output = self.run(line, input).await;
        assert!(
            !output.success && output.err.contains(why),
            "kubectl {line} should have failed with {why:?}:\n{}{}",
            output.out,
            output.err
        );
    }
}

/// Splits a command line into words. Text in single quotes is one word.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| {
            if index % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
        })
        .collect()
}

pub const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  nodeName: n1
  containers: [{name: c, image: 'nginx:1', resources: {requests: {cpu: 100m, memory: 64Mi}}}]
";

const NODE: &str = "apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}
status:
  capacity: {cpu: '4', memory: 8Gi, pods: '110'}
  conditions: [{type: Ready, status: 'True', reason: KubeletReady, message: ready}]
  nodeInfo: {kubeletVersion: v1.36.0, osImage: os, kernelVersion: k, containerRuntimeVersion: 'c://1', architecture: amd64, bootID: b, kubeProxyVersion: '', machineID: m, operatingSystem: linux, systemUUID: s}
";

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_gets_versions_and_explains_kinds() {
    let kubectl = Kubectl::new().await;
    kubectl.ok("version", &["Server Version: v1.36"]).await;
    kubectl.ok("cluster-info", &["is running at"]).await;
    kubectl.ok("api-versions", &["apps/v1", "resource.k8s.io/v1", "v1"]).await;
    let out = kubectl
        .ok(
            "api-resources",
            &[
                "deployments",
                "deploy",
                "apps/v1",
                "PodDisruptionBudget",
                "events.k8s.io/v1",
                "selfsubjectaccessreviews",
            ],
        )
        .await;
    assert!(out.lines().any(|line| words(line) == ["pods", "po", "v1", "true", "Pod"]), "{out}");
    kubectl.ok("get namespaces", &["default", "kube-system", "kube-public", "kube-node-lease", "Active"]).await;
    kubectl
        .ok("explain pod.spec.containers", &["KIND:       Pod", "FIELD: containers <[]Container>", "imagePullPolicy"])
        .await;
    kubectl.ok("explain deployment", &["GROUP:      apps", "spec"]).await;
    kubectl.ok("auth can-i delete nodes", &["yes"]).await;
    kubectl.ok("auth whoami", &["admin"]).await;
    kubectl.fails("get pods nothing", "", "pods \"nothing\" not found").await;
    kubectl.ok("get all", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_creates_describes_and_deletes() {
    let kubectl = Kubectl::new().await;
    kubectl.with("create -f -", NODE, &["node/n1 created"]).await;
    kubectl.with("create -f -", POD, &["pod/web created"]).await;
    kubectl.fails("create -f -", POD, "already exists").await;
    kubectl.ok("get pods", &["NAME   READY   STATUS    RESTARTS   AGE", "web    0/1     Pending   0"]).await;
    kubectl.ok("get pods -o wide", &["NODE", "NOMINATED NODE", "n1"]).await;
    kubectl.ok("get pods -A --show-labels", &["app=web", "topology.kubernetes.io/zone=a"]).await;
    kubectl.ok("get pod web -o yaml", &["nodeName: n1", "qosClass: Burstable"]).await;
    kubectl.ok("get pods -l app=web -o name", &["pod/web"]).await;
    kubectl.ok("get pods --field-selector spec.nodeName=n1 -o jsonpath={.items[*].metadata.name}", &["web"]).await;
    kubectl.ok("get nodes -o wide", &["n1", "Ready", "<none>", "v1.36.0", "CONTAINER-RUNTIME"]).await;
    kubectl.ok("get pods,nodes", &["pod/web", "node/n1"]).await;
    let uid = kubectl.ok("get pod web -o jsonpath={.metadata.uid}", &["-"]).await;
    let event = format!(
        "apiVersion: v1
kind: Event
metadata: {{name: web.1, namespace: default}}
involvedObject: {{apiVersion: v1, kind: Pod, namespace: default, name: web, uid: {uid}}}
reason: FailedScheduling
type: Warning
message: no room
source: {{component: berth}}
firstTimestamp: '2026-01-01T00:00:00Z'
lastTimestamp: '2026-01-01T00:00:00Z'
"
    );
    kubectl.with("create -f -", &event, &["event/web.1 created"]).await;
    kubectl.ok("get events", &["LAST SEEN", "Warning", "FailedScheduling", "pod/web", "no room"]).await;
    kubectl.ok("events", &["FailedScheduling", "Pod/web"]).await;
    kubectl
        .ok("describe pod web", &["Name:             web", "Node:             n1", "FailedScheduling", "berth"])
        .await;
    kubectl
        .ok(
            "describe node n1",
            &[
                "Allocatable:",
                "Non-terminated Pods:          (1 in total)",
                "default                     web",
                "cpu                100m (2%)",
            ],
        )
        .await;
    kubectl.ok("delete pod web --grace-period=0 --force", &["\"web\" force deleted"]).await;
    kubectl.ok("delete node n1", &["\"n1\" deleted"]).await;
    kubectl.with("create -f -", &POD.replace("  nodeName: n1\n", ""), &[]).await;
    kubectl.ok("delete pod web", &["\"web\" deleted"]).await;
    kubectl.ok("get pods", &[]).await;
    kubectl.fails("create -f -", &POD.replace("image:", "imgae:"), "unknown field \"spec.containers[0].imgae\"").await;
    kubectl.fails("create -f -", &POD.replace("web", "Web"), "is invalid: metadata.name").await;
    kubectl.ok("create configmap m --from-literal=k=v --dry-run=server -o yaml", &["k: v", "uid:"]).await;
    kubectl.fails("get configmap m", "", "not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_applies_twice() {
    let kubectl = Kubectl::new().await;
    let file = |image: &str, extra: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: d}}}}\n  template:\n    metadata: {{labels: {{app: d}}}}\n    spec:\n      containers:\n      - {{name: a, image: '{image}', resources: {{requests: {{cpu: 500m}}}}}}\n{extra}"
        )
    };
    let sidecar = "      - {name: b, image: b}\n";
    kubectl.with("apply -f -", &file("a:1", sidecar), &["deployment.apps/d created"]).await;
    kubectl.with("apply -f -", &file("a:1", sidecar), &["deployment.apps/d unchanged"]).await;
    kubectl.ok("set image deployment/d b=b:2", &["image updated"]).await;
    // A three-way merge: `kubectl apply` keeps fields that were never in the file, and removes fields that are no
    // longer in the file.
    kubectl.ok("annotate deployment d by=hand", &["annotated"]).await;
    kubectl.with("diff -f -", &file("a:1", "      - {name: b, image: 'b:2'}\n"), &[]).await;
    kubectl.with("apply -f -", &file("a:2", ""), &["deployment.apps/d configured"]).await;
    kubectl.ok("get deploy d -o jsonpath={.spec.template.spec.containers[*].image}/{.metadata.annotations.by}/{.metadata.generation}", &["a:2/hand/3"]).await;
    kubectl.with("apply --server-side -f -", &file("a:3", ""), &["serverside-applied"]).await;
    kubectl.with("apply --dry-run=server -f -", &file("a:4", ""), &["(server dry run)"]).await;
    kubectl
        .fails("apply -f -", &file("a:3", "").replace("replicas", "replica"), "unknown field \"spec.replica\"")
        .await;
    kubectl.ok("scale deployment d --replicas=7", &["scaled"]).await;
    kubectl.fails("scale deployment d --replicas=1 --current-replicas=2", "", "Expected replicas to be 2, was 7").await;
    kubectl.ok("get deploy", &["0/7"]).await;
    kubectl.ok("rollout history deployment d", &["deployment.apps/d"]).await;
    kubectl.with("replace -f -", &file("a:5", ""), &["replaced"]).await;
    kubectl.with("delete -f -", &file("a:5", ""), &["\"d\" deleted"]).await;
}

/// kubectl validates an object of kind `List` by itself, with the OpenAPI document of version 2, and sends its items one by one.
#[tokio::test(flavor = "multi_thread")]
async fn kubectl_creates_the_items_of_a_list() {
    let kubectl = Kubectl::new().await;
    let widgets = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 3}}";
    let list = |container: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Node, metadata: {{name: n1, labels: {{zone: a}}}}, status: {{allocatable: {{cpu: 4, memory: 8Gi}}}}}}\n- {{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {{terminationGracePeriodSeconds: 0, nodeSelector: {{zone: a}}, containers: [{container}]}}}}\n- {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {{selector: {{matchLabels: {{app: d}}}}, strategy: {{rollingUpdate: {{maxSurge: 25%}}}}, template: {{metadata: {{labels: {{app: d}}}}, spec: {{containers: [{container}]}}}}}}}}\n"
        )
    };
    let good = list("{name: a, image: a, resources: {requests: {cpu: 1}}, ports: [{containerPort: 80}]}");
    kubectl.with("create -f -", &good, &["node/n1 created", "pod/web created", "deployment.apps/d created"]).await;
    kubectl.with("apply -f -", &good, &["node/n1 configured", "pod/web configured"]).await;
    let misspelt = list("{name: a, imgae: a}");
    kubectl.fails("apply -f -", &misspelt, "unknown field \"spec.containers[0].imgae\"").await;
    let number = list("{name: b, image: a, ports: [{containerPort: web}]}");
    kubectl.fails("apply -f -", &number, "containerPort").await;
    let unknown = format!("apiVersion: v1\nkind: List\nitems: [{widgets}]\n");
    kubectl.fails("create -f -", &unknown, "no matches for kind \"Widget\"").await;
    kubectl.fails("create -f -", "apiVersion: v1\nkind: List\nitems: 3\n", "invalid object to validate").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_patches_labels_and_taints() {
    let kubectl = Kubectl::new().await;
    kubectl.with("create -f -", NODE, &[]).await;
    kubectl.with("create -f -", POD, &[]).await;
    kubectl.ok("label pod web tier=front", &["labeled"]).await;
    kubectl.fails("label pod web tier=back", "", "already has a value").await;
    kubectl.ok("label pod web tier-", &["unlabeled"]).await;
    kubectl.ok("annotate pod web note=hi", &["annotated"]).await;
    kubectl.ok("taint node n1 dedicated=gpu:NoSchedule", &["tainted"]).await;
    kubectl.fails("taint node n1 dedicated=gpu:NoSchedule", "", "already has").await;
    kubectl.ok("describe node n1", &["Taints:             dedicated=gpu:NoSchedule"]).await;
    kubectl.ok("taint node n1 dedicated-", &["untainted"]).await;
    kubectl
        .ok("patch pod web -p '{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"nginx:2\"}]}}'", &["patched"])
        .await;
    kubectl.ok("patch pod web --type=merge -p '{\"metadata\":{\"labels\":{\"m\":\"1\"}}}'", &["patched"]).await;
    kubectl
        .ok("patch pod web --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/labels/m\"}]'", &["patched"])
        .await;
    kubectl.ok("patch pod web --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}'", &["patched"]).await;
    kubectl.ok("get pod web", &["Running"]).await;
    kubectl.ok("wait --for=condition=Ready pod/web --timeout=30s", &["condition met"]).await;
    kubectl
        .fails(
            "patch pod web --type=merge -p '{\"spec\":{\"nodeName\":\"n2\"}}'",
            "",
            "pod updates may not change fields",
        )
        .await;
    kubectl.ok("cordon n1", &["cordoned"]).await;
    kubectl.ok("get nodes", &["Ready,SchedulingDisabled"]).await;
    kubectl.ok("uncordon n1", &["uncordoned"]).await;
}

/// The pod has a grace period and no kubelet, so the drain waits until another command deletes the pod.
#[tokio::test(flavor = "multi_thread")]
async fn kubectl_drains_waits_and_watches() {
    let kubectl = Kubectl::new().await;
    kubectl.with("create -f -", NODE, &[]).await;
    let mut watch = kubectl.command("get pods -w -o wide").spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    kubectl.with("create -f -", POD, &[]).await;
    let heading = in_time("the heading", lines.next_line()).await.unwrap().unwrap();
    let row = in_time("a row", lines.next_line()).await.unwrap().unwrap();
    assert!(
        heading.starts_with("NAME") && heading.contains("NODE") && row.starts_with("web") && row.contains("n1"),
        "{heading}\n{row}"
    );
    // A wait that starts after the deletion prints nothing. With `-v=6`, kubectl logs each response, so the test can
    // see when kubectl has found the pod.
    let mut waiting = kubectl.command("wait --for=delete pod/web --timeout=50s -v=6").spawn().unwrap();
    let mut answers = BufReader::new(waiting.stderr.take().unwrap()).lines();
    while !in_time("the wait sees the pod", answers.next_line()).await.unwrap().unwrap().contains("/pods") {}
    // Read the remaining log, because a full pipe would block kubectl.
    tokio::spawn(async move { while let Ok(Some(_)) = answers.next_line().await {} });
    let (drained, waited, ()) = tokio::join!(
        kubectl.run("drain n1 --force --timeout=50s", ""),
        in_time("the end of the wait", waiting.wait_with_output()),
        async {
            let row = in_time("a row for the condition DisruptionTarget", lines.next_line()).await.unwrap().unwrap();
            assert!(row.contains("Pending"), "{row}");
            let row = in_time("a row for the deletion", lines.next_line()).await.unwrap().unwrap();
            assert!(row.contains("Terminating"), "{row}");
            kubectl.ok("delete pod web --grace-period=0 --force", &[]).await;
        }
    );
    assert!(drained.success && drained.out.contains("node/n1 drained"), "{}{}", drained.out, drained.err);
    let waited = waited.unwrap();
    let output = String::from_utf8_lossy(&waited.stdout);
    assert!(waited.status.success() && output.contains("condition met"), "{output}");
    watch.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_uses_custom_resources() {
    let kubectl = Kubectl::new().await;
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wg], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, minimum: 1}, list: {type: array, items: {type: string}}}}, status: {type: object, properties: {ready: {type: boolean}}}}}}
";
    kubectl.with("apply -f -", definition, &["created"]).await;
    kubectl.ok("wait --for=condition=Established crd/widgets.example.com --timeout=30s", &["condition met"]).await;
    let widget =
        |spec: &str| format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: w}}\nspec: {spec}\n");
    kubectl.with("apply -f -", &widget("{size: 1, list: [a, b]}"), &["widget.example.com/w created"]).await;
    kubectl.with("apply -f -", &widget("{size: 1, list: [a, b]}"), &["unchanged"]).await;
    // Lists of custom resources are replaced as a whole, because their keys are not known.
    kubectl.with("apply -f -", &widget("{size: 2, list: [c]}"), &["configured"]).await;
    kubectl.ok("get wg w -o jsonpath={.spec.list}", &["[\"c\"]"]).await;
    kubectl.ok("get widgets", &["NAME   SIZE   AGE", "w      2"]).await;
    kubectl.ok("get all", &["widget.example.com/w"]).await;
    kubectl.fails("apply -f -", &widget("{size: 0}"), "should be greater than or equal to 1").await;
    kubectl.fails("apply -f -", &widget("{sise: 3}"), "unknown field \"spec.sise\"").await;
    kubectl.ok("explain widget.spec", &["KIND:       Widget", "size"]).await;
    kubectl.ok("delete crd widgets.example.com", &["deleted"]).await;
    // Some kubectl versions still have the kind in their cache, and get a 404 from the server.
    kubectl.fails("get widgets", "", "resource").await;
}
