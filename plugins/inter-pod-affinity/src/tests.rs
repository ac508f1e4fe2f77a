//! Tests after kube-scheduler's test cases, and tests with random changes of a cluster.

use berth_guest::testing::{Host, NodeBuilder, PodBuilder, expression, node, pod, pod_term, selector};
use berth_guest::types::SelectorOperator::{DoesNotExist, Exists, In, NotIn};
use berth_guest::types::{Code, LabelSelector, PodAffinityTerm};

use super::*;

mod preferred;
mod random;

const AFFINITY_NOT_MATCHED: &str = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY_VIOLATED: &str = "node(s) didn't match pod anti-affinity rules";
const EXISTING_ANTI_AFFINITY: &str = "node(s) didn't satisfy existing pods anti-affinity rules";

/// Returns a host with two nodes in each of the zones a and b, and node `c` without a zone. The label `node` has the
/// node's name.
fn host_with(args: &str) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    for (name, zone) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")] {
        host.node(in_zone(name, zone));
    }
    host.node(node("c").label("node", "c"));
    host
}

fn host() -> Host<Plugin> {
    host_with("{}")
}

fn in_zone(name: &str, zone: &str) -> NodeBuilder {
    node(name).label("zone", zone).label("node", name)
}

fn app(name: &str) -> PodBuilder {
    pod().label("app", name)
}

fn apps(name: &str) -> LabelSelector {
    selector([expression("app", In, [name])])
}

fn term(key: &str, app: &str) -> PodAffinityTerm {
    pod_term(key, apps(app))
}

fn in_namespaces(term: PodAffinityTerm, names: &[&str]) -> PodAffinityTerm {
    PodAffinityTerm { namespaces: names.iter().map(|name| (*name).to_owned()).collect(), ..term }
}

fn selecting(term: PodAffinityTerm, namespaces: LabelSelector) -> PodAffinityTerm {
    PodAffinityTerm { namespace_selector: Some(namespaces), ..term }
}

/// Adds a copy of the pod to each of the named nodes.
fn put(host: &mut Host<Plugin>, pod: &PodBuilder, nodes: &str) {
    nodes.split_whitespace().for_each(|node| _ = host.resident(pod, node));
}

