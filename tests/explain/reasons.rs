//! The dominant reason, the table and the suggestions for typical pods.

use berth_analysis::{ChangeKind, Explanation, PodStatus, RejectionKind, Sandbox, State, explain, text};
use serde_json::{Value, json};

use crate::stock::{copy, node_object, pod_object, sandbox};

/// Explains the pod, and checks what holds for every explanation.
fn explained(sandbox: &mut Sandbox, pod: &Value) -> Explanation {
    let explanation = explain(sandbox, pod, PodStatus::default()).expect("a valid pod");
    let rejected: usize = explanation.rejections.iter().map(|row| row.nodes).sum();
    assert_eq!(rejected + explanation.fitting, explanation.nodes, "{explanation:#?}");
    assert!(!explanation.reason.is_empty() && !explanation.next_step.is_empty(), "{explanation:#?}");
    let again = explain(sandbox, pod, PodStatus::default()).expect("a valid pod");
    assert_eq!(again, explanation, "a question changes nothing");
    let json = serde_json::to_value(&explanation).expect("JSON");
    assert_eq!(serde_json::from_value::<Explanation>(json).expect("the same type"), explanation);
    println!("{}", text::explanation(&explanation));
    explanation
}

fn cpu(amount: &str) -> Value {
    json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": amount}}}]}})
}

fn kinds(explanation: &Explanation) -> Vec<ChangeKind> {
    explanation.suggestions.iter().map(|suggestion| suggestion.change.kind).collect()
}

