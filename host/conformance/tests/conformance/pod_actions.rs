//! Tests that the examination compares what plugins do with other pods.

use berth_conformance::Promise;
use berth_test_kit::component::{Guest, NORMALIZE_NONE};

use super::wrong_guests::{COUNT, COUNTER, breaks, examined};

/// Returns a component with these exports that reads nothing.
fn guest(exports: &[&'static str]) -> Guest {
    Guest::new("Wrong").exports(exports).node_facts(0).normalization(NORMALIZE_NONE)
}

/// Returns code that stores a list with the uid `told so` at this address, in every second call.
fn every_second_time(list: usize) -> String {
    let odd = format!("(i32.wrap_i64 (i64.rem_u {COUNTER} (i64.const 2)))");
    format!("{COUNT} (i32.store (i32.const {list}) (i32.const 264)) (i32.store (i32.const {}) {odd})", list + 4)
}

#[test]
fn pod_actions_are_part_of_the_answers() {
    let changing = |function, list| guest(&["plugin", "reserve", "permit"]).body(function, &every_second_time(list));
    let expected = |list: &str| format!("{list}: [\"told so\"]");
    for (function, list, name) in [
        ("permit", 3232, "approve"),
        ("permit", 3248, "activate"),
        ("unreserve", 3160, "approve"),
        ("unreserve", 3176, "activate"),
    ] {
        breaks(name, &changing(function, list), Promise::Repeatable, function, &expected(name));
    }
    let post_filter = guest(&["plugin", "post-filter"]).body("post_filter", &every_second_time(2092));
    breaks("post-filter", &post_filter, Promise::Repeatable, "post-filter", &expected("activate"));
}

/// A plugin receives the identity of the pod beside its signature, so pods with one signature may have other answers.
#[test]
fn pod_actions_may_depend_on_the_identity() {
    let approve_itself = "(i32.store (i32.const 0x8020) (local.get $uid))
        (i32.store (i32.const 0x8024) (local.get $uid_length))
        (i32.store (i32.const 3232) (i32.const 0x8020)) (i32.store (i32.const 3236) (i32.const 1))";
    let conformance = examined(&guest(&["plugin", "permit"]).body("permit", approve_itself));
    assert_eq!(conformance.findings, []);
}
