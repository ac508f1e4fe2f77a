//! kube-scheduler's metrics, each with the parts that must be equal in Berth, and the reasons for differences.

use std::collections::{BTreeMap, BTreeSet};

use super::scrape::{Labels, Scrape};

/// The parts of a metric that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EqualParts {
    /// Type, labels, counts by labels, and the buckets with their counts.
    Values,
    /// Type, labels, counts by labels, and the bounds of the buckets.
    Counts,
    /// Type, labels with their values, and the bounds of the buckets.
    Series,
    /// Type, names of labels, and the bounds of the buckets. The counts are random.
    Names,
    /// Berth does not have the metric, because Berth does not do the work that the metric counts.
    Missing,
}

/// All metrics that kube-scheduler has after the workload and whose names start with `scheduler_`. docs/differences.md
/// explains the metrics that Berth does not have.
pub const METRICS: &[(&str, EqualParts)] = &[
    ("scheduler_schedule_attempts_total", EqualParts::Counts),
    ("scheduler_scheduling_attempt_duration_seconds", EqualParts::Counts),
    ("scheduler_scheduling_algorithm_duration_seconds", EqualParts::Counts),
    ("scheduler_pod_scheduling_attempts", EqualParts::Values),
    ("scheduler_pod_scheduling_sli_duration_seconds", EqualParts::Counts),
    ("scheduler_pending_pods", EqualParts::Counts),
    ("scheduler_queue_incoming_pods_total", EqualParts::Counts),
    ("scheduler_framework_extension_point_duration_seconds", EqualParts::Counts),
    // kube-scheduler records one attempt in ten, at random.
    ("scheduler_plugin_execution_duration_seconds", EqualParts::Names),
    // Berth asks a plugin once about all nodes, and uses cached results.
    ("scheduler_plugin_evaluation_total", EqualParts::Series),
    ("scheduler_unschedulable_pods", EqualParts::Counts),
    ("scheduler_preemption_attempts_total", EqualParts::Counts),
    ("scheduler_preemption_victims", EqualParts::Values),
    ("scheduler_cache_size", EqualParts::Counts),
    ("scheduler_batch_attempts_total", EqualParts::Missing),
    ("scheduler_batch_cache_flushed_total", EqualParts::Missing),
    ("scheduler_event_handling_duration_seconds", EqualParts::Missing),
    ("scheduler_get_node_hint_duration_seconds", EqualParts::Missing),
    ("scheduler_goroutines", EqualParts::Missing),
    ("scheduler_inflight_events", EqualParts::Missing),
    ("scheduler_pod_scheduled_after_flush_total", EqualParts::Missing),
    ("scheduler_preemption_goroutines_duration_seconds", EqualParts::Missing),
    ("scheduler_preemption_goroutines_execution_total", EqualParts::Missing),
    ("scheduler_queueing_hint_execution_duration_seconds", EqualParts::Missing),
    ("scheduler_store_schedule_results_duration_seconds", EqualParts::Missing),
];

/// Series of kube-scheduler that Berth does not have, each given by two of its labels. Reasons: Berth does not have the
/// extension point, or the plugin does the same work at another extension point in Berth.
const MISSING_SERIES: [[(&str, &str); 2]; 6] = [
    [("extension_point", "PreBindPreFlight"), ("status", "Skip")],
    [("extension_point", "Sign"), ("status", "Success")],
    [("extension_point", "PreFilter"), ("plugin", "NodeResourcesFit")],
    [("extension_point", "PreScore"), ("plugin", "NodeResourcesFit")],
    [("extension_point", "PreScore"), ("plugin", "TaintToleration")],
    [("extension_point", "Score"), ("plugin", "DynamicResources")],
];