#[test]
fn a_resource_that_is_short_has_the_amount_and_the_closest_node() {
    let mut cluster = vec![
        node_object("small", json!({"status": {"allocatable": {"cpu": "1"}}})),
        node_object("tainted", json!({"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}})),
    ];
    for at in 0..3 {
        cluster.push(node_object(&format!("node-{at}"), json!({})));
        let mut running = pod_object(&format!("running-{at}"), cpu(&format!("{}", at + 1)));
        running["spec"]["nodeName"] = format!("node-{at}").into();
        cluster.push(running);
    }
    let explanation = explained(&mut sandbox(&copy(&cluster)), &pod_object("p", cpu("3500m")));
    assert_eq!(explanation.state, State::NoNodeFits);
    assert_eq!(explanation.plugin.as_deref(), Some("NodeResourcesFit"));
    assert_eq!(
        explanation.reason,
        "No node fits: 4 nodes lack only cpu (the pod requests 3500m); the closest is node-0, 500m short."
    );
    let lower = &explanation.suggestions[0];
    assert_eq!(lower.change.kind, ChangeKind::LowerRequest);
    assert_eq!(lower.change.field, "spec.containers[0].resources.requests.cpu");
    assert_eq!((lower.change.from.clone(), lower.change.to.clone()), (Some(json!("3500m")), Some(json!("3"))));
    assert_eq!((lower.nodes, &lower.examples[..]), (1, &["node-0".to_owned()][..]));
    let toleration = &explanation.suggestions[1];
    assert_eq!(toleration.change.kind, ChangeKind::AddToleration);
    assert_eq!(toleration.text, "Add a toleration for the taint gpu:NoSchedule; then 1 node fits.");
    assert_eq!(explanation.next_step, lower.text);
}

#[test]
fn a_mistyped_selector_has_the_value_that_nodes_have() {
    let labels = |team: &str| json!({"metadata": {"labels": {"team": team}}});
    let cluster = [
        node_object("a", labels("A")),
        node_object("b", labels("A")),
        node_object("c", labels("blue")),
        node_object("d", json!({"metadata": {"labels": {"Team": "a"}}})),
    ];
    let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "w", "controller": true});
    let pod =
        pod_object("p", json!({"metadata": {"ownerReferences": [owner]}, "spec": {"nodeSelector": {"team": "a"}}}));
    let explanation = explained(&mut sandbox(&copy(&cluster)), &pod);
    assert_eq!(explanation.plugin.as_deref(), Some("NodeAffinity"));
    assert_eq!(explanation.reason, "No node fits: no node has label team=a; 2 nodes have team=A.");
    assert!(text::explanation(&explanation).contains("Change the pod in its controller (ReplicaSet web)"));
    let first = &explanation.suggestions[0];
    assert_eq!(first.change.kind, ChangeKind::FixNodeSelectorValue);
    assert_eq!(first.text, "Use team=A in spec.nodeSelector: no node has label team=a; 2 nodes have team=A.");
    assert_eq!(first.change.apply(&pod).expect("applies")["spec"]["nodeSelector"], json!({"team": "A"}));
    use ChangeKind::{FixNodeSelectorKey, FixNodeSelectorValue, LabelNode, RemoveNodeSelectorKey};
    assert_eq!(
        kinds(&explanation),
        [FixNodeSelectorValue, FixNodeSelectorValue, FixNodeSelectorKey, RemoveNodeSelectorKey, LabelNode]
    );
}

#[test]
fn a_label_that_no_node_has_is_the_reason() {
    let pod = pod_object("p", json!({"spec": {"nodeSelector": {"team": "a"}}}));
    let explanation = explained(&mut sandbox(&copy(&[node_object("n", json!({}))])), &pod);
    assert_eq!(explanation.reason, "No node fits: no node has label team=a.");
    assert_eq!(kinds(&explanation), [ChangeKind::RemoveNodeSelectorKey, ChangeKind::LabelNode]);
}

#[test]
fn nothing_is_suggested_if_no_single_change_helps() {
    let taints = json!({"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}});
    let pod = pod_object("p", json!({"spec": {"nodeSelector": {"none": "1"}}}));
    let explanation = explained(&mut sandbox(&copy(&[node_object("a", taints)])), &pod);
    assert_eq!(explanation.suggestions, []);
    assert_eq!(explanation.reason, "No node fits: TaintToleration rejects 1 node: node(s) had untolerated taint(s).");
    assert_eq!(explanation.evidence, Vec::<String>::new());
}

#[test]
fn a_taint_for_a_condition_is_not_tolerated_but_named() {
    let taint = |key: &str| json!({"spec": {"taints": [{"key": key, "effect": "NoSchedule"}]}});
    let cluster = [
        node_object("a", taint("node.kubernetes.io/not-ready")),
        node_object("b", json!({"spec": {"unschedulable": true}})),
    ];
    let explanation = explained(&mut sandbox(&copy(&cluster)), &pod_object("p", json!({})));
    assert_eq!(kinds(&explanation), [ChangeKind::Uncordon]);
    assert!(
        explanation
            .evidence
            .iter()
            .any(|sentence| sentence.starts_with("1 node has the taint node.kubernetes.io/not-ready")),
        "{:?}",
        explanation.evidence
    );
}

#[test]
fn a_pre_filter_that_excludes_nodes_is_a_row() {
    let affinity = json!({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
        {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]}}}}});
    let cluster = [
        node_object("a", json!({"spec": {"unschedulable": true}})),
        node_object("b", json!({})),
        node_object("c", json!({})),
    ];
    let explanation = explained(&mut sandbox(&copy(&cluster)), &pod_object("p", affinity));
    let rows: Vec<(RejectionKind, usize)> = explanation.rejections.iter().map(|row| (row.kind, row.nodes)).collect();
    assert_eq!(rows, [(RejectionKind::PreFilter, 2), (RejectionKind::Filter, 1)]);
    let message =
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].";
    assert_eq!(explanation.message.as_deref(), Some(message));
}

#[test]
fn nodes_that_are_not_looked_at_are_a_row() {
    let cluster: Vec<Value> = (0..200).map(|at| node_object(&format!("n{at}"), json!({}))).collect();
    let mut specs = crate::stock::specs();
    specs[0].percentage_of_nodes_to_score = Some(50);
    let copy = copy(&cluster);
    let mut sandbox =
        Sandbox::new(crate::stock::components(), specs, &copy, crate::stock::NOW).expect("the profile serves");
    let explanation = explained(&mut sandbox, &pod_object("p", json!({})));
    let rows: Vec<(RejectionKind, usize)> = explanation.rejections.iter().map(|row| (row.kind, row.nodes)).collect();
    assert_eq!((explanation.fitting, rows), (100, vec![(RejectionKind::NotLookedAt, 100)]));
}
