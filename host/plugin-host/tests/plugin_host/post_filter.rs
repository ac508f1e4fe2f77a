//! Tests post-filters, which send queries during the call.

use std::time::Duration;

use crate::host::Host;
use berth_core::cache::{NodeId, PodId};
use berth_core::limits::Limits;
use berth_core::plugins::{Code, PluginError, PostFilterResult, PreemptionPlan, Status, Verdicts, WhatIf};
use berth_test_kit::component::{Guest, NORMALIZE_NONE};

const EXPORTS: [&str; 3] = ["plugin", "snapshot", "post-filter"];

fn guest() -> Guest {
    Guest::new("Test").exports(&EXPORTS).normalization(NORMALIZE_NONE)
}

fn host(guest: &Guest, limits: Limits) -> Host {
    let mut host = Host::with(guest.build(), limits);
    host.set_node("node-0");
    host.set_pod("pod", "node-0", 100);
    host
}

fn fits(cases: &[WhatIf]) -> Verdicts {
    Verdicts { outcomes: Vec::new(), nodes: vec![0; cases.len()] }
}

fn rejected(code: Code) -> Verdicts {
    Verdicts { outcomes: vec![Status { code, reasons: vec!["full".into()] }], nodes: vec![1] }
}

#[test]
fn a_node_is_nominated_if_the_what_if_query_fits() {
    let mut host = host(&guest().makes_room(), Limits::default());
    let mut asked = Vec::new();
    let result = host.post_filter(1, &mut |cases| {
        asked.extend_from_slice(cases);
        Ok(fits(cases))
    });
    let case = WhatIf { node: NodeId(0), removed: vec![PodId(0)], added: Vec::new() };
    assert_eq!(asked, [case]);
    let plan = PreemptionPlan {
        node: NodeId(0),
        evict: vec![PodId(0)],
        reason: "told so".into(),
        ..PreemptionPlan::default()
    };
    assert_eq!(result, Ok(PostFilterResult::Nominate(plan)));
    let no = host.post_filter(1, &mut |_| Ok(rejected(Code::Unschedulable))).unwrap_err();
    assert_eq!(no.message, "post-filter failed: no thank you");
}

#[test]
fn a_failure_of_another_plugin_does_not_restart_the_post_filter() {
    let mut host = host(&guest().makes_room(), Limits::default());
    let failure = || PluginError::failed("Other".into(), "trapped".into());
    let error = host.post_filter(1, &mut |_| Err(failure())).unwrap_err();
    assert_eq!(error.message, "post-filter failed: no thank you", "code `error` is a no, which it passes on");
    assert!(host.post_filter(1, &mut |cases| Ok(fits(cases))).is_ok(), "it was not restarted");
}

#[test]
fn a_post_filter_can_nominate_no_node_without_a_query() {
    let mut host = host(&guest(), Limits::default());
    let nothing = PostFilterResult::default();
    assert_eq!(host.post_filter(1, &mut |_| unreachable!("it asks nothing")), Ok(nothing));
}

#[test]
fn an_endless_post_filter_is_stopped() {
    let body = "(if (i32.eq (local.get $signature) (i32.const 666)) (then (loop $forever (br $forever))))";
    let limits = Limits { call: Duration::from_millis(30), ..Limits::default() };
    let mut host = host(&guest().body("post_filter", body), limits);
    let error = host.post_filter(666, &mut |_| unreachable!("it asks nothing")).unwrap_err();
    assert_eq!(error.message, "ran longer than 30 ms of CPU time in post-filter");
    host.until("it is back", |host| !host.recovered.is_empty());
    assert!(host.post_filter(1, &mut |_| unreachable!("it asks nothing")).is_ok());
}
