//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};
use berth_guest::testing::{Host, PodBuilder, expression, node, pod, selector, spread};
use berth_guest::types::SelectorOperator::In;
use berth_guest::types::TaintEffect::NoSchedule;

use crate::Plugin;
use crate::constraint::Action::{DoNotSchedule, ScheduleAnyway};

fn app(name: &str) -> PodBuilder {
    pod().namespace("default").label("app", name)
}

/// Returns a pod that must be spread over zones and nodes, and is preferably spread over racks.
fn spread_web() -> PodBuilder {
    let web = || selector([expression("app", In, ["web"])]);
    let hard = |key| spread(key, 1, DoNotSchedule, web());
    app("web").spread(hard("zone")).spread(hard("node")).spread(spread("rack", 1, ScheduleAnyway, selector([])))
}

#[test]
fn pods_that_are_added_deleted_and_changed() {
    let (web, other, elsewhere) = (app("web"), app("other"), app("web").namespace("elsewhere"));
    let mut host = Host::<Plugin>::new();
    for (change, expected) in [
        ([None, Some(&web)], Queue),
        ([None, Some(&other)], Skip),
        ([None, Some(&elsewhere)], Skip),
        ([Some(&web), None], Queue),
        ([Some(&elsewhere), None], Skip),
        ([Some(&web), Some(&other)], Queue),
        ([Some(&other), Some(&web)], Queue),
        ([Some(&web), Some(&web)], Skip),
    ] {
        let actions = match change {
            [None, _] => Actions::ADD,
            [_, None] => Actions::DELETE,
            _ => Actions::UPDATE_LABELS,
        };
        assert_eq!(host.pod_hint(actions, change, &spread_web()), expected, "{change:?}");
    }
}

#[test]
fn nodes_that_are_added_deleted_and_changed() {
    let in_zone = |zone| node("n").label("node", "n").label("zone", zone);
    let (none, a, b) = (node("n").label("node", "n"), in_zone("a"), in_zone("b"));
    let (tainted, racked) = (a.clone().taint("gpu", "", NoSchedule), a.clone().label("rack", "1"));
    let mut host = Host::<Plugin>::new();
    for (actions, change, expected) in [
        (Actions::ADD, [None, Some(&a)], Queue),
        (Actions::ADD, [None, Some(&none)], Skip),
        (Actions::DELETE, [Some(&a), None], Queue),
        (Actions::DELETE, [Some(&none), None], Skip),
        (Actions::UPDATE_LABELS, [Some(&none), Some(&a)], Queue),
        (Actions::UPDATE_LABELS, [Some(&a), Some(&none)], Queue),
        (Actions::UPDATE_LABELS, [Some(&a), Some(&b)], Queue),
        (Actions::UPDATE_LABELS, [Some(&a), Some(&racked)], Skip),
        (Actions::UPDATE_TAINTS, [Some(&tainted), Some(&a)], Queue),
        (Actions::UPDATE_TAINTS, [Some(&none), Some(&none)], Skip),
        (Actions::UPDATE_ALLOCATABLE, [Some(&a), Some(&b)], Skip),
    ] {
        assert_eq!(host.node_hint(actions, change, &spread_web()), expected, "{actions:?} {change:?}");
    }
}
