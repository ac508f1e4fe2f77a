//! A sandbox answers as its source does, and can undo every change.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_analysis::{Answers, ClusterCopy, NodeAnswer, Sandbox};
use berth_core::Timestamp;
use berth_core::cycle::Failure;
use berth_core::model::{Node, Pod, PodKey};
use serde_json::json;

use crate::stock::{NOW, copy, node_object, pod, pod_object, sandbox};

/// The nodes that fit with their totals, and the others with the first reason, by name.
type Summary = (BTreeMap<String, i64>, BTreeMap<String, String>);

fn summary(sandbox: &mut Sandbox, pod: &Arc<Pod>) -> Summary {
    let answers = sandbox.explain(pod).expect("a profile");
    let name = |id| sandbox.core().cache().node(id).expect("a node").node.name.to_string();
    let fits = answers.outcome.iter().flatten().map(|(id, total)| (name(*id), *total)).collect();
    let rejected = answers.nodes.iter().filter_map(|(id, answer)| match answer {
        NodeAnswer::Passed => None,
        NodeAnswer::Rejected { status, .. } => Some((name(*id), status.reasons.join(", "))),
    });
    (fits, rejected.collect())
}

fn cluster() -> ClusterCopy {
    copy(&[
        node_object("a", json!({})),
        node_object("b", json!({"spec": {"taints": [{"key": "team", "value": "x", "effect": "NoSchedule"}]}})),
        node_object("c", json!({"spec": {"unschedulable": true}})),
        pod_object("running", json!({"spec": {"nodeName": "a"}})),
        pod_object("waiting", json!({})),
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"namespace": "default", "name": "data", "uid": "data"},
               "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": ""}, "status": {"phase": "Pending"}}),
    ])
}

#[test]
fn a_copy_of_a_core_answers_as_the_core() {
    let mut first = sandbox(&cluster());
    let asked = pod(&pod_object("p", json!({})));
    let (fits, rejected) = summary(&mut first, &asked);
    assert_eq!(fits.keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(rejected["b"], "node(s) had untolerated taint(s)");
    assert_eq!(rejected["c"], "node(s) were unschedulable");
    let again = ClusterCopy::of(first.core());
    assert_eq!((again.nodes.len(), again.pods.len(), again.objects.len()), (3, 1, 1));
    let mut second = sandbox(&again);
    assert_eq!((first.left_out(), second.left_out()), (&[][..], &[][..]));
    assert_eq!(summary(&mut second, &asked), (fits, rejected));
}

#[test]
fn the_pods_of_a_copy_count_as_they_do_in_the_core() {
    let mut source = sandbox(&cluster());
    let waiting = pod_object("waiting", json!({"status": {"nominatedNodeName": "a"}, "spec": {"priority": 5}}));
    let other = pod_object("other", json!({"spec": {"schedulerName": "another"}}));
    source.add_pending(&[pod(&waiting), pod(&other)]);
    let again = ClusterCopy::of(source.core());
    let names: Vec<(&str, &str)> =
        again.pending.iter().map(|pod| (&*pod.key.name, &*pod.nominated_node_name)).collect();
    assert_eq!(names, [("other", ""), ("waiting", "a")]);
    // Node a has 4 CPU, one is used and one is nominated.
    let asked = pod(&pod_object(
        "p",
        json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}),
    ));
    let answers = sandbox(&again).explain(&asked).expect("a profile");
    let node = sandbox(&again).core().cache().node_id("a").expect("node a");
    let Some(NodeAnswer::Rejected { status, with_nominated, .. }) = answers.nodes.get(&node) else {
        panic!("{answers:?}")
    };
    assert!(*with_nominated);
    assert_eq!(&*status.reasons[0], "Insufficient cpu");
}

