//! Tests of default constraints.

use super::*;

const ZONE: &str = "topology.kubernetes.io/zone";

/// Returns a host with two zones, and a node `c` without a zone.
fn zones(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    for (name, zone) in [("a", "a"), ("b", "b")] {
        host.node(node(name).label(ZONE, zone).label(constraint::HOSTNAME, name));
    }
    host.node(node("c").label(constraint::HOSTNAME, "c"));
    host
}

fn scores(host: &mut Host<Plugin>, pod: &PodBuilder) -> Vec<i64> {
    host.scores(pod).into_values().collect()
}

const SELECTS_WEB: &str = r#"{"spec": {"selector": {"app": "web"}}}"#;
const MATCHES_WEB: &str = r#"{"spec": {"selector": {"matchLabels": {"app": "web"}}}}"#;

#[test]
fn pods_of_services_and_controllers_spread() {
    let of = |api_version, kind| web().controlled_by(api_version, kind, "web");
    for (kind, fields, incoming, selects) in [
        ("Service", SELECTS_WEB, web(), true),
        ("Service", SELECTS_WEB, pod(), false),
        ("Service", SELECTS_WEB, web().namespace("other"), false),
        ("Service", "{}", web(), false),
        ("ReplicationController", SELECTS_WEB, of("v1", "ReplicationController"), true),
        ("ReplicaSet", MATCHES_WEB, of("apps/v1", "ReplicaSet"), true),
        ("ReplicaSet", MATCHES_WEB, of("example.com/v1", "ReplicaSet"), false),
        ("ReplicaSet", MATCHES_WEB, web().controlled_by("apps/v1", "ReplicaSet", "api"), false),
        ("ReplicaSet", MATCHES_WEB, web(), false),
        (
            "ReplicaSet",
            r#"{"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}}"#,
            of("apps/v1", "ReplicaSet"),
            true,
        ),
        ("StatefulSet", MATCHES_WEB, of("apps/v1", "StatefulSet"), true),
        ("StatefulSet", "{}", of("apps/v1", "StatefulSet"), false),
    ] {
        let mut host = zones("{}");
        host.object(kind, "default", "web", fields);
        put(&mut host, &web(), "a");
        assert_eq!(!scores(&mut host, &incoming).is_empty(), selects, "{kind} {fields} {incoming:?}");
    }
}

