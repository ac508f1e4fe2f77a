use berth_guest::testing::{Host, PodBuilder, node, pod};
use berth_guest::types::{NodeInclusionPolicy, SpreadConstraint, UnsatisfiableAction};

use super::*;

const ZONE: &str = "topology.kubernetes.io/zone";

/// Returns a host with two nodes in zone a, one in zone b, one without a zone, and a Service `web`.
fn host(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    host.node(node("a1").label(ZONE, "a"));
    host.node(node("a2").label(ZONE, "a"));
    host.node(node("b1").label(ZONE, "b"));
    host.node(node("none"));
    host.object("Service", "default", "web", r#"{"spec": {"selector": {"app": "web"}}}"#);
    host
}

fn web() -> PodBuilder {
    pod().label("app", "web")
}

fn scores(host: &mut Host<Plugin>, pod: &PodBuilder) -> Vec<i64> {
    let scores = host.scores(pod);
    assert_eq!(scores, host.fresh().scores(pod), "a new instance gives the same scores");
    scores.into_values().collect()
}

#[test]
fn pods_of_a_service_are_spread_over_zones_and_nodes() {
    let mut host = host("{}");
    assert_eq!(scores(&mut host, &web()), [100, 100, 100, 100]);
    let first = host.resident(&web(), "a1");
    // Node scores are 0, 100, 100, 100; zone scores are 0, 0, 100.
    assert_eq!(scores(&mut host, &web()), [0, 33, 100, 100]);
    host.resident(&web(), "b1");
    host.resident(&web(), "b1");
    assert_eq!(scores(&mut host, &web()), [50, 66, 0, 100]);
    host.remove_resident(first);
    assert_eq!(scores(&mut host, &web()), [100, 100, 0, 100]);
}

#[test]
fn only_matching_pods_that_are_not_deleted_count() {
    let mut host = host("{}");
    host.resident(&web().namespace("other"), "a1");
    host.resident(&pod().label("app", "api"), "a1");
    host.resident(&web().deleting(), "a1");
    assert_eq!(scores(&mut host, &web()), [100, 100, 100, 100]);
}

#[test]
fn without_zones_the_nodes_alone_count() {
    let mut host = Host::<Plugin>::new();
    host.object("Service", "default", "web", r#"{"spec": {"selector": {"app": "web"}}}"#);
    ["one", "two", "three"].into_iter().for_each(|name| host.node(node(name)));
    ["one", "one", "two"].into_iter().for_each(|name| _ = host.resident(&web(), name));
    assert_eq!(
        host.scores(&web()).into_iter().collect::<Vec<_>>(),
        [("one".to_owned(), 0), ("three".to_owned(), 100), ("two".to_owned(), 50)]
    );
}

#[test]
fn controllers_count_unless_only_services_are_configured() {
    let labelled = |kind: &str, selector: &str| {
        let mut host = host("{}");
        host.object(kind, "default", "set", &format!(r#"{{"spec": {{"selector": {selector}}}}}"#));
        host
    };
    let selector = r#"{"matchLabels": {"run": "1"}}"#;
    for (kind, api_version, selector) in [
        ("ReplicationController", "v1", r#"{"run": "1"}"#),
        ("ReplicaSet", "apps/v1", selector),
        ("StatefulSet", "apps/v1", selector),
    ] {
        let mut host = labelled(kind, selector);
        let of_set = pod().label("run", "1").controlled_by(api_version, kind, "set");
        host.resident(&of_set, "none");
        assert_eq!(scores(&mut host, &of_set), [100, 100, 100, 0], "{kind}");
        assert_eq!(scores(&mut host, &pod().label("run", "1")), [100, 100, 100, 100], "{kind}: it has no controller");
    }
    let mut services = host(r#"{"servicesOnly": true}"#);
    let of_both = web().controlled_by("apps/v1", "ReplicaSet", "set");
    services.resident(&of_both, "none");
    assert_eq!(scores(&mut services, &of_both), [100, 100, 100, 0]);
    assert_eq!(scores(&mut services, &pod().controlled_by("apps/v1", "ReplicaSet", "set")), [100; 4]);
}

#[test]
fn pods_with_topology_spread_constraints_are_not_scored() {
    let own = SpreadConstraint {
        max_skew: 1,
        topology_key: ZONE.into(),
        when_unsatisfiable: UnsatisfiableAction::ScheduleAnyway,
        selector: None,
        min_domains: 1,
        node_affinity_policy: NodeInclusionPolicy::Honor,
        node_taints_policy: NodeInclusionPolicy::Ignore,
        match_label_keys: Vec::new(),
    };
    assert!(host("{}").scores(&web().spread(own)).is_empty());
}
