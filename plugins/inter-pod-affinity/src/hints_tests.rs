//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};
use berth_guest::testing::{Host, PodBuilder, expression, node, pod, pod_term, selector};
use berth_guest::types::SelectorOperator::{DoesNotExist, In, NotIn};
use berth_guest::types::{LabelSelector, PodAffinityTerm};

use crate::Plugin;

fn app(name: &str) -> PodBuilder {
    pod().namespace("default").label("app", name)
}

fn apps(key: &str, name: &str) -> PodAffinityTerm {
    let term = pod_term(key, selector([expression("app", In, [name])]));
    PodAffinityTerm { namespaces: vec!["default".into()], ..term }
}

#[test]
fn pods_that_are_added_deleted_and_changed() {
    let affinity = app("web").affinity(apps("zone", "db")).affinity(apps("zone", "db"));
    let anti_affinity = app("web").anti_affinity(apps("zone", "db")).anti_affinity(apps("node", "cache"));
    let [db, cache, other] = ["db", "cache", "other"].map(app);
    let anti_affinity_to_web = app("other").anti_affinity(apps("zone", "web"));
    let elsewhere = app("db").namespace("elsewhere");
    let mut host = Host::<Plugin>::new();
    for (incoming, change, expected) in [
        (&affinity, [None, Some(&db)], Queue),
        (&affinity, [None, Some(&other)], Skip),
        (&affinity, [None, Some(&elsewhere)], Skip),
        (&affinity, [Some(&other), Some(&db)], Queue),
        (&affinity, [Some(&db), Some(&other)], Skip),
        (&affinity, [Some(&db), None], Skip),
        (&affinity, [Some(&anti_affinity_to_web), None], Queue),
        (&anti_affinity, [None, Some(&other)], Skip),
        (&anti_affinity, [Some(&db), None], Queue),
        (&anti_affinity, [Some(&cache), None], Queue),
        (&anti_affinity, [Some(&other), None], Skip),
        (&anti_affinity, [Some(&db), Some(&other)], Queue),
        (&anti_affinity, [Some(&other), Some(&db)], Skip),
        (&app("web"), [Some(&anti_affinity_to_web), None], Queue),
        (&app("cache"), [Some(&anti_affinity_to_web), None], Skip),
    ] {
        let actions = match change {
            [None, _] => Actions::ADD,
            [_, None] => Actions::DELETE,
            _ => Actions::UPDATE_LABELS,
        };
        assert_eq!(host.pod_hint(actions, change, incoming), expected, "{incoming:?} {change:?}");
    }
}

#[test]
fn a_namespace_is_selected_by_its_labels() {
    let mut host = Host::<Plugin>::new();
    host.object("Namespace", "", "ours", r#"{"metadata": {"labels": {"team": "a"}}}"#);
    let team: LabelSelector = selector([expression("team", In, ["a"])]);
    let incoming = app("web").affinity(PodAffinityTerm { namespace_selector: Some(team), ..apps("zone", "db") });
    for (namespace, expected) in [("ours", Queue), ("theirs", Skip)] {
        let added = app("db").namespace(namespace);
        assert_eq!(host.pod_hint(Actions::ADD, [None, Some(&added)], &incoming), expected, "{namespace}");
    }
}

#[test]
fn a_deleted_pods_namespace_selector_that_matches_an_empty_label_set_selects_every_namespace() {
    let mut host = Host::<Plugin>::new();
    host.object("Namespace", "", "default", r#"{"metadata": {"labels": {"team": "a"}}}"#);
    for (requirement, expected) in [
        (expression("team", In, ["a"]), Queue),
        (expression("team", In, ["b"]), Skip),
        (expression("team", DoesNotExist, []), Queue),
        (expression("team", NotIn, ["a"]), Queue),
    ] {
        let namespaces: LabelSelector = selector([requirement.clone()]);
        let term = PodAffinityTerm { namespace_selector: Some(namespaces), ..pod_term("zone", selector([])) };
        let deleted = app("other").anti_affinity(term);
        let hint = host.pod_hint(Actions::DELETE, [Some(&deleted), None], &app("web"));
        assert_eq!(hint, expected, "{requirement:?}");
    }
}

#[test]
fn nodes_that_are_added_and_change_domain() {
    let [none, a, b] = [node("n"), node("n").label("zone", "a"), node("n").label("zone", "b")];
    let (affinity, anti_affinity) =
        (app("web").affinity(apps("zone", "db")), app("web").anti_affinity(apps("zone", "db")));
    for (incoming, before, after, expected) in [
        (&affinity, None, &a, Queue),
        (&affinity, None, &none, Skip),
        (&affinity, Some(&none), &a, Queue),
        (&affinity, Some(&a), &b, Queue),
        (&affinity, Some(&a), &none, Skip),
        (&affinity, Some(&a), &a, Skip),
        (&anti_affinity, None, &none, Queue),
        (&anti_affinity, Some(&a), &none, Queue),
        (&anti_affinity, Some(&a), &b, Queue),
        (&anti_affinity, Some(&none), &a, Skip),
        (&app("web"), None, &a, Skip),
    ] {
        let actions = if before.is_none() { Actions::ADD } else { Actions::UPDATE_LABELS };
        let mut host = Host::<Plugin>::new();
        assert_eq!(host.node_hint(actions, [before, Some(after)], incoming), expected, "{before:?} {after:?}");
    }
    let mut host = Host::<Plugin>::new();
    host.node(a.clone());
    host.resident(&app("other").anti_affinity(apps("zone", "web")), "n");
    let hint = host.node_hint(Actions::ADD, [None, Some(&b)], &app("web"));
    assert_eq!(hint, Queue, "no pod on the nodes has anti-affinity");
}
