//! Questions about new pods and about policies.

use berth_analysis::whatif::{PodRole, PodState, Question, WhatIfError, WhatIfLimits, text};
use serde_json::{Value, json};

use super::{ask, deployment, of_role, owned, states, try_ask};
use crate::stock::{node_object, pod_object, specs};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

fn create(manifests: &[Value]) -> Question {
    Question { manifests: manifests.to_vec(), ..Question::default() }
}

/// Returns affinity or anti-affinity to the pods of an app, by host.
fn affinity(field: &str, app: &str) -> Value {
    let term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}});
    json!({"affinity": {(field): {(REQUIRED): [term]}}})
}

#[test]
fn pods_of_a_workload_fit_and_further_ones_are_counted() {
    let nodes = [node_object("a", json!({})), node_object("b", json!({}))];
    let running = pod_object("r", json!({"spec": {"nodeName": "a"}}));
    let cluster = [nodes[0].clone(), nodes[1].clone(), running];
    let answer = ask(&cluster, &create(&[deployment("web", 3, json!({}))]));
    assert!(answer.fits);
    assert_eq!(answer.answer, "Yes: the 3 new pods fit.");
    assert_eq!(answer.pods.len(), 3);
    let [workload] = &answer.workloads[..] else { panic!("{:?}", answer.workloads) };
    assert_eq!(
        (workload.workload.as_str(), workload.pods, workload.placed, workload.more),
        ("Deployment/web", 3, 3, Some(4))
    );
    assert_eq!(workload.more_reason.as_deref(), Some("0/2 nodes are available: 2 Insufficient cpu."));
    let shown = text::answer(&answer, false);
    assert!(shown.starts_with("Yes: the 3 new pods fit.\n\nNAMESPACE"), "{shown}");
    assert!(shown.contains("reserves nothing"), "{shown}");
}

#[test]
fn what_is_missing_is_the_reason_of_an_explanation() {
    let cluster = [node_object("a", json!({})), node_object("b", json!({"status": {"allocatable": {"cpu": "2"}}}))];
    let answer = ask(&cluster, &create(&[deployment("web", 6, json!({})), deployment("api", 2, json!({}))]));
    assert_eq!(answer.answer, "No: 6 of 8 new pods fit.");
    let pending = answer.pods.iter().find(|pod| pod.state == PodState::Pending).expect("a pending pod");
    assert_eq!(pending.plugin.as_deref(), Some("NodeResourcesFit"));
    assert!(pending.reason.as_deref().is_some_and(|reason| reason.contains("cpu")), "{pending:?}");
    assert!(pending.next_step.is_some());
    assert_eq!(answer.workloads[1].more, Some(0));
    assert!(text::answer(&answer, true).contains("Without a node: default/api-0, default/api-1"));
}

#[test]
fn later_pods_see_earlier_pods() {
    let cluster = [node_object("a", json!({})), node_object("b", json!({}))];
    let apart = ask(&cluster, &create(&[deployment("web", 3, affinity("podAntiAffinity", "web"))]));
    assert_eq!(apart.answer, "No: 2 of 3 new pods fit.");
    assert_eq!(apart.pods[2].plugin.as_deref(), Some("InterPodAffinity"));
    // The first pod fits once the second one has a node.
    let together = [deployment("front", 1, affinity("podAffinity", "back")), deployment("back", 1, json!({}))];
    let together = ask(&cluster, &create(&together));
    assert!(together.fits, "{together:?}");
    assert_eq!(states(&together)["front-0"], states(&together)["back-0"]);
}

#[test]
fn pending_pods_compete_with_new_pods() {
    let cluster = [
        node_object("a", json!({"status": {"allocatable": {"cpu": "2"}}})),
        pod_object("waiting", json!({"spec": {"priority": 5}})),
        pod_object("other", json!({"spec": {"schedulerName": "another"}})),
    ];
    let answer = ask(&cluster, &create(&[deployment("web", 2, json!({}))]));
    assert_eq!(answer.answer, "No: 1 of 2 new pods fit.");
    assert_eq!(states(&answer)["waiting"], (PodState::Placed, Some("a")));
    assert_eq!(states(&answer)["other"].0, PodState::AnotherScheduler);
    let alone = ask(&cluster, &Question::default());
    assert_eq!((alone.answer.as_str(), alone.fits), ("Yes: the pending pod fits.", true));
}

