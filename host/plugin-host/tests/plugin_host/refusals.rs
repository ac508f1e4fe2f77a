//! Tests each reason why a component is refused, and its message.

use std::time::Duration;

use berth_conformance::{CheckReport, Examination, check};
use berth_core::limits::Limits;
use berth_plugin_host::LoadError;
use berth_test_kit::component::{Guest, NORMALIZE_CUSTOM, NORMALIZE_NONE};
use tempfile::TempDir;

/// Returns small limits, so that an endless call ends soon.
fn limits() -> Limits {
    let soon = Duration::from_millis(50);
    Limits { call: soon, apply: soon, startup: soon, memory: 16 << 20, file_size: 1 << 20, ..Limits::default() }
}

pub fn check_bytes(bytes: &[u8], arguments: &str) -> Result<CheckReport, LoadError> {
    let dir = TempDir::new().expect("a temporary directory");
    let file = dir.path().join("plugin.wasm");
    std::fs::write(&file, bytes).expect("written");
    check(&file, arguments, limits(), Examination::default())
}

/// Checks that the component is refused with a sentence that names the file and contains `expected`.
pub fn refused(what: &str, bytes: &[u8], expected: &str) {
    let error = check_bytes(bytes, "{}").expect_err(what).to_string();
    assert!(error.contains("plugin.wasm: ") && error.contains(expected), "{what}: {error}");
}

#[test]
fn a_good_guest_is_reported() {
    let report = check_bytes(&Guest::new("Good").build(), "{}").expect("good");
    assert_eq!((&*report.declaration.name, &*report.declaration.version), ("Good", "1.2.3"));
    assert_eq!((report.exports.as_str(), report.snapshot), ("filter, score", true));
    assert_eq!(report.calls.iter().map(|(call, _)| call.to_string()).collect::<Vec<_>>(), ["filter", "score"]);
    assert!(report.memory >= 32 << 16);
}

#[test]
fn files_without_a_component_are_refused() {
    let good = Guest::new("Good").build();
    refused("empty", b"", "is empty");
    refused("not wasm", b"#!/bin/sh\n", "is not WebAssembly");
    refused("a few bytes", &good[..6], "is cut off after 6 bytes");
    refused("half a file", &good[..good.len() / 2], &format!("is cut off after {} bytes", good.len() / 2));
    refused("garbage inside", &[&good[..8], &[51; 100]].concat(), "is not valid WebAssembly");
    refused("a core module", &Guest::new("Core").core_module(), "is a core module, not a component");
    refused("too large", &vec![0; (1 << 20) + 1], "is 1048577 bytes large, more than the 1048576");
    let missing = check(std::path::Path::new("/nowhere/plugin.wasm"), "{}", limits(), Examination::default())
        .expect_err("missing");
    assert!(missing.to_string().contains("can't be read: No such file"), "{missing}");
}

#[test]
fn components_that_are_not_plugins_are_refused() {
    let with = |exports: &[&'static str]| Guest::new("Odd").exports(exports).build();
    refused("no plugin", &with(&["filter"]), "exports no `berth:scheduler/plugin@0.2.0`");
    refused("nothing to call", &with(&["plugin", "normalize"]), "exports none of the extension points");
    refused("HTTP", &Guest::new("Http").with_http().build(), "imports `wasi:http/outgoing-handler@0.2.0`");
    refused("no snapshot", &with(&["plugin", "filter"]), "declares that it reads usage, but exports no");
    let custom = Guest::new("Custom").normalization(NORMALIZE_CUSTOM).build();
    refused("no normalize", &custom, "exports no `berth:scheduler/normalize`");
    refused("a bad name", &Guest::new("no name").build(), "has the invalid name \"no name\"");
    refused("no name", &Guest::new("").build(), "has the invalid name \"\"");
}

#[test]
fn components_for_other_contract_versions_are_refused() {
    let of = |version: &'static str| Guest::new("Other").contract(version).build();
    refused("an older minor version", &of("0.0.9"), "uses version 0.0.9 of the contract");
    refused("a newer minor version", &of("0.3.0"), "uses version 0.3.0 of the contract");
    for version in ["0.1.7", "0.2.7"] {
        check_bytes(&of(version), "{}").expect("a version with the same minor version");
    }
    let line = "        version: string,\n";
    let record = |version: &'static str| {
        let changed = "        version: string,\n        licence: string,\n";
        Guest::new("Old").contract(version).contract_line(line, changed).build()
    };
    for (version, expected) in [("0.1.0", "2 fields, found 3 fields"), ("0.2.0", "3 fields, found 4 fields")] {
        let expected = format!("expected record of {expected}. Build it with the SDK");
        refused("a record had another field", &record(version), &expected);
    }
}

