//! Tests after kube-scheduler's test cases, and tests with random changes of a cluster.

use std::collections::BTreeMap;

use Action::{DoNotSchedule, ScheduleAnyway};
use berth_guest::testing::{Host, NodeBuilder, PodBuilder, expression, node, pod, selector, spread, term};
use berth_guest::types::SelectorOperator::{Exists, In, NotIn};
use berth_guest::types::{Code, LabelSelector, NodeInclusionPolicy, SpreadConstraint};

use super::*;

mod defaults;
mod random;

const UNEVEN: &str = "node(s) didn't match pod topology spread constraints";
const MISSING: &str = "node(s) didn't match pod topology spread constraints (missing required label)";

/// Returns a host with two nodes in each of the zones a and b. The label `node` has the node's name.
fn host() -> Host<Plugin> {
    let mut host = Host::new();
    for (name, zone) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")] {
        host.node(in_zone(name, zone));
    }
    host
}

fn in_zone(name: &str, zone: &str) -> NodeBuilder {
    node(name).label("zone", zone).label("node", name)
}

fn web() -> PodBuilder {
    pod().label("app", "web")
}

fn webs() -> LabelSelector {
    selector([expression("app", In, ["web"])])
}

fn hard(key: &str, max_skew: i32) -> SpreadConstraint {
    spread(key, max_skew, DoNotSchedule, webs())
}

fn soft(key: &str, max_skew: i32) -> SpreadConstraint {
    spread(key, max_skew, ScheduleAnyway, webs())
}

/// Adds a copy of the pod to each of the named nodes.
fn put(host: &mut Host<Plugin>, pod: &PodBuilder, nodes: &str) {
    nodes.split_whitespace().for_each(|node| _ = host.resident(pod, node));
}

#[test]
fn max_skew_limits_the_difference_between_domains() {
    for (on, constraints, fits) in [
        ("", vec![hard("zone", 1)], "a1 a2 b1 b2"),
        ("a1", vec![hard("zone", 1)], "b1 b2"),
        ("a1 a2 b1", vec![hard("zone", 1)], "b1 b2"),
        ("a1 a2 b1 b1", vec![hard("zone", 1)], "a1 a2 b1 b2"),
        ("a1 a2", vec![hard("zone", 2)], "b1 b2"),
        ("a1 a2 b1", vec![hard("zone", 2)], "a1 a2 b1 b2"),
        ("a1 b1 b1", vec![hard("node", 1)], "a2 b2"),
        ("a1 a2 b1 b2 b2", vec![hard("node", 1)], "a1 a2 b1"),
        ("a1 b1 b1", vec![hard("zone", 1), hard("node", 1)], "a2"),
        ("a1 a2 b1 b1 b1", vec![hard("zone", 1), hard("node", 1)], ""),
        ("a1 a1", vec![soft("zone", 1)], "a1 a2 b1 b2"),
        ("a1 a1", vec![], "a1 a2 b1 b2"),
    ] {
        let mut host = host();
        put(&mut host, &web(), on);
        let incoming = constraints.iter().cloned().fold(web(), PodBuilder::spread);
        assert_eq!(host.fits(&incoming).join(" "), fits, "{on}: {constraints:?}");
    }
}

#[test]
fn a_pod_that_does_not_match_its_own_selector_does_not_count() {
    let mut host = host();
    put(&mut host, &web(), "a1");
    assert_eq!(host.fits(&pod().spread(hard("zone", 1))), ["a1", "a2", "b1", "b2"]);
    put(&mut host, &web(), "a2");
    assert_eq!(host.fits(&pod().spread(hard("zone", 1))), ["b1", "b2"]);
}

#[test]
fn only_selected_pods_count() {
    for others in [pod(), pod().label("app", "api"), web().namespace("other"), web().deleting()] {
        let mut host = host();
        put(&mut host, &others, "a1 a1 a1");
        assert_eq!(host.fits(&web().spread(hard("zone", 1))).len(), 4, "{others:?}");
    }
    let mut host = host();
    let leaving = host.resident(&web(), "a1");
    assert_eq!(host.fits(&web().spread(hard("zone", 1))), ["b1", "b2"]);
    host.change_resident(leaving, &web().deleting(), "a1");
    assert_eq!(host.fits(&web().spread(hard("zone", 1))).len(), 4);
}

