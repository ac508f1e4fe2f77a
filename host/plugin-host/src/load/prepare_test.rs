//! Tests when a component's trial runs.

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::grants::GrantPolicy;
use berth_core::limits::Limits;
use berth_test_kit::component::Guest;

use super::{Cluster, LoadedComponent, prepare};
use crate::engine::engine;
use crate::feed::Feeder;
use crate::load::{Compiler, Source};
use crate::metrics::Counters;
use crate::synthetic;

/// Prepares an instance for an empty cluster, or for one with nodes. Returns the number of calls of the component.
fn calls(component: &LoadedComponent, arguments: &str, limits: &Arc<Limits>, nodes: usize) -> u64 {
    let counters = Arc::<Counters>::default();
    let mut copy = |_: &_| Ok(if nodes == 0 { Cache::default() } else { synthetic::cluster(nodes) });
    let mut cluster = Cluster::new(&mut copy);
    prepare(component, arguments, &mut cluster, &mut Feeder::default(), limits, &counters).expect("a good component");
    counters.read().calls
}

#[test]
fn a_trial_on_an_empty_cluster_runs_once_for_arguments_and_limits() {
    let limits = Arc::<Limits>::default();
    let compiler = Compiler::new(engine().expect("an engine"), None, Arc::clone(&limits), GrantPolicy::Everything);
    let bytes = Guest::new("Test").build();
    let loaded = compiler.expect("a compiler").load(Source::file("test.wasm"), &bytes).expect("a component");
    let first = calls(&loaded, "{}", &limits, 0);
    let second = calls(&loaded, "{}", &limits, 0);
    assert!(second < first, "{first} calls, then {second}");
    assert_eq!(calls(&loaded, r#"{"a":1}"#, &limits, 0), first, "other arguments");
    let others = Arc::new(Limits { log_lines: limits.log_lines + 1, ..Limits::clone(&limits) });
    assert_eq!(calls(&loaded, "{}", &others, 0), first, "other limits");
    let filled = calls(&loaded, "{}", &limits, 10);
    assert!(filled > second && calls(&loaded, "{}", &limits, 10) == filled, "the trial runs on each real cluster");
}
