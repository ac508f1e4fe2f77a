//! Tests server-side apply and field managers with kubectl.

use crate::kubectl::Kubectl;

fn deployment(replicas: &str, labels: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d, labels: {labels}}}\n\
         spec: {{{replicas}selector: {{matchLabels: {{app: d}}}}, template: {{metadata: {{labels: {{app: d}}}}, \
         spec: {{containers: [{{name: c, image: i}}]}}}}}}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_applies_on_the_server() {
    let kubectl = Kubectl::new().await;
    let apply = "apply --server-side -f -";
    kubectl
        .with(apply, &deployment("replicas: 2, ", "{a: '1', b: '2'}"), &["deployment.apps/d serverside-applied"])
        .await;
    kubectl.ok("get deployment d -o yaml", &["name: d"]).await;
    kubectl
        .ok(
            "get deployment d --show-managed-fields -o yaml",
            &["manager: kubectl", "operation: Apply", "f:replicas: {}"],
        )
        .await;
    // What the configuration no longer gives is removed.
    kubectl.with(apply, &deployment("replicas: 2, ", "{a: '1'}"), &["serverside-applied"]).await;
    kubectl.ok("get deployment d -o jsonpath={.metadata.labels}", &["{\"a\":\"1\"}"]).await;
    // kubectl's other commands take the fields that they change.
    kubectl.ok("scale deployment d --replicas 5", &["scaled"]).await;
    kubectl
        .fails(apply, &deployment("replicas: 2, ", "{a: '1'}"), "Apply failed with 1 conflict: conflict with \"kubectl\" with subresource \"scale\" using apps/v1: .spec.replicas")
        .await;
    kubectl
        .with(
            "apply --server-side --force-conflicts -f -",
            &deployment("replicas: 2, ", "{a: '1'}"),
            &["serverside-applied"],
        )
        .await;
    kubectl.ok("get deployment d -o jsonpath={.spec.replicas}", &["2"]).await;
    kubectl
        .with("apply --server-side --field-manager other -f -", &deployment("", "{c: '3'}"), &["serverside-applied"])
        .await;
    kubectl.ok("get deployment d -o jsonpath={.metadata.labels}", &["{\"a\":\"1\",\"c\":\"3\"}"]).await;
    kubectl.fails(apply, &deployment("replica: 2, ", "{}"), ".spec.replica: field not declared in schema").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_moves_from_client_side_to_server_side_apply() {
    let kubectl = Kubectl::new().await;
    kubectl.with("apply -f -", &deployment("replicas: 2, ", "{a: '1', b: '2'}"), &["created"]).await;
    let entries = "get deployment d --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}";
    kubectl.ok(entries, &["kubectl-client-side-apply"]).await;
    kubectl.with("apply --server-side -f -", &deployment("replicas: 3, ", "{a: '1'}"), &["serverside-applied"]).await;
    // kubectl moves the fields of client-side apply to its new manager, so that a field can be removed.
    assert_eq!(kubectl.ok(entries, &[]).await, "kubectl-last-applied kubectl");
    kubectl.ok("get deployment d -o jsonpath={.metadata.labels}", &["{\"a\":\"1\"}"]).await;
}