/// Returns the differences between the metrics of the two schedulers, one per line.
pub fn differences(theirs: &Scrape, ours: &Scrape) -> Vec<String> {
    let mut lines = Vec::new();
    for metric in theirs.kinds.keys().filter(|metric| metric.starts_with("scheduler_")) {
        match METRICS.iter().find(|(name, _)| name == metric) {
            Some((_, equal_parts)) => lines.extend(metric_differences(metric, *equal_parts, theirs, ours)),
            None => lines.push(format!("{metric}: kube-scheduler has it, but METRICS does not list it")),
        }
    }
    for (metric, _) in METRICS.iter().filter(|(metric, _)| !theirs.kinds.contains_key(*metric)) {
        lines.push(format!("{metric}: METRICS lists it, but kube-scheduler does not have it"));
    }
    lines
}

fn metric_differences(metric: &str, equal_parts: EqualParts, theirs: &Scrape, ours: &Scrape) -> Vec<String> {
    let (their_kind, our_kind) = (theirs.kinds.get(metric), ours.kinds.get(metric));
    if equal_parts == EqualParts::Missing {
        return our_kind
            .map(|_| format!("{metric}: METRICS lists it as missing, but Berth has it"))
            .into_iter()
            .collect();
    }
    let mut lines = Vec::new();
    if their_kind != our_kind {
        lines.push(format!("{metric}: the type is {their_kind:?} in kube-scheduler, {our_kind:?} in Berth"));
    }
    let (names, our_names) = (theirs.label_names(metric), ours.label_names(metric));
    if names != our_names {
        lines.push(format!("{metric}: the labels are {names:?} in kube-scheduler, {our_names:?} in Berth"));
    }
    let (bounds, our_bounds) = (bounds(theirs, metric), bounds(ours, metric));
    if bounds != our_bounds {
        lines.push(format!("{metric}: the bucket bounds are {bounds:?} in kube-scheduler, {our_bounds:?} in Berth"));
    }
    let (mut counts, our_counts) =
        (normalize_pre_enqueue(theirs.counts(metric)), normalize_pre_enqueue(ours.counts(metric)));
    counts.retain(|labels, _| {
        !MISSING_SERIES.iter().any(|series| series.iter().all(|(name, value)| has(labels, name, value)))
    });
    match equal_parts {
        EqualParts::Counts | EqualParts::Values => lines.extend(series_differences(metric, &counts, &our_counts)),
        EqualParts::Series => {
            lines.extend(series_differences(metric, &with_counts_of_one(&counts), &with_counts_of_one(&our_counts)))
        }
        EqualParts::Names | EqualParts::Missing => {}
    }
    if equal_parts == EqualParts::Values && theirs.buckets(metric) != ours.buckets(metric) {
        lines.push(format!(
            "{metric}: the buckets are {:?} in kube-scheduler, {:?} in Berth",
            theirs.buckets(metric),
            ours.buckets(metric)
        ));
    }
    lines
}

fn has(labels: &Labels, name: &str, value: &str) -> bool {
    labels.get(name).is_some_and(|shown| shown == value)
}

/// Reduces the counts of PreEnqueue to 1 with status `Success`. kube-scheduler counts every result of PreEnqueue as
/// a success. For a pod that failed, kube-scheduler calls PreEnqueue when the backoff begins, Berth when the
/// backoff ends. So the test only checks that both schedulers called PreEnqueue.
fn normalize_pre_enqueue(mut counts: BTreeMap<Labels, f64>) -> BTreeMap<Labels, f64> {
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

fn with_counts_of_one(counts: &BTreeMap<Labels, f64>) -> BTreeMap<Labels, f64> {
    counts.keys().map(|labels| (labels.clone(), 1.0)).collect()
}

fn series_differences(metric: &str, theirs: &BTreeMap<Labels, f64>, ours: &BTreeMap<Labels, f64>) -> Vec<String> {
    let all: BTreeSet<&Labels> = theirs.keys().chain(ours.keys()).collect();
    let differ = all.into_iter().filter(|labels| theirs.get(labels) != ours.get(labels));
    let line = |labels: &Labels| {
        let [theirs, ours] = [theirs, ours].map(|counts| counts.get(labels).copied().unwrap_or_default());
        format!("{metric} {labels:?}: the count is {theirs} in kube-scheduler, {ours} in Berth")
    };
    differ.map(line).collect()
}