#[test]
fn every_change_can_be_undone() {
    let mut sandbox = sandbox(&cluster());
    let asked = pod(&pod_object("p", json!({})));
    let before = summary(&mut sandbox, &asked);
    let start = sandbox.position();
    let node = |name: &str| {
        let cache = sandbox.core().cache();
        Node::clone(&cache.node(cache.node_id(name).expect("known")).expect("a node").node)
    };
    let (tainted, cordoned) = (node("b"), node("c"));
    sandbox.set_node(Arc::new(Node { taints: Vec::new(), ..tainted }));
    sandbox.set_node(Arc::new(Node { unschedulable: false, ..cordoned.clone() }));
    sandbox.set_node(Arc::new(Node { name: "d".into(), uid: "d".into(), unschedulable: false, ..cordoned }));
    assert_eq!(summary(&mut sandbox, &asked).0.keys().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let middle = sandbox.position();
    sandbox.remove_node("a");
    sandbox.remove_pod(&PodKey { namespace: "default".into(), name: "running".into(), uid: "running".into() });
    let object = sandbox.core().cache().objects().iter().next().expect("a claim").1.object.key.clone();
    sandbox.remove_object(&object);
    // A pending pod gets a node and is pending again after the undo.
    sandbox.add_pending(&[pod(&pod_object("late", json!({})))]);
    sandbox.set_pod(pod(&pod_object("late", json!({"spec": {"nodeName": "b"}}))));
    assert_eq!(summary(&mut sandbox, &asked).0.keys().collect::<Vec<_>>(), ["b", "c", "d"]);
    assert_eq!(sandbox.pod("late").expect("known").node_name.as_ref(), "b");
    sandbox.revert_to(middle);
    assert_eq!(summary(&mut sandbox, &asked).0.keys().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert!(sandbox.pod("late").is_none() && sandbox.pod("running").is_some());
    assert!(sandbox.core().cache().objects().by_key(&object).is_some());
    sandbox.revert_to(start);
    assert_eq!(summary(&mut sandbox, &asked), before);
}

#[test]
fn a_pod_of_another_scheduler_has_no_answer() {
    let mut sandbox = sandbox(&cluster());
    let asked = pod(&pod_object("p", json!({"spec": {"schedulerName": "another"}})));
    assert!(sandbox.explain(&asked).is_none() && sandbox.fits(&asked).is_none());
}

#[test]
fn a_question_without_scores_finds_the_same_nodes() {
    let mut sandbox = sandbox(&cluster());
    for (changes, fits) in [
        (json!({}), true),
        (json!({"spec": {"nodeSelector": {"none": "1"}}}), false),
        (json!({"spec": {"tolerations": [{"operator": "Exists"}]}}), true),
    ] {
        let asked = pod(&pod_object("p", changes));
        let Answers { outcome, .. } = sandbox.explain(&asked).expect("a profile");
        let with_scores = outcome.map(|nodes| nodes.into_iter().map(|(node, _)| node).collect::<Vec<_>>());
        let quick = sandbox.fits(&asked).expect("a profile");
        assert_eq!(quick, with_scores);
        assert_eq!(quick.is_ok(), fits, "{asked:?}");
        if let Err(failure) = quick {
            assert!(matches!(failure, Failure::Unschedulable(..)), "{failure}");
        }
    }
}

#[test]
fn a_plugin_without_its_objects_is_left_out_by_name() {
    let mut copy = cluster();
    copy.kinds.retain(|reads| *reads.kind.kind != *"CSIDriver");
    assert_eq!(sandbox(&copy).left_out(), ["VolumeBinding".into()]);
}

#[test]
fn a_sandbox_follows_a_newer_copy() {
    let mut sandbox = sandbox(&cluster());
    let asked = pod(&pod_object("p", json!({})));
    sandbox.remove_node("a");
    let newer = copy(&[
        node_object("a", json!({})),
        node_object("c", json!({})),
        node_object("d", json!({})),
        pod_object("running", json!({"spec": {"nodeName": "d"}})),
        pod_object("waiting", json!({"status": {"nominatedNodeName": "a"}})),
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"namespace": "default", "name": "other", "uid": "other"}}),
    ]);
    let later = Timestamp(NOW.0 + 1000);
    sandbox.update(&newer, later);
    let mut fresh = crate::stock::sandbox(&newer);
    assert_eq!(summary(&mut sandbox, &asked), summary(&mut fresh, &asked));
    let again = ClusterCopy::of(sandbox.core());
    assert_eq!((again.nodes.len(), again.pods.len(), again.pending.len(), again.objects.len()), (3, 1, 1, 1));
    assert_eq!((sandbox.now(), &*again.objects[0].key.name), (later, "other"));
    assert!(sandbox.core().nominations().node_of("waiting").is_some());
    // Back to the first cluster, in which the pod has no nomination.
    sandbox.update(&cluster(), later);
    assert_eq!(summary(&mut sandbox, &asked), summary(&mut crate::stock::sandbox(&cluster()), &asked));
    assert!(sandbox.core().nominations().is_empty());
}
