//! Tests that a component does only what is granted to it.

use berth_core::grants::{GrantPolicy, Grants, Namespaces, ReadGrant};
use berth_core::model::ObjectKind;
use berth_core::plugins::{PostFilterResult, Verdicts, WhatIf};
use berth_plugin_host::{ComponentSet, LoaderOptions};
use berth_test_kit::component::{Guest, NORMALIZE_NONE};

use crate::host::{Host, built_in, options, profile_of_test};

fn fits(cases: &[WhatIf]) -> Verdicts {
    Verdicts { outcomes: Vec::new(), nodes: vec![0; cases.len()] }
}

/// Returns the options in which the plugin `Test` has these grants.
fn granted(grants: Grants) -> LoaderOptions {
    let grants = GrantPolicy::Named { built_in: Default::default(), configured: [("Test".into(), grants)].into() };
    LoaderOptions { grants, ..options(None) }
}

fn namespace(name: &str) -> Namespaces {
    Namespaces::Named([name.into()].into())
}

#[test]
fn a_component_that_reads_a_kind_without_a_grant_is_refused() {
    let component = Guest::new("Test").reads("v1", "Service", "spec.selector").build();
    let load = |grants: Grants| {
        let built_in = vec![built_in("test.wasm", component.clone())];
        let set = ComponentSet::load(&LoaderOptions { built_in, ..granted(grants) }).expect("loaded");
        set.set(vec![profile_of_test()]).map(drop).map_err(|error| error.to_string())
    };
    let refused = load(Grants::default()).expect_err("not granted");
    let remedy = "- {name: Test, grants: {read: [{apiVersion: v1, kind: Service}]}}";
    assert!(refused.contains("reads v1 Service, which is not granted to it") && refused.contains(remedy), "{refused}");
    let kind = ObjectKind { api_version: "v1".into(), kind: "Service".into() };
    let read = vec![ReadGrant { kind, namespaces: namespace("a") }];
    assert_eq!(load(Grants { read, ..Grants::default() }), Ok(()));
}

#[test]
fn a_nomination_that_evicts_a_pod_without_a_grant_fails_the_call_and_not_the_plugin() {
    let guest = || Guest::new("Test").exports(&["plugin", "snapshot", "post-filter"]).normalization(NORMALIZE_NONE);
    let nominate = |grants: Grants| {
        let mut host = Host::serving(guest().makes_room().build(), granted(grants));
        host.set_node("node-0");
        host.set_pod("pod", "node-0", 100);
        let first = host.post_filter(1, &mut |cases| Ok(fits(cases)));
        let second = host.post_filter(1, &mut |cases| Ok(fits(cases)));
        assert_eq!(first, second, "the plugin was restarted");
        first
    };
    for grants in [Grants::default(), Grants { evict_pods: Some(namespace("other")), ..Grants::default() }] {
        let refused = nominate(grants).expect_err("not granted").message;
        let expected = "post-filter: it evicts or deletes pod default/pod, which is not granted to it; to grant it, add \
                        to plugins[] of the BerthConfiguration: - {name: Test, grants: {evictPods: {namespaces: \
                        [default]}}}";
        assert_eq!(refused, expected);
    }
    let nominated = nominate(Grants { evict_pods: Some(namespace("default")), ..Grants::default() });
    assert!(matches!(nominated, Ok(PostFilterResult::Nominate(_))), "{nominated:?}");
}