#[test]
fn selectors_of_several_services_are_combined() {
    let mut host = zones("{}");
    host.object("Service", "default", "web", SELECTS_WEB);
    host.object("Service", "default", "front", r#"{"spec": {"selector": {"tier": "front"}}}"#);
    host.object("ReplicaSet", "default", "web", r#"{"spec": {"selector": {"matchLabels": {"hash": "1"}}}}"#);
    let both = web().label("tier", "front").controlled_by("apps/v1", "ReplicaSet", "web");
    put(&mut host, &both, "a");
    put(&mut host, &both.clone().label("hash", "1"), "b");
    let scores = scores(&mut host, &both);
    assert!(scores[0] > scores[1], "{scores:?}");
}

#[test]
fn system_defaults_spread_by_zone_and_hostname() {
    let mut host = zones("{}");
    host.object("Service", "default", "web", SELECTS_WEB);
    put(&mut host, &web(), "a a b");
    // The weights are ln 5 for three hosts and ln 5 for three zones (nodes without a zone count as one). a has 2 + 2
    // pods, b has 1 + 1, and c, without a zone, 0. maxSkew - 1 adds 2 for each host and 4 for each zone: 12, 9, 2.
    assert_eq!(host.raw_scores(&web()).into_values().collect::<Vec<_>>(), [12, 9, 2]);
    assert_eq!(scores(&mut host, &web()), [16, 41, 100]);
    let own = web().spread(soft(ZONE, 1));
    assert_eq!(scores(&mut host, &own)[2], 0, "the pod's own constraints replace the defaults");
}

#[test]
fn a_missing_zone_and_an_empty_zone_are_one_domain() {
    let mut host = Host::<Plugin>::new();
    for (name, zone) in [("a", Some("a")), ("b", Some("")), ("c", None)] {
        let node = node(name).label(constraint::HOSTNAME, name);
        host.node(zone.into_iter().fold(node, |node, zone| node.label(ZONE, zone)));
    }
    host.object("Service", "default", "web", SELECTS_WEB);
    put(&mut host, &web(), "a c");
    host.raw_scores(&web());
    // The counts are updated instead of computed again.
    put(&mut host, &web(), "a c");
    // The weights are ln 5 for three hosts and ln 4 for two zones. a has 2 + 2 pods, b has 0 + 2, and c, without a
    // zone, 2. maxSkew - 1 adds 2 for each host and 4 for each zone: 12, 9, 5.
    assert_eq!(host.raw_scores(&web()).into_values().collect::<Vec<_>>(), [12, 9, 5]);
}

#[test]
fn defaults_follow_what_services_select() {
    let mut host = zones("{}");
    put(&mut host, &web(), "a");
    assert!(scores(&mut host, &web()).is_empty());
    host.object("Service", "default", "web", SELECTS_WEB);
    assert!(!scores(&mut host, &web()).is_empty());
    host.object("Service", "default", "web", r#"{"spec": {"selector": {"app": "api"}}}"#);
    assert!(scores(&mut host, &web()).is_empty());
    host.object("Service", "default", "web", SELECTS_WEB);
    host.remove_object("Service", "default", "web");
    assert!(scores(&mut host, &web()).is_empty());
}

#[test]
fn a_malformed_object_is_ignored() {
    let mut host = zones("{}");
    host.object("Service", "default", "web", SELECTS_WEB);
    host.object("Service", "default", "web", r#"{"spec": {"selector": "web"}}"#);
    assert!(scores(&mut host, &web()).is_empty());
}

fn list(constraints: &str) -> String {
    format!(r#"{{"defaultingType": "List", "defaultConstraints": [{constraints}]}}"#)
}

#[test]
fn the_profile_can_list_default_constraints() {
    let hard = r#"{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}"#;
    let mut host = zones(&list(hard));
    host.object("Service", "default", "web", SELECTS_WEB);
    put(&mut host, &web(), "a");
    assert_eq!(host.fits(&web()), ["b"]);
    assert_eq!(host.reasons(&web(), "c"), [MISSING]);
    assert_eq!(host.fits(&pod()).len(), 3);
    let soft = hard.replace("DoNotSchedule", "ScheduleAnyway");
    let mut host = zones(&list(&soft));
    host.object("Service", "default", "web", SELECTS_WEB);
    put(&mut host, &web(), "a");
    assert_eq!(scores(&mut host, &web()), [0, 100, 0], "nodes without the label have no score");
    let mut none = zones(&list(""));
    assert!(scores(&mut none, &web()).is_empty());
}

#[test]
#[should_panic(expected = "PodTopologySpread reads no Service")]
fn without_default_constraints_no_object_is_read() {
    zones(&list("")).object("Service", "default", "web", SELECTS_WEB);
}

#[test]
fn arguments_are_checked() {
    let one = r#""maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule""#;
    for (args, message) in [
        (
            r#"{"defaultingType": "Some"}"#.to_owned(),
            r#"defaultingType: Unsupported value: "Some": supported values: "List", "System""#,
        ),
        (
            format!(r#"{{"defaultConstraints": [{{{one}}}]}}"#),
            r#"defaultingType: Invalid value: "System": when .defaultConstraints are not empty"#,
        ),
        (
            list(r#"{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": ""}"#),
            "[defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), \
             defaultConstraints[0].topologyKey: Required value: can not be empty, \
             defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty]",
        ),
        (
            list(r#"{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Never"}"#),
            "defaultConstraints[0].whenUnsatisfiable: Unsupported value: \"Never\": supported values: \
             \"DoNotSchedule\", \"ScheduleAnyway\"",
        ),
        (
            list(&format!(r#"{{{one}, "labelSelector": {{"matchLabels": {{"app": "web"}}}}}}"#)),
            "defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for \
             each pod",
        ),
        (list(&format!("{{{one}}}, {{{one}}}")), r#"defaultConstraints[1]: Duplicate value: "{zone, DoNotSchedule}""#),
    ] {
        let refused = Host::<Plugin>::with_args(&args).err().unwrap();
        assert_eq!(refused, format!("PodTopologySpread: arguments: {message}"));
    }
}