#[test]
fn absent_and_empty_selectors_count_no_pods() {
    let mut host = host();
    put(&mut host, &web(), "a1 a1");
    let nothing = SpreadConstraint { selector: None, ..hard("zone", 1) };
    assert_eq!(host.fits(&web().spread(nothing)).len(), 4);
    assert_eq!(host.fits(&web().spread(spread("zone", 1, DoNotSchedule, selector([])))).len(), 4);
}

#[test]
fn a_node_without_the_label_is_unresolvable() {
    let mut host = host();
    host.node(node("nowhere").label("node", "nowhere"));
    let incoming = web().spread(hard("zone", 1)).spread(hard("node", 1));
    let code_and_reasons =
        |host: &mut Host<Plugin>, node| host.verdict(&incoming, node).map(|status| (status.code, status.reasons));
    assert_eq!(
        code_and_reasons(&mut host, "nowhere"),
        Some((Code::UnschedulableAndUnresolvable, vec![MISSING.to_owned()]))
    );
    put(&mut host, &web(), "a1");
    assert_eq!(code_and_reasons(&mut host, "a2"), Some((Code::Unschedulable, vec![UNEVEN.to_owned()])));
    assert_eq!(code_and_reasons(&mut host, "b1"), None);
    // A node without the label of one constraint doesn't count for the other constraint.
    put(&mut host, &web(), "nowhere b1 b2");
    assert_eq!(host.fits(&incoming), ["a2"]);
}

#[test]
fn fewer_domains_than_min_domains_set_the_minimum_to_0() {
    for (min_domains, fits) in [(1, 4), (2, 4), (3, 0)] {
        let mut host = host();
        put(&mut host, &web(), "a1 b1");
        let constraint = SpreadConstraint { min_domains, ..hard("zone", 1) };
        assert_eq!(host.fits(&web().spread(constraint)).len(), fits, "{min_domains}");
    }
}

#[test]
fn inclusion_policies_decide_which_nodes_count() {
    use NodeInclusionPolicy::{Honor, Ignore};
    let in_b_or_c = || term([expression("zone", In, ["b", "c"])]);
    let gpu = || in_zone("c1", "c").taint("gpu", "", TaintEffect::NoSchedule);
    let constraint = |node_affinity_policy, node_taints_policy| SpreadConstraint {
        node_affinity_policy,
        node_taints_policy,
        ..hard("zone", 1)
    };
    for (pod, policies, fits) in [
        // Zone c has no pods, so zone b may not get another pod.
        (web(), (Honor, Ignore), "c1"),
        (web(), (Honor, Honor), "a1 a2 b1 b2 c1"),
        (web().tolerate_everything(), (Honor, Honor), "c1"),
        (web().require(in_b_or_c()), (Honor, Honor), "a1 a2 b1 b2 c1"),
        (web().require(in_b_or_c()), (Ignore, Honor), "a1 a2 b1 b2 c1"),
        (web().node_selector("zone", "a"), (Honor, Ignore), "a1 a2 b1 b2 c1"),
        (web().node_selector("zone", "a"), (Ignore, Ignore), "c1"),
        (web().require(term([])), (Honor, Ignore), "a1 a2 b1 b2 c1"),
    ] {
        let mut host = host();
        host.node(gpu());
        put(&mut host, &web(), "a1 b1");
        let incoming = pod.spread(constraint(policies.0, policies.1));
        assert_eq!(host.fits(&incoming).join(" "), fits, "{incoming:?}");
    }
}

#[test]
fn the_pods_values_of_match_label_keys_are_selected() {
    let mut host = host();
    put(&mut host, &web().label("version", "1"), "a1");
    let constraint = || SpreadConstraint { match_label_keys: vec!["version".into(), "none".into()], ..hard("zone", 1) };
    assert_eq!(host.fits(&web().label("version", "2").spread(constraint())).len(), 4);
    assert_eq!(host.fits(&web().label("version", "1").spread(constraint())), ["b1", "b2"]);
}

