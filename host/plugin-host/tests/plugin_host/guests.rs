//! Tests that instances are kept up to date, and rebuilt when they break.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use crate::host::{Host, options};
use berth_core::limits::Limits;
use berth_plugin_host::{LoaderOptions, PluginState};
use berth_supervisor::Supervisor;
use berth_test_kit::component::Guest;
use futures::FutureExt;

/// The pod signature for which the plugin traps.
const POISON: u32 = 666;

fn traps_on_poison() -> Vec<u8> {
    let body = "(if (i32.eq (local.get $signature) (i32.const 666)) (then (unreachable)))";
    Guest::new("Test").body("filter", body).build()
}

fn with_nodes(mut host: Host) -> Host {
    for number in 0..5 {
        host.set_node(&format!("node-{number}"));
    }
    host
}

#[test]
fn answers_follow_the_cluster_through_changes_and_rebuilds() {
    let mut host = with_nodes(Host::with(traps_on_poison(), Limits::default()));
    for step in 0..300 {
        let (pod, node) = (format!("pod-{}", step % 17), format!("node-{}", step % 5));
        if step % 3 == 2 {
            host.cache.remove_pod(&pod);
        } else {
            host.set_pod(&pod, &node, step);
        }
        if step == 100 {
            host.cache.remove_node("node-3");
        }
        if step % 50 == 49 {
            host.filter(POISON).expect_err("it traps");
            host.until("it is back", |host| host.recovered.len() as i64 == (step + 1) / 50);
        }
        assert_eq!(host.score(1).expect("it answers"), host.cpu_in_use(), "step {step}");
        // A success in between, so that the failures are not consecutive.
        host.filter(1).expect("it answers");
    }
}

#[test]
fn calls_fail_during_a_restart_and_the_recovery_is_reported() {
    let mut host = with_nodes(Host::with(traps_on_poison(), Limits::default()));
    let error = host.filter(POISON).expect_err("it traps");
    assert_eq!(error.to_string(), "plugin Test: trapped in filter: wasm `unreachable` instruction executed");
    let waiting = host.filter(1).expect_err("it is not back yet").to_string();
    assert!(waiting.starts_with("plugin Test: is being restarted because it trapped in filter"), "{waiting}");
    host.until("it is back", |host| !host.recovered.is_empty());
    assert_eq!(host.filter(1).expect("it answers").nodes, [0; 5]);
    let (state, error) = host.state_of("Test").expect("listed");
    assert_eq!((state, error.contains("trapped in filter")), (PluginState::Loaded, true));
    let usage = host.loader.status()[0].usage;
    assert_eq!((usage.failures, usage.rebuilds), (1, 1));
}

#[test]
fn after_three_failures_in_a_row_the_plugin_backs_off() {
    let mut host = with_nodes(Host::with(traps_on_poison(), Limits::default()));
    for round in 1..=3 {
        host.filter(POISON).expect_err("it traps");
        host.until("it is back", |host| host.recovered.len() == round);
    }
    host.filter(POISON).expect_err("it traps");
    let error = host.filter(1).expect_err("it backs off").to_string();
    assert!(error.contains("failed 4 times in a row and restarts after a backoff"), "{error}");
    let until = host.now.after(Duration::from_secs(1));
    assert_eq!(host.state_of("Test").expect("listed").0, PluginState::BackingOff(until));
    host.now = until;
    host.guests.tick(host.now, &host.cache);
    host.until("it is back", |host| host.recovered.len() == 4);
    assert_eq!(host.filter(1).expect("it answers").nodes, [0; 5]);
}

#[test]
fn a_panic_of_the_rebuilding_thread_is_reported() {
    let supervisor = Supervisor::default();
    let options = LoaderOptions { supervisor: supervisor.clone(), ..options(None) };
    let mut host = with_nodes(Host::serving(traps_on_poison(), options));
    host.panics.store(true, SeqCst);
    host.filter(POISON).expect_err("it traps");
    let mut ended = None;
    host.until("the thread has ended", |_| {
        ended = supervisor.first_end().now_or_never();
        ended.is_some()
    });
    let ended = ended.expect("an end").to_string();
    assert!(ended.starts_with("the thread that rebuilds plugins has ended: it panicked: no such plugin"), "{ended}");
}

#[test]
fn an_invalid_answer_fails_only_that_call() {
    let body = "(if (i32.eq (local.get $signature) (i32.const 666)) (then (i32.store (i32.const 528) (i32.const 2))))";
    let mut host = with_nodes(Host::with(Guest::new("Test").body("filter", body).build(), Limits::default()));
    let error = host.filter(POISON).expect_err("it is too short").to_string();
    assert_eq!(error, "plugin Test: broke the contract in filter: it returned 2 verdicts for 5 nodes");
    assert!(host.filter(1).is_ok(), "it was not restarted");
}