#[test]
fn a_gated_pod_is_pending_with_its_gate() {
    let gated = pod_object("gated", json!({"spec": {"schedulingGates": [{"name": "later"}]}}));
    let answer = ask(&[node_object("a", json!({})), gated], &Question::default());
    assert_eq!(answer.answer, "No: the pending pod does not fit.");
    assert!(answer.pods[0].reason.as_deref().is_some_and(|reason| reason.contains("SchedulingGates")), "{answer:?}");
}

#[test]
fn preemption_is_off_unless_it_is_asked_for() {
    let low = |number: usize| owned(&format!("low-{number}"), "a", "ReplicaSet", json!({"spec": {"priority": 1}}));
    let mut cluster: Vec<Value> = (0..4).map(low).collect();
    cluster.push(node_object("a", json!({})));
    let mut question = create(&[deployment("web", 1, json!({"priority": 9}))]);
    let answer = ask(&cluster, &question);
    assert!(!answer.fits && answer.pods[0].victims.is_empty(), "{answer:?}");
    question.preempt = true;
    let answer = ask(&cluster, &question);
    assert!(answer.fits, "{answer:?}");
    assert_eq!(answer.pods[0].victims.len(), 1);
    assert_eq!(answer.answer, "Yes: the new pod fits; 1 pod would be preempted.");
}

#[test]
fn priority_classes_and_claims_of_the_manifests_count() {
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9});
    let storage = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer",
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    });
    let cluster = [node_object("a", json!({"status": {"allocatable": {"cpu": "1"}}})), class, storage];
    let claim = json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let mut set = deployment("db", 2, json!({"priorityClassName": "high"}));
    set["kind"] = "StatefulSet".into();
    set["spec"]["volumeClaimTemplates"] = json!([claim]);
    let answer = ask(&cluster, &create(&[deployment("web", 1, json!({})), set]));
    // The pods of the higher priority come first, although the manifest has them last.
    let placed: Vec<&str> =
        answer.pods.iter().filter(|pod| pod.state == PodState::Placed).map(|pod| pod.pod.name.as_str()).collect();
    assert_eq!(placed, ["db-0"], "{answer:?}");
    assert_eq!(answer.workloads[1].placed, 1);
}

#[test]
fn a_changed_policy_is_compared_with_the_present_one() {
    let tainted = json!({"spec": {"taints": [{"key": "team", "value": "x", "effect": "NoSchedule"}]}});
    let cluster = [node_object("a", tainted), pod_object("waiting", json!({}))];
    let mut changed = specs();
    let points = &mut changed[0].points;
    for enabled in [&mut points.filter, &mut points.pre_filter] {
        enabled.retain(|plugin| *plugin.name != *"TaintToleration");
    }
    let limits = WhatIfLimits::default();
    let answer = try_ask(&cluster, &Question::default(), Some(&changed), limits, usize::MAX).expect("an answer");
    assert_eq!(answer.answer, "Yes: the pending pod fits; without the change, it would not.");
    assert_eq!(answer.pods[0].fits_now, Some(false));
}

#[test]
fn the_work_is_bounded() {
    let cluster = [node_object("a", json!({}))];
    let question = create(&[deployment("web", 3, json!({}))]);
    let small = WhatIfLimits { most_pods: 2, ..WhatIfLimits::default() };
    let error = try_ask(&cluster, &question, None, small, usize::MAX).expect_err("too many pods");
    assert!(matches!(error, WhatIfError::TooManyPods(2)), "{error}");
    let error = try_ask(&cluster, &question, None, WhatIfLimits::default(), 2).expect_err("no time");
    assert!(matches!(error, WhatIfError::Stopped { attempts: 2 }), "{error}");
    let few = WhatIfLimits { most_more: 0, ..WhatIfLimits::default() };
    let answer = try_ask(&cluster, &question, None, few, usize::MAX).expect("an answer");
    assert_eq!((answer.workloads[0].more, answer.workloads[0].more_is_limited), (Some(0), true));
    assert_eq!(of_role(&answer, PodRole::New).len(), 3);
}