#[test]
fn an_invalid_selector_fails_the_pod() {
    let bad = |when| spread("zone", 1, when, selector([expression("app", In, [])]));
    let status = host().verdict(&web().spread(bad(DoNotSchedule)), "a1").unwrap();
    let problem = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
    let prefix = "get constraints from pod: obtaining pod's hard topology spread constraints";
    assert_eq!((status.code, status.reasons), (Code::Error, vec![format!("{prefix}: {problem}")]));
    assert_eq!(host().fits(&web().spread(bad(ScheduleAnyway))).len(), 4);
}

#[test]
fn fewer_pods_score_higher() {
    for (on, constraints, scores) in [
        ("", vec![soft("zone", 1)], [100, 100, 100, 100]),
        // The weight is ln 4 for two zones: 2 pods give 3, 1 pod gives 1.
        ("a1 a2 b1", vec![soft("zone", 1)], [33, 33, 100, 100]),
        ("a1 a1 b1", vec![soft("zone", 1)], [33, 33, 100, 100]),
        ("a1 a2", vec![soft("zone", 1)], [0, 0, 100, 100]),
        // maxSkew - 1 is added to each: 5 and 3.
        ("a1 a2 b1", vec![soft("zone", 3)], [60, 60, 100, 100]),
        // The weight is ln 6 for four nodes: 2 pods give 4, 1 pod gives 2.
        ("a1 a1 b1", vec![soft("node", 1)], [0, 100, 50, 100]),
        // Both constraints.
        ("a1 a1 b1", vec![soft("zone", 1), soft("node", 1)], [16, 66, 66, 100]),
    ] {
        let mut host = host();
        put(&mut host, &web(), on);
        let incoming = constraints.iter().cloned().fold(web(), PodBuilder::spread);
        assert_eq!(host.scores(&incoming).into_values().collect::<Vec<_>>(), scores, "{on}: {constraints:?}");
    }
}

#[test]
fn scores_use_the_nodes_that_passed_the_filters() {
    let mut host = host();
    host.node(in_zone("c1", "c"));
    put(&mut host, &web(), "a1 a2 b1 c1 c1 c1 c1");
    let scores = host.scores_among(&web().spread(soft("zone", 1)), &["a1", "b1"]);
    // Two zones count, as in the case without a third zone.
    assert_eq!(scores, BTreeMap::from([("a1".to_owned(), 33), ("b1".to_owned(), 100)]));
}

#[test]
fn pods_of_a_hostname_domain_count_despite_inclusion_policies() {
    let mut host = Host::<Plugin>::new();
    for name in ["a", "b"] {
        host.node(node(name).label(constraint::HOSTNAME, name));
    }
    put(&mut host, &web(), "a b b");
    let elsewhere = || web().node_selector("zone", "none");
    assert_eq!(
        host.raw_scores(&elsewhere().spread(soft(constraint::HOSTNAME, 1))).into_values().collect::<Vec<_>>(),
        [1, 3]
    );
}

#[test]
fn nodes_of_one_domain_change_their_class_together() {
    // The key has more domains than half the nodes, so class keys contain the counts.
    let mut host = Host::<Plugin>::new();
    for (name, rack) in [("a1", "a"), ("a2", "a"), ("b", "b"), ("c", "c")] {
        host.node(node(name).label("rack", rack));
    }
    let incoming = web().spread(hard("rack", 1));
    assert_eq!(host.fits(&incoming).len(), 4);
    put(&mut host, &web(), "a1");
    assert_eq!(host.fits(&incoming), ["b", "c"]);
    put(&mut host, &web(), "b c");
    assert_eq!(host.fits(&incoming).len(), 4);
}

#[test]
fn nodes_without_the_label_have_no_score() {
    let mut host = host();
    host.node(node("nowhere").label("node", "nowhere"));
    put(&mut host, &web(), "a1");
    let scores = host.scores(&web().spread(soft("zone", 1)).spread(soft("node", 1)));
    assert_eq!(scores["nowhere"], 0);
    assert!(scores["b1"] == 100 && scores["a1"] < scores["a2"], "{scores:?}");
}

#[test]
fn pods_without_constraints_are_not_asked_about() {
    let mut host = host();
    assert!(host.scores(&web()).is_empty());
    assert!(host.scores(&web().spread(hard("zone", 1))).is_empty());
    let nothing_to_filter = web().spread(soft("zone", 1));
    assert_eq!(host.fits(&nothing_to_filter).len(), 4);
}