fn namespace(host: &mut Host<Plugin>, name: &str, team: &str) {
    host.object("Namespace", "", name, &format!(r#"{{"metadata": {{"labels": {{"team": "{team}"}}}}}}"#));
}

#[test]
fn nodes_of_one_domain_change_their_class_together() {
    // The key has more domains than half the nodes, so class keys contain the sums.
    let mut host = Host::<Plugin>::new();
    for (name, rack) in [("a1", "a"), ("a2", "a"), ("b", "b"), ("c", "c")] {
        host.node(node(name).label("rack", rack));
    }
    let (web, anti_affinity) = (app("web"), app("web").anti_affinity(term("rack", "web")));
    assert_eq!(host.fits(&anti_affinity).len(), 4);
    let first = host.resident(&web, "a1");
    assert_eq!(host.fits(&anti_affinity), ["b", "c"]);
    host.remove_resident(first);
    assert_eq!(host.fits(&anti_affinity).len(), 4);
}

#[test]
fn required_affinity_selects_domains() {
    for (web_on, api_on, incoming, fits) in [
        ("", "", pod(), "a1 a2 b1 b2 c"),
        ("a1", "", pod().affinity(term("zone", "web")), "a1 a2"),
        ("a1", "", pod().affinity(term("node", "web")), "a1"),
        ("a1 b1", "", pod().affinity(term("zone", "web")), "a1 a2 b1 b2"),
        ("c", "", pod().affinity(term("zone", "web")), ""),
        ("a1", "", pod().affinity(term("none", "web")), ""),
        ("a1", "b1", pod().affinity(term("zone", "api")), "b1 b2"),
        // One pod must match all terms. Each term then uses its own domain.
        ("a1", "a2", pod().affinity(term("zone", "web")).affinity(term("zone", "api")), ""),
        ("a1", "", pod().affinity(term("zone", "web")).affinity(term("node", "web")), "a1"),
        ("a1 a2", "", pod().affinity(term("zone", "web")).affinity(term("node", "web")), "a1 a2"),
        ("a1", "", pod().affinity(PodAffinityTerm { selector: None, ..term("zone", "web") }), ""),
        ("a1", "", pod().affinity(pod_term("zone", selector([]))), "a1 a2"),
    ] {
        let mut host = host();
        put(&mut host, &app("web"), web_on);
        put(&mut host, &app("api"), api_on);
        assert_eq!(host.fits(&incoming).join(" "), fits, "{web_on}, {api_on}: {incoming:?}");
    }
}

#[test]
fn the_first_pod_of_a_group_may_go_anywhere() {
    let to_itself = || app("web").affinity(term("zone", "web"));
    for (on, incoming, fits) in [
        ("", to_itself(), "a1 a2 b1 b2"),
        ("b1", to_itself(), "b1 b2"),
        // A pod outside all domains does not matter.
        ("c", to_itself(), "a1 a2 b1 b2"),
        ("", app("web").affinity(term("zone", "api")), ""),
        ("", to_itself().affinity(term("node", "api")), ""),
        ("", to_itself().affinity(term("none", "web")), ""),
        ("", app("web").affinity(in_namespaces(term("zone", "web"), &["other"])), ""),
    ] {
        let mut host = host();
        put(&mut host, &app("web"), on);
        assert_eq!(host.fits(&incoming).join(" "), fits, "{on}: {incoming:?}");
    }
}

#[test]
fn required_anti_affinity_excludes_domains() {
    for (on, incoming, fits) in [
        ("", pod().anti_affinity(term("zone", "web")), "a1 a2 b1 b2 c"),
        ("a1", pod().anti_affinity(term("zone", "web")), "b1 b2 c"),
        ("a1", pod().anti_affinity(term("node", "web")), "a2 b1 b2 c"),
        ("a1 c", pod().anti_affinity(term("zone", "web")), "b1 b2 c"),
        ("a1 b1", pod().anti_affinity(term("zone", "web")), "c"),
        ("a1 b1", pod().anti_affinity(term("zone", "api")).anti_affinity(term("node", "web")), "a2 b2 c"),
        ("a1", pod().namespace("other").anti_affinity(term("zone", "web")), "a1 a2 b1 b2 c"),
        ("a1", pod().namespace("other").anti_affinity(in_namespaces(term("zone", "web"), &["default"])), "b1 b2 c"),
        ("a1", app("web").affinity(term("zone", "web")).anti_affinity(term("node", "web")), "a2"),
    ] {
        let mut host = host();
        put(&mut host, &app("web"), on);
        assert_eq!(host.fits(&incoming).join(" "), fits, "{on}: {incoming:?}");
    }
}

#[test]
fn anti_affinity_of_pods_on_nodes_excludes_domains() {
    for (resident, on, incoming, fits) in [
        (app("db").anti_affinity(term("zone", "web")), "a1", app("web"), "b1 b2 c"),
        (app("db").anti_affinity(term("node", "web")), "a1", app("web"), "a2 b1 b2 c"),
        (app("db").anti_affinity(term("zone", "web")), "c", app("web"), "a1 a2 b1 b2 c"),
        (app("db").anti_affinity(term("zone", "web")), "a1", app("api"), "a1 a2 b1 b2 c"),
        (app("db").anti_affinity(term("zone", "web")), "a1", app("web").namespace("other"), "a1 a2 b1 b2 c"),
        (
            app("db").anti_affinity(term("zone", "web")).anti_affinity(term("node", "api")),
            "a1 b1",
            app("api"),
            "a2 b2 c",
        ),
        (app("db").affinity(term("zone", "web")), "a1", app("web"), "a1 a2 b1 b2 c"),
    ] {
        let mut host = host();
        put(&mut host, &resident, on);
        assert_eq!(host.fits(&incoming).join(" "), fits, "{resident:?}: {incoming:?}");
    }
}

#[test]
fn each_rejection_has_its_code_and_reason() {
    for (resident, incoming, code, reason) in [
        (app("web"), pod().affinity(term("none", "web")), Code::UnschedulableAndUnresolvable, AFFINITY_NOT_MATCHED),
        (app("web"), pod().anti_affinity(term("zone", "web")), Code::Unschedulable, ANTI_AFFINITY_VIOLATED),
        (app("db").anti_affinity(term("zone", "web")), app("web"), Code::Unschedulable, EXISTING_ANTI_AFFINITY),
        // The filter reports the first reason.
        (
            app("web").anti_affinity(term("zone", "web")),
            app("web").anti_affinity(term("zone", "web")),
            Code::Unschedulable,
            ANTI_AFFINITY_VIOLATED,
        ),
        (
            app("web"),
            pod().affinity(term("zone", "api")).anti_affinity(term("zone", "web")),
            Code::UnschedulableAndUnresolvable,
            AFFINITY_NOT_MATCHED,
        ),
    ] {
        let mut host = host();
        put(&mut host, &resident, "a1");
        let status = host.verdict(&incoming, "a1").unwrap();
        assert_eq!((status.code, status.reasons), (code, vec![reason.to_owned()]), "{incoming:?}");
    }
}

#[test]
fn terms_may_select_namespaces_by_their_labels() {
    let blue = || selector([expression("team", In, ["blue"])]);
    let not_blue = || selector([expression("team", NotIn, ["blue"])]);
    let web = |namespaces| selecting(term("zone", "web"), namespaces);
    for (incoming, fits) in [
        (pod().anti_affinity(web(blue())), "b1 b2 c"),
        (pod().anti_affinity(web(selector([expression("team", In, ["red"])]))), "a1 a2 c"),
        (pod().anti_affinity(web(selector([]))), "c"),
        (pod().anti_affinity(in_namespaces(web(selector([expression("team", In, ["none"])])), &["red"])), "a1 a2 c"),
        // For the pod's own terms, a selector that matches a namespace without labels selects every namespace.
        (pod().anti_affinity(web(not_blue())), "c"),
        (pod().anti_affinity(web(selector([expression("team", DoesNotExist, [])]))), "c"),
    ] {
        let mut host = host();
        namespace(&mut host, "blue", "blue");
        namespace(&mut host, "red", "red");
        put(&mut host, &app("web").namespace("blue"), "a1");
        put(&mut host, &app("web").namespace("red"), "b1");
        assert_eq!(host.fits(&incoming).join(" "), fits, "{incoming:?}");
    }
}

#[test]
fn terms_of_pods_on_nodes_may_select_the_pods_namespace() {
    let blue = selector([expression("team", In, ["blue"])]);
    let mut host = host();
    let resident = app("db").anti_affinity(selecting(term("zone", "web"), blue.clone()));
    put(&mut host, &resident, "a1");
    let incoming = app("web").namespace("team-blue");
    assert_eq!(host.fits(&incoming).len(), 5, "the namespace is not known");
    namespace(&mut host, "team-blue", "blue");
    assert_eq!(host.fits(&incoming), ["b1", "b2", "c"]);
    namespace(&mut host, "team-blue", "red");
    assert_eq!(host.fits(&incoming).len(), 5);
    let not_blue = selector([expression("team", NotIn, ["blue"])]);
    put(&mut host, &app("db").anti_affinity(selecting(term("zone", "web"), not_blue)), "b1");
    assert_eq!(host.fits(&incoming), ["a1", "a2", "c"]);
    host.remove_object("Namespace", "", "team-blue");
    assert_eq!(host.fits(&incoming), ["a1", "a2", "c"], "a namespace without labels is not blue");
    namespace(&mut host, "team-blue", "blue");
    assert_eq!(host.fits(&incoming), ["b1", "b2", "c"]);
}

#[test]
fn invalid_terms_reject_the_pod() {
    let bad = || pod_term("zone", selector([expression("app", In, [])]));
    let error = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
    for (incoming, reason) in [
        (pod().affinity(bad()), format!("parsing pod: requiredAffinityTerms: {error}")),
        (
            pod().anti_affinity(bad()).preferred_affinity(1, bad()),
            format!("parsing pod: [requiredAntiAffinityTerms: {error}, preferredAffinityTerms: {error}]"),
        ),
    ] {
        let status = host().verdict(&incoming, "a1").unwrap();
        assert_eq!((status.code, status.reasons), (Code::UnschedulableAndUnresolvable, vec![reason]));
    }
    let mut host = host();
    put(&mut host, &app("db").anti_affinity(bad()).anti_affinity(term("zone", "web")), "a1");
    assert_eq!(host.fits(&app("web")).len(), 5, "for a pod on a node, one invalid term disables all terms of the list");
}

#[test]
fn arguments_are_checked() {
    for (weight, is_refused) in [(0, false), (100, false), (101, true), (-1, true)] {
        let error = Host::<Plugin>::with_args(&format!(r#"{{"hardPodAffinityWeight": {weight}}}"#)).err();
        let message = format!(
            "InterPodAffinity: arguments: hardPodAffinityWeight: Invalid value: {weight}: not in valid range [0, 100]"
        );
        assert_eq!(error, is_refused.then_some(message));
    }
}
