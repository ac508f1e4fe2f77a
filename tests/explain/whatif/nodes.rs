//! Questions about nodes that are removed, drained or added.

use berth_analysis::whatif::{AddNodes, PodRole, PodState, Question, WhatIfError, WhatIfLimits, text};
use serde_json::{Value, json};

use super::{ask, of_role, owned, states, try_ask};
use crate::stock::{node_object, pod_object};

fn budget(name: &str, selector: Value, allowed: i64) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"namespace": "default", "name": name},
        "spec": {"selector": selector}, "status": {"disruptionsAllowed": allowed},
    })
}

fn labelled(name: &str, node: &str, kind: &str) -> Value {
    owned(name, node, kind, json!({"metadata": {"labels": {"app": "web"}}}))
}

#[test]
fn a_drain_moves_pods_with_a_controller_and_meets_budgets() {
    let selector = json!({"matchLabels": {"app": "web"}});
    let cluster = [
        node_object("a", json!({})),
        node_object("b", json!({"status": {"allocatable": {"cpu": "1"}}})),
        labelled("web-1", "a", "ReplicaSet"),
        labelled("web-2", "a", "ReplicaSet"),
        labelled("agent", "a", "DaemonSet"),
        pod_object("bare", json!({"spec": {"nodeName": "a"}})),
        pod_object(
            "static",
            json!({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}, "spec": {"nodeName": "a"}}),
        ),
        budget("some", selector.clone(), 1),
        budget("other", json!({"matchLabels": {"app": "other"}}), 0),
    ];
    let drain = Question { drain: vec!["a".into()], ..Question::default() };
    let answer = ask(&cluster, &drain);
    assert_eq!(answer.answer, "No: 1 of 3 pods that leave their nodes fit.");
    let states = states(&answer);
    assert_eq!(states.keys().copied().collect::<Vec<_>>(), ["bare", "web-1", "web-2"]);
    assert_eq!(states["bare"], (PodState::NotRecreated, None));
    assert_eq!(states["web-1"], (PodState::Placed, Some("b")));
    assert_eq!(states["web-2"].0, PodState::Pending);
    let moved = of_role(&answer, PodRole::Moved);
    assert!(moved.iter().all(|pod| pod.from.as_deref() == Some("a")));
    let pending = moved.iter().find(|pod| pod.state == PodState::Pending).expect("a pending pod");
    assert!(pending.reason.as_deref().is_some_and(|reason| !reason.contains("has node")), "{pending:?}");
    let [found] = &answer.disruption_budgets[..] else { panic!("{:?}", answer.disruption_budgets) };
    assert_eq!((found.name.as_str(), found.allowed, found.evicted, found.blocks), ("some", 1, 2, false));
    assert!(
        text::answer(&answer, false)
            .contains("PodDisruptionBudget default/some allows 1 eviction now, and the drain needs 2")
    );
    assert_eq!(answer.nodes, 2);
}

#[test]
fn a_budget_that_allows_nothing_blocks_a_drain() {
    let cluster = [
        node_object("a", json!({})),
        node_object("b", json!({})),
        labelled("web-1", "a", "ReplicaSet"),
        budget("none", json!({}), 0),
        budget("twice", json!({"matchLabels": {"app": "web"}}), 5),
    ];
    let drained = ask(&cluster, &Question { drain: vec!["a".into()], ..Question::default() });
    assert!(!drained.fits);
    assert_eq!(
        drained.answer,
        "No: the pod that leaves its node fits; a PodDisruptionBudget allows no eviction now: none."
    );
    assert!(drained.notes.iter().any(|note| note.contains("2 PodDisruptionBudgets select it")), "{:?}", drained.notes);
    // A machine that fails asks no budget.
    let removed = ask(&cluster, &Question { remove_nodes: vec!["a".into()], ..Question::default() });
    assert!(removed.fits && removed.disruption_budgets.is_empty(), "{removed:?}");
    assert_eq!((removed.nodes, states(&removed)["web-1"]), (1, (PodState::Placed, Some("b"))));
}

#[test]
fn added_nodes_are_like_their_model() {
    let full = json!({"status": {"allocatable": {"cpu": "2"}}, "spec": {"unschedulable": true, "taints": [
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, {"key": "gpu", "effect": "NoSchedule"},
    ]}});
    let tolerates = json!({"spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}});
    let cluster = [
        node_object("a", full),
        owned("agent", "a", "DaemonSet", json!({})),
        pod_object("waits-1", tolerates.clone()),
        pod_object("waits-2", tolerates),
        pod_object("waits-3", json!({})),
    ];
    let add = |count| Question { add_nodes: Some(AddNodes { count, like: "a".into() }), ..Question::default() };
    let answer = ask(&cluster, &add(2));
    assert_eq!(answer.answer, "No: 2 of 3 pending pods fit; without the change, 0 would.");
    // The DaemonSet's pod takes half of each new node, and each node keeps the taint that is no condition.
    let states = states(&answer);
    let mut nodes: Vec<Option<&str>> = ["waits-1", "waits-2"].iter().map(|name| states[name].1).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [Some("a-new-1"), Some("a-new-2")]);
    assert_eq!((answer.nodes, states["waits-3"].0), (3, PodState::Pending));
    let few = WhatIfLimits { most_nodes: 1, ..WhatIfLimits::default() };
    let error = try_ask(&cluster, &add(2), None, few, usize::MAX).expect_err("too many nodes");
    assert!(matches!(error, WhatIfError::TooManyNodes(1)), "{error}");
}

#[test]
fn a_removed_node_can_be_replaced_by_another_kind() {
    let cluster = [
        node_object("old", json!({"status": {"allocatable": {"cpu": "2"}}})),
        node_object("big", json!({"metadata": {"labels": {"size": "big"}}})),
        owned("web-1", "old", "ReplicaSet", json!({})),
        owned(
            "full",
            "big",
            "ReplicaSet",
            json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "4"}}}]}}),
        ),
    ];
    let remove = Question { remove_nodes: vec!["old".into()], ..Question::default() };
    assert!(!ask(&cluster, &remove).fits);
    let replace = Question { add_nodes: Some(AddNodes { count: 1, like: "big".into() }), ..remove };
    assert_eq!(states(&ask(&cluster, &replace))["web-1"], (PodState::Placed, Some("big-new-1")));
}

#[test]
fn an_unknown_node_is_an_error_with_the_similar_name() {
    let cluster = [node_object("node-1", json!({}))];
    for question in [
        Question { drain: vec!["nod-1".into()], ..Question::default() },
        Question { remove_nodes: vec!["nod-1".into()], ..Question::default() },
        Question { add_nodes: Some(AddNodes { count: 1, like: "nod-1".into() }), ..Question::default() },
    ] {
        let error = try_ask(&cluster, &question, None, WhatIfLimits::default(), usize::MAX).expect_err("no such node");
        assert_eq!(error.to_string(), r#"there is no node "nod-1" in the cluster; did you mean node-1?"#);
    }
}

#[test]
fn a_pending_pod_that_loses_its_place_is_named() {
    let cluster = [node_object("a", json!({})), pod_object("waiting", json!({}))];
    let answer = ask(&cluster, &Question { drain: vec!["a".into()], ..Question::default() });
    assert!(!answer.fits);
    assert_eq!(
        answer.answer,
        "No: there is no pod that leaves its node; 1 pending pod that would fit now would not fit any more."
    );
}
