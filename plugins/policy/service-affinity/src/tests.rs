use berth_guest::testing::{Host, PodBuilder, node, pod};
use berth_guest::types::Code;

use super::*;

const BY_REGION: &str = r#"{"affinityLabels": ["region"]}"#;
const BY_BOTH: &str = r#"{"affinityLabels": ["region", "rack"]}"#;
const SPREAD: &str = r#"{"antiAffinityLabelsPreference": ["zone"]}"#;

/// Returns a host with two regions of two racks each, a node without labels, and a Service `web`.
fn host(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    for (name, region, rack) in [("e1", "east", "1"), ("e2", "east", "2"), ("w1", "west", "1"), ("w2", "west", "2")] {
        host.node(node(name).label("region", region).label("rack", rack).label("zone", region));
    }
    host.node(node("bare"));
    host.object("Service", "default", "web", r#"{"spec": {"selector": {"app": "web"}}}"#);
    host
}

fn web() -> PodBuilder {
    pod().label("app", "web")
}

/// A pod and its node.
type Running<'a> = (fn() -> PodBuilder, &'a str);

#[test]
fn pods_of_a_service_follow_the_first_pod() {
    let anywhere = ["e1", "e2", "w1", "w2", "bare"];
    let in_default = web as fn() -> PodBuilder;
    let elsewhere = || web().namespace("other");
    let cases: [(&str, &[Running<'_>], PodBuilder, &[&str]); 10] = [
        ("{}", &[(in_default, "w1")], web(), &anywhere),
        (BY_REGION, &[], web(), &anywhere),
        (BY_REGION, &[(in_default, "w1")], web(), &["w1", "w2"]),
        (BY_BOTH, &[(in_default, "w1")], web(), &["w1"]),
        (BY_REGION, &[(in_default, "w1")], pod().label("app", "api"), &anywhere),
        (BY_REGION, &[(elsewhere, "w1")], web(), &anywhere),
        (BY_REGION, &[(in_default, "bare")], web(), &anywhere),
        // Only pods with all labels of the new pod are considered.
        (BY_REGION, &[(in_default, "w1")], web().label("track", "canary"), &anywhere),
        // The pod's own node selector takes precedence.
        (BY_REGION, &[(in_default, "w1")], web().node_selector("region", "east"), &["e1", "e2"]),
        (BY_BOTH, &[(in_default, "w1")], web().node_selector("region", "east"), &["e1"]),
    ];
    for (args, residents, pod, fits) in cases {
        let mut host = host(args);
        residents.iter().for_each(|(pod, node)| _ = host.resident(&pod(), node));
        assert_eq!(host.fits(&pod), fits, "{args} {pod:?}");
        assert_eq!(host.fresh().fits(&pod), fits, "a new instance, {args} {pod:?}");
    }
}

#[test]
fn a_rejection_is_resolvable() {
    let mut host = host(BY_REGION);
    let first = host.resident(&web(), "w1");
    let verdict = host.verdict(&web(), "e1").unwrap();
    assert_eq!(
        (verdict.code, verdict.reasons),
        (Code::Unschedulable, vec!["node(s) didn't match service affinity".to_owned()])
    );
    host.remove_resident(first);
    assert_eq!(host.fits(&web()).len(), 5);
    host.change_resident(first, &web(), "w1");
    host.remove_object("Service", "default", "web");
    assert_eq!(host.fits(&web()).len(), 5, "the pod is not in a Service any more");
}

#[test]
fn pods_are_spread_over_the_values_of_a_label() {
    for (args, residents, expected) in [
        ("{}", vec!["e1"], [0, 0, 0, 0, 0]),
        (SPREAD, vec![], [0, 100, 100, 100, 100]),
        (SPREAD, vec!["e1"], [0, 0, 0, 100, 100]),
        (SPREAD, vec!["e1", "e2", "w1"], [0, 33, 33, 66, 66]),
        (SPREAD, vec!["bare"], [0, 100, 100, 100, 100]),
        (r#"{"antiAffinityLabelsPreference": ["zone", "rack"]}"#, vec!["e1"], [0, 0, 50, 50, 100]),
        (r#"{"antiAffinityLabelsPreference": ["zone", "none"]}"#, vec!["e1"], [0, 0, 0, 50, 50]),
    ] {
        let mut host = host(args);
        residents.iter().for_each(|node| _ = host.resident(&web(), node));
        host.resident(&web().deleting(), "w1");
        host.resident(&pod(), "w1");
        // The order is by node name: bare, e1, e2, w1, w2.
        assert_eq!(host.scores(&web()).into_values().collect::<Vec<_>>(), expected, "{args} {residents:?}");
    }
}

#[test]
fn pods_without_service_prefer_labelled_nodes() {
    let mut host = host(SPREAD);
    host.resident(&pod(), "e1");
    assert_eq!(host.scores(&pod()).into_values().collect::<Vec<_>>(), [0, 100, 100, 100, 100]);
}