#[test]
fn plugins_that_fail_at_the_start_are_refused() {
    let with = |function, body: &str| Guest::new("Bad").body(function, body).build();
    let forever = "(loop $forever (br $forever)) (unreachable)";
    let greedy = "(loop $more (drop (memory.grow (i32.const 16))) (br $more)) (unreachable)";
    refused("traps in describe", &with("describe", "(unreachable)"), "trapped in describe: ");
    refused("traps in configure", &with("configure", "(unreachable)"), "trapped in configure: ");
    refused(
        "its own words",
        &with("configure", "(i32.const 208)"),
        "refuses its arguments: no thank you (arguments: {})",
    );
    refused("runs for ever", &with("configure", forever), "ran longer than 50 ms of CPU time in configure");
    refused("wants all memory", &with("configure", greedy), "wanted more than 16 MiB of memory in configure");
    let panics = Guest::new("Panics").panics("configure", "index out of bounds, lib.rs:7").build();
    refused("panics", &panics, "trapped in configure: index out of bounds, lib.rs:7");
}

#[test]
fn plugins_that_fail_their_trial_are_refused() {
    let with = |function, body: &str| Guest::new("Bad").body(function, body).build();
    let forever = "(loop $forever (br $forever))";
    let greedy = "(loop $more (drop (memory.grow (i32.const 16))) (br $more))";
    refused(
        "traps in filter",
        &with("filter", "(unreachable)"),
        "failed its trial run over 1000 nodes: trapped in filter",
    );
    refused("filters for ever", &with("filter", forever), "ran longer than 50 ms of CPU time in filter");
    refused("scores for ever", &with("score", forever), "ran longer than 50 ms of CPU time in score");
    refused("wants all memory", &with("score", greedy), "wanted more than 16 MiB of memory in score");
    refused("applies for ever", &with("apply", forever), "ran longer than 50 ms of CPU time in apply");
    refused(
        "too few verdicts",
        &with("filter", "(i32.store (i32.const 528) (i32.const 3))"),
        "it returned 3 verdicts for 1000 nodes",
    );
    refused(
        "too few scores",
        &with("score", "(i32.store (i32.const 552) (i32.const 3))"),
        "it returned 3 scores for 1000 nodes",
    );
    let no_outcome = "(i32.store16 (local.get $verdicts) (i32.const 2))";
    refused(
        "no such outcome",
        &with("filter", no_outcome),
        "a verdict refers to outcome 2, but it returned only 1 outcomes",
    );
    let minus_one = "(i64.store (local.get $scores) (i64.const -1))";
    refused("a negative score", &with("score", minus_one), "a score of -1, but scores that the host normalizes");
    let raw = Guest::new("Raw")
        .normalization(NORMALIZE_NONE)
        .body("score", "(i64.store (local.get $scores) (i64.const 101))");
    refused("a score too high", &raw.build(), "a score of 101, but scores that are not normalized");
    let custom = Guest::new("Custom")
        .exports(&["plugin", "snapshot", "score", "normalize"])
        .normalization(NORMALIZE_CUSTOM)
        .body("normalize", "(i64.store (local.get $scores) (i64.const 1000))");
    refused("normalizes too high", &custom.build(), "a score of 1000, but normalized scores");
    refused("never can tell", &with("filter", "(return (i32.const 208))"), "filter failed: no thank you");
}
