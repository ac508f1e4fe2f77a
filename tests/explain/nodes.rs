//! Questions about a single node and about all nodes.

use berth_analysis::{ChangeKind, ExplainError, all_nodes, text, why_not};
use serde_json::json;

use crate::stock::{copy, node_object, pod_object, sandbox};

#[test]
fn every_filter_in_the_way_is_named_with_its_change() {
    let full = json!({"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}, "status": {"allocatable": {"cpu": "500m"}}});
    let cluster = [node_object("a", full), node_object("b", json!({}))];
    let pod = pod_object("p", json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "b"}}}));
    let why = why_not(&mut sandbox(&copy(&cluster)), &pod, "a").expect("a node");
    println!("{}", text::why_not(&why));
    let filters: Vec<(&str, ChangeKind)> =
        why.filters.iter().map(|filter| (filter.plugin.as_str(), filter.suggestions[0].change.kind)).collect();
    assert_eq!(
        filters,
        [
            ("TaintToleration", ChangeKind::AddToleration),
            ("NodeAffinity", ChangeKind::FixNodeSelectorValue),
            ("NodeResourcesFit", ChangeKind::LowerRequest),
        ]
    );
    assert_eq!(why.filters[2].suggestions[0].change.to, Some(json!("500m")));
    assert_eq!(why.reason, "Node a does not fit: TaintToleration and NodeAffinity and NodeResourcesFit reject it.");
}

#[test]
fn a_node_that_fits_has_the_points_that_it_lost() {
    let cluster = [
        node_object("a", json!({})),
        node_object("b", json!({})),
        pod_object("running", json!({"spec": {"nodeName": "b"}})),
    ];
    let why = why_not(&mut sandbox(&copy(&cluster)), &pod_object("p", json!({})), "b").expect("a node");
    println!("{}", text::why_not(&why));
    assert_eq!((why.rank, why.fitting), (Some(2), 2));
    let (best, score) = (why.best.expect("a best node"), why.score.expect("scores"));
    assert_eq!(why.lost.iter().map(|lost| lost.points).sum::<i64>(), best.total - score.total);
    assert_eq!(best.scores.iter().map(|points| points.weighted).sum::<i64>(), best.total);
    assert_eq!(best.node, "a");
}

#[test]
fn an_unknown_node_is_an_error_with_the_similar_name() {
    let cluster = copy(&[node_object("node-1", json!({}))]);
    let error = why_not(&mut sandbox(&cluster), &pod_object("p", json!({})), "nod-1").expect_err("no such node");
    assert!(matches!(error, ExplainError::NoSuchNode(..)));
    assert_eq!(error.to_string(), r#"there is no node "nod-1" in the cluster; did you mean node-1?"#);
}

#[test]
fn all_nodes_have_a_verdict_of_each_filter() {
    let cluster = [
        node_object("a", json!({"spec": {"unschedulable": true, "taints": [{"key": "gpu", "effect": "NoSchedule"}]}})),
        node_object("b", json!({})),
        node_object("c", json!({"spec": {"unschedulable": true}})),
    ];
    let all = all_nodes(&mut sandbox(&copy(&cluster)), &pod_object("p", json!({}))).expect("a profile");
    println!("{}", text::all_nodes(&all));
    let rows: Vec<(&str, Vec<&str>)> = all
        .nodes
        .iter()
        .map(|row| {
            (row.node.as_str(), row.verdicts.iter().flatten().map(|at| all.reasons[*at].plugin.as_str()).collect())
        })
        .collect();
    assert_eq!(
        rows,
        [("b", vec![]), ("c", vec!["NodeUnschedulable"]), ("a", vec!["NodeUnschedulable", "TaintToleration"]),]
    );
    assert!(all.nodes[0].total.is_some() && all.nodes[1].total.is_none());
    assert!(all.nodes.iter().all(|row| row.verdicts.len() == all.filters.len()));
}
