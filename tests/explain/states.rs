//! Each state of a pod has an answer of its own.

use berth_analysis::{ChangeKind, Explanation, PermitWait, PodRef, PodStatus, Sandbox, State, explain, text};
use berth_core::extenders::Extender;
use serde_json::{Value, json};

use crate::stock::{NOW, copy, node_object, pod_object, sandbox};

fn explained(sandbox: &mut Sandbox, pod: &Value, status: PodStatus) -> Explanation {
    let explanation = explain(sandbox, pod, status).expect("a valid pod");
    println!("{}", text::explanation(&explanation));
    explanation
}

fn two_nodes() -> Sandbox {
    sandbox(&copy(&[node_object("a", json!({})), node_object("b", json!({}))]))
}

#[test]
fn a_pod_of_another_scheduler_has_the_similar_name() {
    let pod = pod_object("p", json!({"spec": {"schedulerName": "defualt-scheduler"}}));
    let explanation = explained(&mut two_nodes(), &pod, PodStatus::default());
    assert_eq!(explanation.state, State::AnotherScheduler);
    assert!(explanation.reason.ends_with("did you mean default-scheduler?"), "{}", explanation.reason);
    let suggestion = &explanation.suggestions[0];
    assert_eq!((suggestion.change.kind, suggestion.nodes), (ChangeKind::FixSchedulerName, 2));
}

#[test]
fn a_gated_pod_has_its_gates() {
    let pod = pod_object("p", json!({"spec": {"schedulingGates": [{"name": "quota"}]}}));
    let explanation = explained(&mut two_nodes(), &pod, PodStatus::default());
    assert_eq!((explanation.state, explanation.plugin.as_deref()), (State::Gated, Some("SchedulingGates")));
    assert_eq!(explanation.next_step, "Remove the scheduling gate quota; then the pod can be scheduled.");
}

#[test]
fn equal_scores_are_a_tie() {
    let explanation = explained(&mut two_nodes(), &pod_object("p", json!({})), PodStatus::default());
    assert_eq!((explanation.state, explanation.ties, explanation.margin), (State::Fits, 2, None));
    assert!(explanation.reason.contains("2 nodes have the highest score"), "{}", explanation.reason);
}

#[test]
fn a_bound_pod_on_one_of_several_equal_nodes_has_the_highest_score() {
    let pod = pod_object("p", json!({"spec": {"nodeName": "b"}}));
    let mut sandbox = sandbox(&copy(&[node_object("a", json!({})), node_object("b", json!({})), pod.clone()]));
    let explanation = explained(&mut sandbox, &pod, PodStatus::default());
    assert_eq!(explanation.reason, "The pod has node b; it is one of 2 nodes with the highest score now.");
    assert_eq!(explanation.next_step, "Nothing to do.");
}

#[test]
fn extenders_that_were_not_asked_are_named() {
    let extender =
        |name: &str, managed_resources| Extender { name: name.into(), managed_resources, ..Extender::default() };
    let mut sandbox = two_nodes();
    sandbox.set_extenders(vec![
        extender("http://all.example", Vec::new()),
        extender("http://gpus.example", vec!["example.com/gpu".into()]),
    ]);
    let status = PodStatus { sub_queue: Some("unschedulable".into()), ..PodStatus::default() };
    let explanation = explained(&mut sandbox, &pod_object("p", json!({})), status);
    assert_eq!(explanation.state, State::Fits);
    assert_eq!(explanation.extenders_not_asked, ["http://all.example"]);
    assert!(explanation.evidence.iter().any(|sentence| sentence.ends_with("http://all.example.")), "{explanation:?}");
    // Without the extender's answer, it is not certain that the next attempt succeeds.
    assert!(explanation.next_step.contains("extenders"), "{}", explanation.next_step);
}

#[test]
fn a_bound_pod_does_not_count_against_itself() {
    let pod = pod_object(
        "p",
        json!({"spec": {"nodeName": "a",
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}),
    );
    let mut sandbox = sandbox(&copy(&[node_object("a", json!({})), node_object("b", json!({})), pod.clone()]));
    let explanation = explained(&mut sandbox, &pod, PodStatus::default());
    assert_eq!(explanation.state, State::Bound);
    assert_eq!(explanation.current.expect("a node").rank, Some(1));
    assert_eq!(sandbox.pod("p").expect("still there").node_name.as_ref(), "a");
}

#[test]
fn a_waiting_pod_names_the_plugin_and_the_time() {
    let wait = PermitWait { plugin: "Quota".into(), since: Some(NOW.0 - 240_000), until: Some(NOW.0 + 60_000) };
    let status = PodStatus { permit_waits: vec![wait], reserved_node: Some("a".into()), ..PodStatus::default() };
    let explanation = explained(&mut two_nodes(), &pod_object("p", json!({})), status);
    assert_eq!(explanation.state, State::WaitsForPermission);
    assert_eq!(explanation.reason, "The pod waits for permission from plugin Quota since 4 min; node a is reserved.");
}

#[test]
fn a_preempting_pod_names_its_victims() {
    let victim = PodRef { namespace: "default".into(), name: "victim".into(), uid: "victim".into() };
    let status = PodStatus { nominated_node: Some("a".into()), victims: vec![victim], ..PodStatus::default() };
    let explanation = explained(&mut two_nodes(), &pod_object("p", json!({})), status);
    assert_eq!(explanation.state, State::AwaitsVictims);
    assert_eq!(explanation.reason, "The pod preempts 1 pod on node a and waits until they have left (default/victim).");
}

#[test]
fn a_cluster_without_nodes_is_the_reason() {
    let explanation = explained(&mut sandbox(&copy(&[])), &pod_object("p", json!({})), PodStatus::default());
    assert_eq!((explanation.state, explanation.reason.as_str()), (State::NoNodes, "The cluster has no nodes."));
}
