//! kube-scheduler's metrics, each with the parts that must be equal in Berth, and the reasons for differences.

use std::collections::{BTreeMap, BTreeSet};

use super::scrape::{Labels, Scrape};

/// The parts of a metric that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// Type, labels, counts by labels, and the buckets with their counts.
    Values,
    /// Type, labels, counts by labels, and the bounds of the buckets.
    Counts,
    /// Type, labels with their values, and the bounds of the buckets.
    Series,
    /// Type, names of labels, and the bounds of the buckets. The counts are random.
    Names,
    /// Berth does not have the metric, because it does nothing of the kind.
    Missing,
}

/// All metrics that kube-scheduler has after the workload. docs/differences.md lists the missing ones.
pub const METRICS: &[(&str, Alike)] = &[
    ("scheduler_schedule_attempts_total", Alike::Counts),
    ("scheduler_scheduling_attempt_duration_seconds", Alike::Counts),
    ("scheduler_scheduling_algorithm_duration_seconds", Alike::Counts),
    ("scheduler_pod_scheduling_attempts", Alike::Values),
    ("scheduler_pod_scheduling_sli_duration_seconds", Alike::Counts),
    ("scheduler_pending_pods", Alike::Counts),
    ("scheduler_queue_incoming_pods_total", Alike::Counts),
    ("scheduler_framework_extension_point_duration_seconds", Alike::Counts),
    // kube-scheduler records one attempt in ten, at random.
    ("scheduler_plugin_execution_duration_seconds", Alike::Names),
    // Berth asks a plugin once about all nodes, and uses cached results.
    ("scheduler_plugin_evaluation_total", Alike::Series),
    ("scheduler_unschedulable_pods", Alike::Counts),
    ("scheduler_preemption_attempts_total", Alike::Counts),
    ("scheduler_preemption_victims", Alike::Values),
    ("scheduler_cache_size", Alike::Counts),
    ("scheduler_batch_attempts_total", Alike::Missing),
    ("scheduler_batch_cache_flushed_total", Alike::Missing),
    ("scheduler_event_handling_duration_seconds", Alike::Missing),
    ("scheduler_get_node_hint_duration_seconds", Alike::Missing),
    ("scheduler_goroutines", Alike::Missing),
    ("scheduler_inflight_events", Alike::Missing),
    ("scheduler_pod_scheduled_after_flush_total", Alike::Missing),
    ("scheduler_preemption_goroutines_duration_seconds", Alike::Missing),
    ("scheduler_preemption_goroutines_execution_total", Alike::Missing),
    ("scheduler_queueing_hint_execution_duration_seconds", Alike::Missing),
    ("scheduler_store_schedule_results_duration_seconds", Alike::Missing),
];

/// Series of kube-scheduler that Berth does not have, given by two of their labels: extension points that Berth
/// does not have, and plugins that do the same work at another extension point.
const NOT_THERE: [[(&str, &str); 2]; 6] = [
    [("extension_point", "PreBindPreFlight"), ("status", "Skip")],
    [("extension_point", "Sign"), ("status", "Success")],
    [("extension_point", "PreFilter"), ("plugin", "NodeResourcesFit")],
    [("extension_point", "PreScore"), ("plugin", "NodeResourcesFit")],
    [("extension_point", "PreScore"), ("plugin", "TaintToleration")],
    [("extension_point", "Score"), ("plugin", "DynamicResources")],
];

/// Returns the differences, one per line.
pub fn differences(theirs: &Scrape, ours: &Scrape) -> Vec<String> {
    let mut lines = Vec::new();
    for metric in theirs.kinds.keys().filter(|metric| metric.starts_with("scheduler_")) {
        match METRICS.iter().find(|(name, _)| name == metric) {
            Some((_, alike)) => lines.extend(of_metric(metric, *alike, theirs, ours)),
            None => lines.push(format!("{metric}: kube-scheduler has it, and nothing says what of it Berth has")),
        }
    }
    for (metric, _) in METRICS.iter().filter(|(metric, _)| !theirs.kinds.contains_key(*metric)) {
        lines.push(format!("{metric}: kube-scheduler does not have it"));
    }
    lines
}

