//! The fewest nodes that still run all pods.

use berth_analysis::whatif::{Answer, Compact, Question, WhatIfError, WhatIfLimits};
use serde_json::{Value, json};

use super::{ask, owned, try_ask};
use crate::stock::{node_object, pod_object};

fn compact(seed: u64, trials: usize) -> Question {
    Question { compact: Some(Compact { seed, trials }), ..Question::default() }
}

/// Returns ten nodes of 4 CPU with one pod of 1 CPU each, and a DaemonSet's pod of 100m.
fn cluster() -> Vec<Value> {
    let agent = json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "100m"}}}]}});
    let all = (0..10).flat_map(|number| {
        let node = format!("n-{number}");
        [
            node_object(&node, json!({})),
            owned(&format!("web-{number}"), &node, "ReplicaSet", json!({})),
            owned(&format!("agent-{number}"), &node, "DaemonSet", agent.clone()),
        ]
    });
    all.collect()
}

#[test]
fn equal_nodes_are_filled() {
    let answer = ask(&cluster(), &compact(0, 3));
    let found = answer.compaction.as_ref().expect("a compaction");
    // Three pods fit beside the pod of the DaemonSet.
    assert_eq!((found.nodes, found.pods, &found.trials[..]), (10, 10, &[4, 4, 4][..]));
    assert_eq!((found.median, found.percentile90, found.removable.len()), (Some(4), Some(4), 6));
    assert!(answer.fits && found.picky.is_empty());
    assert_eq!(
        answer.answer,
        "10 running pods fit on 4 of 10 nodes (90th percentile of 3 trials; median 4): 60 % of the nodes are free."
    );
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let removable = |seed| {
        let answer: Answer = ask(&cluster(), &compact(seed, 2));
        answer.compaction.expect("a compaction").removable
    };
    assert_eq!(removable(7), removable(7));
    assert_ne!(removable(7), removable(8));
}

#[test]
fn nodes_that_a_pod_needs_stay() {
    let mut objects = cluster();
    let selector = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "n-3"}}});
    objects.push(owned("pinned", "n-3", "StatefulSet", selector));
    // A pod of another scheduler is not moved.
    objects.push(pod_object("foreign", json!({"spec": {"nodeName": "n-5", "schedulerName": "another"}})));
    // A pod that no node accepts any more is no reason to keep all nodes.
    objects.push(owned("picky", "n-6", "StatefulSet", json!({"spec": {"nodeSelector": {"gone": "yes"}}})));
    let answer = ask(&objects, &compact(1, 3));
    let found = answer.compaction.expect("a compaction");
    assert!(!found.removable.iter().any(|node| node == "n-3" || node == "n-5"), "{found:?}");
    assert_eq!(found.picky.iter().map(|pod| pod.name.as_str()).collect::<Vec<_>>(), ["picky"]);
    // 12 pods with 1 CPU each, three to a node.
    assert_eq!(found.trials, [4, 4, 4]);
    assert!(!answer.fits);
}

#[test]
fn the_trials_within_the_time_count() {
    let limits = WhatIfLimits::default();
    let all = |most| try_ask(&cluster(), &compact(0, 50), None, limits, most);
    assert!(matches!(all(5), Err(WhatIfError::Stopped { .. })));
    let found = all(200).expect("some trials").compaction.expect("a compaction");
    assert!(found.unfinished > 0 && !found.trials.is_empty(), "{found:?}");
    assert_eq!(found.trials.len() + found.unfinished, 50);
}

#[test]
fn a_compaction_excludes_other_changes() {
    let question = Question { drain: vec!["n-0".into()], ..compact(0, 1) };
    let error = try_ask(&cluster(), &question, None, WhatIfLimits::default(), usize::MAX).expect_err("combined");
    assert!(matches!(error, WhatIfError::Combined), "{error}");
}
