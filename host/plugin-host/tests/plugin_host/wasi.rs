//! Tests plugins that import WASI.

use crate::host::Host;
use berth_conformance::Examination;
use berth_core::limits::Limits;
use berth_test_kit::component::Guest;

fn on_one_node(guest: &Guest) -> Host {
    let mut host = Host::with(guest.build(), Limits::default());
    host.set_node("node");
    host
}

#[test]
fn the_clock_starts_at_the_time_of_the_cycle_and_advances() {
    let mut host = on_one_node(&clock().reads_time());
    let cycle = i64::try_from(host.now.0).expect("a time") * 1_000_000;
    let seen: Vec<i64> = (0..3).map(|_| host.score(1).expect("it answers")[0] - cycle).collect();
    assert!(seen[0] > 0 && seen[0] < seen[1] && seen[1] < seen[2] && seen[2] < 1_000_000, "{seen:?}");
}

#[test]
fn the_clock_has_no_time_for_a_plugin_that_does_not_declare_it() {
    let mut host = on_one_node(&clock());
    let seen: Vec<i64> = (0..3).map(|_| host.score(1).expect("it answers")[0]).collect();
    assert!(seen[0] > 0 && seen[0] < seen[1] && seen[1] < seen[2] && seen[2] < 1_000_000, "{seen:?}");
}

/// A plugin whose score is the time of its clock in nanoseconds.
fn clock() -> Guest {
    Guest::new("Test").with_clock().body("score", "(i64.store (local.get $scores) (call $now))")
}

#[test]
fn the_last_line_on_stderr_is_the_message_of_a_trap() {
    let body = "(call $print (call $stderr) (i32.const 640) (i32.const 14) (i32.const 700)) (unreachable)";
    let guest = Guest::new("Test").with_files().body("data", r#"(data (i32.const 640) "first\nno luck\n")"#);
    let error = check(&guest.body("filter", body));
    assert!(error.contains("no luck"), "{error}");
}

#[test]
fn there_are_no_files() {
    // Traps unless the list of directories is empty and a read is denied (error 1 of `busy, access, io`).
    let body = "(call $directories (i32.const 700))
                (if (i32.load (i32.const 704)) (then (unreachable)))
                (call $read (call $root) (i32.const 720))
                (if (i32.ne (i32.load8_u (i32.const 720)) (i32.const 1)) (then (unreachable)))
                (if (i32.ne (i32.load8_u (i32.const 728)) (i32.const 1)) (then (unreachable)))";
    let mut host = on_one_node(&Guest::new("Test").with_files().body("filter", body));
    assert_eq!(host.filter(1).expect("it answers").nodes, [0]);
}

/// Returns the reason why the trial refuses the component.
fn check(guest: &Guest) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("plugin.wasm");
    std::fs::write(&file, guest.build()).expect("written");
    berth_conformance::check(&file, "{}", Limits::default(), Examination::default()).expect_err("it traps").to_string()
}