fn of_metric(metric: &str, alike: Alike, theirs: &Scrape, ours: &Scrape) -> Vec<String> {
    let (their_kind, our_kind) = (theirs.kinds.get(metric), ours.kinds.get(metric));
    if alike == Alike::Missing {
        return our_kind.map(|_| format!("{metric}: Berth has it after all")).into_iter().collect();
    }
    let mut lines = Vec::new();
    if their_kind != our_kind {
        lines.push(format!("{metric}: is {their_kind:?}, and Berth's {our_kind:?}"));
    }
    let (names, our_names) = (theirs.label_names(metric), ours.label_names(metric));
    if names != our_names {
        lines.push(format!("{metric}: has labels {names:?}, and Berth's {our_names:?}"));
    }
    let (bounds, our_bounds) = (bounds(theirs, metric), bounds(ours, metric));
    if bounds != our_bounds {
        lines.push(format!("{metric}: has buckets {bounds:?}, and Berth's {our_bounds:?}"));
    }
    let (mut counts, our_counts) = (without_gates(theirs.counts(metric)), without_gates(ours.counts(metric)));
    counts.retain(|labels, _| {
        !NOT_THERE.iter().any(|series| series.iter().all(|(name, value)| has(labels, name, value)))
    });
    match alike {
        Alike::Counts | Alike::Values => lines.extend(of_series(metric, &counts, &our_counts)),
        Alike::Series => lines.extend(of_series(metric, &ones(&counts), &ones(&our_counts))),
        Alike::Names | Alike::Missing => {}
    }
    if alike == Alike::Values && theirs.buckets(metric) != ours.buckets(metric) {
        lines.push(format!("{metric}: has {:?}, and Berth's {:?}", theirs.buckets(metric), ours.buckets(metric)));
    }
    lines
}

fn has(labels: &Labels, name: &str, value: &str) -> bool {
    labels.get(name).is_some_and(|shown| shown == value)
}

/// Reduces the counts of PreEnqueue to 1 with status `Success`. kube-scheduler counts every result of PreEnqueue as
/// a success. For a pod that failed, kube-scheduler calls PreEnqueue when the backoff begins, Berth when the
/// backoff ends. So the test only checks that both called it.
fn without_gates(mut counts: BTreeMap<Labels, f64>) -> BTreeMap<Labels, f64> {
    let asked: Vec<Labels> =
        counts.keys().filter(|labels| has(labels, "extension_point", "PreEnqueue")).cloned().collect();
    for mut labels in asked {
        counts.remove(&labels);
        labels.insert("status".to_owned(), "Success".to_owned());
        counts.insert(labels, 1.0);
    }
    counts
}

fn bounds(scrape: &Scrape, metric: &str) -> BTreeSet<String> {
    scrape.buckets(metric).into_values().flat_map(BTreeMap::into_keys).collect()
}

fn ones(counts: &BTreeMap<Labels, f64>) -> BTreeMap<Labels, f64> {
    counts.keys().map(|labels| (labels.clone(), 1.0)).collect()
}

fn of_series(metric: &str, theirs: &BTreeMap<Labels, f64>, ours: &BTreeMap<Labels, f64>) -> Vec<String> {
    let all: BTreeSet<&Labels> = theirs.keys().chain(ours.keys()).collect();
    let differ = all.into_iter().filter(|labels| theirs.get(labels) != ours.get(labels));
    let line = |labels: &Labels| {
        let [theirs, ours] = [theirs, ours].map(|counts| counts.get(labels).copied().unwrap_or_default());
        format!("{metric} {labels:?}: {theirs}, and Berth's {ours}")
    };
    differ.map(line).collect()
}