#[test]
fn an_endless_call_is_stopped() {
    let body = "(if (i32.eq (local.get $signature) (i32.const 666)) (then (loop $forever (br $forever))))";
    let limits = Limits { call: Duration::from_millis(30), ..Limits::default() };
    let mut host = with_nodes(Host::with(Guest::new("Test").body("filter", body).build(), limits));
    let error = host.filter(POISON).expect_err("it never ends").to_string();
    assert_eq!(error, "plugin Test: ran longer than 30 ms of CPU time in filter");
}

#[test]
fn a_leaking_guest_is_replaced_without_a_failure() {
    let leaks = Guest::new("Test").body("score", "(drop (memory.grow (i32.const 16)))").build();
    let mut host = with_nodes(Host::with(leaks, Limits { memory: 64 << 20, recycle_percent: 25, ..Limits::default() }));
    for _ in 0..200 {
        host.score(1).expect("it answers");
        host.receive_all();
        // A quarter of 64 MiB; above it, a replacement is built.
        let large = |host: &mut Host| host.loader.status()[0].usage.memory >= 16 << 20;
        if large(&mut host) {
            host.until("its successor is there", move |host| !large(host));
        }
    }
    let usage = host.loader.status()[0].usage;
    assert!(usage.rebuilds >= 5 && usage.failures == 0, "{usage:?}");
}

#[test]
fn an_instance_that_fell_behind_is_filled_again() {
    let mut host = with_nodes(Host::with(traps_on_poison(), Limits::default()));
    host.filter(1).expect("it answers");
    for step in 0..40_000 {
        host.set_pod("pod", "node-1", step);
    }
    for asked in ["it is behind", "it is being filled"] {
        let error = host.filter(1).expect_err(asked);
        assert!(error.filling && error.message.contains("fell behind the cluster's changes"), "{asked}: {error}");
    }
    host.until("it is back", |host| !host.recovered.is_empty());
    assert_eq!(host.score(1).expect("it answers"), host.cpu_in_use());
    assert_eq!(host.loader.status()[0].usage.failures, 0);
}

#[test]
fn an_instance_receives_changes_without_other_calls() {
    let mut host = with_nodes(Host::with(traps_on_poison(), Limits::default()));
    host.filter(1).expect("it answers");
    for step in 0..40_000 {
        host.set_pod("pod", "node-1", step);
        if step % 256 == 0 {
            host.guests.tick(host.now, &host.cache);
        }
    }
    assert_eq!(host.score(1).expect("it answers"), host.cpu_in_use());
    assert_eq!(host.loader.status()[0].usage.rebuilds, 0);
}

#[test]
fn an_instance_that_reads_nothing_of_the_cluster_never_falls_behind() {
    let mut host = with_nodes(Host::with(Guest::new("Test").node_facts(0).build(), Limits::default()));
    host.filter(1).expect("it answers");
    for step in 0..40_000 {
        host.set_pod("pod", "node-1", step);
    }
    host.filter(1).expect("it answers");
    assert_eq!(host.loader.status()[0].usage.rebuilds, 0);
}

#[test]
fn a_signature_is_sent_once_until_it_is_removed() {
    let count = "(i64.store (i32.const 0x8000) (i64.add (i64.load (i32.const 0x8000)) (i64.const 1)))";
    let tell = "(i64.store (local.get $scores) (i64.load (i32.const 0x8000)))";
    let guest = Guest::new("Test").body("add_signature", count).body("score", tell).build();
    let mut host = with_nodes(Host::with(guest, Limits::default()));
    let held = |host: &mut Host, signature| host.score(signature).expect("it answers")[0];
    assert_eq!((held(&mut host, 1), held(&mut host, 2), held(&mut host, 1)), (1, 2, 2));
    let forgotten = berth_core::plugins::PodSignatureId(1);
    berth_core::Plugins::forget_signatures(&mut host.guests, &berth_core::reads::PodReads::default(), &[forgotten]);
    assert_eq!((held(&mut host, 2), held(&mut host, 1)), (2, 3));
}

#[test]
fn counted_work_is_deterministic_and_optional() {
    let of_a_filter = |counts_work| {
        let options = LoaderOptions { counts_work, ..options(None) };
        let mut host = with_nodes(Host::serving(Guest::new("Test").build(), options));
        // The first call also sends the pod and the latest changes.
        host.filter(1).expect("it answers");
        let before = host.loader.status()[0].usage;
        host.filter(1).expect("it answers");
        let after = host.loader.status()[0].usage;
        assert_eq!(after.calls - before.calls, 1);
        (after.fuel - before.fuel, after.bytes - before.bytes)
    };
    assert_eq!(of_a_filter(false), (0, 0));
    let (fuel, bytes) = of_a_filter(true);
    // A cycle and a list of five ids; a result that may be an error, of two lists: a status with its reason, and five
    // verdicts.
    assert_eq!(bytes, (32 + 8 + 5 * 4) + (4 + 2 * 8) + (4 + 8 + 8 + "told so".len() as u64) + 5 * 2);
    assert!((1..1_000).contains(&fuel), "{fuel}");
    assert_eq!(of_a_filter(true), (fuel, bytes));
}
