//! Updates the metrics of frequent events on the scheduling thread. The meter keeps the handles of the most frequent
//! metrics, so that an event does not look up the handle by labels.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use berth_core::Timestamp;
use berth_core::attempt::{Attempt, Outcome};
use berth_core::plugins::{ExtensionPoints, PluginId, PointOutcome};
use berth_core::profile::Profile;
use hashbrown::HashMap;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use super::Metrics;
use super::labels::{
    AttemptLabels, AttemptsLabels, CallLabels, EvaluationLabels, PluginLabels, PointLabels, WaitLabels,
};

/// Plugin calls are timed in one of this many scheduling cycles. kube-scheduler times the same share of cycles.
const SAMPLE: u64 = 10;

/// The extension points at which kube-scheduler counts evaluations.
const EVALUATED: [ExtensionPoints; 4] =
    [ExtensionPoints::PRE_FILTER, ExtensionPoints::FILTER, ExtensionPoints::PRE_SCORE, ExtensionPoints::SCORE];

/// Updates the metrics of frequent events, for one thread.
pub struct Meter {
    metrics: Arc<Metrics>,
    profiles: HashMap<Box<str>, ProfileMeter>,
    /// The extension point that began last, apart from `lasting`. Stays set after the end of the extension point.
    running: Option<Running>,
    /// Extension points that outlast a step of the core, by pod uid: pre-bind, and bindings in progress at the API
    /// server.
    lasting: HashMap<Box<str>, Running>,
    /// The plugin instances in service, by plugin name.
    serving: HashMap<Arc<str>, Vec<PluginId>>,
}

struct Running {
    point: ExtensionPoints,
    began: Instant,
    profile: Box<str>,
}

/// Metric handles of one profile.
#[derive(Default)]
struct ProfileMeter {
    attempts: HashMap<Outcome, (Counter, Histogram)>,
    points: HashMap<(ExtensionPoints, PointOutcome), Histogram>,
    calls: HashMap<(PluginId, ExtensionPoints), Counter>,
}

impl ProfileMeter {
    fn point_took(
        &mut self,
        metrics: &Metrics,
        point: ExtensionPoints,
        outcome: PointOutcome,
        profile: &str,
        took: Duration,
    ) {
        let histogram = self.points.entry((point, outcome)).or_insert_with(|| {
            let (extension_point, status) = (name_of(point), status_of(outcome));
            let labels = PointLabels { extension_point, status, profile: profile.to_owned() };
            metrics.point_duration.get_or_create_owned(&labels)
        });
        histogram.observe(took.as_secs_f64());
    }
}

/// A call into a plugin.
pub struct Call {
    /// The plugin instance.
    pub plugin: PluginId,
    /// The extension point.
    pub point: ExtensionPoints,
    /// The result: `Success`, `Unschedulable`, `UnschedulableAndUnresolvable`, `Skip`, `Wait`, `Error`.
    pub status: &'static str,
    /// The duration, or `None` if the call was not timed.
    pub took: Option<Duration>,
}

impl Meter {
    /// Returns a meter that counts into `metrics`.
    #[must_use]
    pub fn new(metrics: Arc<Metrics>) -> Self {
        Self { metrics, profiles: HashMap::new(), running: None, lasting: HashMap::new(), serving: HashMap::new() }
    }

    /// Returns whether plugin calls are timed in the scheduling cycle with this number.
    #[must_use]
    pub fn is_timed(cycle: u64) -> bool {
        cycle % SAMPLE == 1
    }

    /// Records that an extension point begins.
    pub fn point_begins(&mut self, point: ExtensionPoints, scheduler_name: &str) {
        if !self.profiles.contains_key(scheduler_name) {
            self.profiles.insert(scheduler_name.into(), ProfileMeter::default());
        }
        let profile = match self.running.take() {
            Some(before) if *before.profile == *scheduler_name => before.profile,
            _ => scheduler_name.into(),
        };
        self.running = Some(Running { point, began: Instant::now(), profile });
    }

    /// Records that the extension point that began last has ended.
    pub fn point_ends(&mut self, outcome: PointOutcome) {
        let Some(Running { point, began, profile }) = &self.running else { return };
        let Some(meter) = self.profiles.get_mut(profile) else { return };
        meter.point_took(&self.metrics, *point, outcome, profile, began.elapsed());
    }

    /// Records that a binding is sent to the API server. kube-scheduler counts its DefaultBinder at Bind in the same
    /// way.
    pub fn bind_begins(&mut self, uid: &str, scheduler_name: &str) {
        self.lasting_begins(ExtensionPoints::BIND, uid, scheduler_name);
    }

    /// Records that an extension point begins that is measured per pod.
    pub fn lasting_begins(&mut self, point: ExtensionPoints, uid: &str, scheduler_name: &str) {
        self.lasting.insert(uid.into(), Running { point, began: Instant::now(), profile: scheduler_name.into() });
    }

    /// Records that the extension point that began last for the pod has ended. For a binding, the API server has
    /// answered.
    pub fn lasting_ends(&mut self, uid: &str, outcome: PointOutcome) {
        let Some(Running { point, began, profile }) = self.lasting.remove(uid) else { return };
        let meter = self.profiles.entry(profile.clone()).or_default();
        meter.point_took(&self.metrics, point, outcome, &profile, began.elapsed());
    }

    /// Records a plugin call. `name` returns the plugin's name.
    pub fn called(&mut self, call: &Call, name: impl Fn() -> String) {
        let Some(Running { profile, .. }) = &self.running else { return };
        let Some(meter) = self.profiles.get_mut(profile) else { return };
        let extension_point = name_of(call.point);
        // As in kube-scheduler, a skipped plugin does not count as an evaluation.
        if EVALUATED.contains(&call.point) && call.status != "Skip" {
            let counter = meter.calls.entry((call.plugin, call.point)).or_insert_with(|| {
                let labels = EvaluationLabels { plugin: name(), extension_point, profile: profile.to_string() };
                self.metrics.evaluations.get_or_create_owned(&labels)
            });
            counter.inc();
        }
        if let Some(took) = call.took {
            let labels = CallLabels { plugin: name(), extension_point, status: call.status };
            self.metrics.call_duration.get_or_create(&labels).observe(took.as_secs_f64());
        }
    }

    /// Records a preemption attempt of DefaultPreemption with this many victims; 0 if preemption does not help.
    pub fn preemption_tried(&self, victims: usize) {
        self.metrics.preemption_attempts.inc();
        if victims > 0 {
            // The victims are on one node.
            self.metrics.preemption_victims.observe(victims as f64);
        }
    }

    /// Records that a pod's wait in permit has ended.
    pub fn permit_wait_ended(&self, waited: Duration, outcome: PointOutcome) {
        let labels = WaitLabels { result: status_of(outcome) };
        self.metrics.permit_wait_duration.get_or_create(&labels).observe(waited.as_secs_f64());
    }

    /// Records the duration of a scheduling cycle.
    pub fn cycle_ended(&self, took: Duration) {
        self.metrics.algorithm_duration.observe(took.as_secs_f64());
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.metrics.cycle_nanos.fetch_add(nanos, Relaxed);
    }

    /// Records a scheduling attempt that ended at `now` and took `took`.
    pub fn attempt_ended(&mut self, attempt: &Attempt, took: Duration, now: Timestamp) {
        let scheduler_name = &attempt.pod.spec.scheduler_name;
        let meter = self.profiles.entry(scheduler_name.clone()).or_default();
        let (count, duration) = meter.attempts.entry(attempt.outcome).or_insert_with(|| {
            let result = match attempt.outcome {
                Outcome::Scheduled => "scheduled",
                Outcome::Unschedulable => "unschedulable",
                Outcome::Error => "error",
            };
            let labels = AttemptLabels { result, profile: scheduler_name.to_string() };
            let Metrics { attempts, attempt_duration, .. } = &*self.metrics;
            (attempts.get_or_create_owned(&labels), attempt_duration.get_or_create_owned(&labels))
        });
        count.inc();
        duration.observe(took.as_secs_f64());
        if attempt.outcome == Outcome::Scheduled {
            self.metrics.pod_attempts.observe(f64::from(attempt.number));
            let labels = AttemptsLabels { attempts: attempts_label(attempt.number) };
            let waited = now.since(attempt.first_seen).as_secs_f64();
            self.metrics.sli_duration.get_or_create(&labels).observe(waited);
        }
    }

    /// Records that `profiles` hold the plugins in service from now on. Counts a reload of each plugin that was in
    /// service before with other instances.
    pub fn plugins_swapped(&mut self, profiles: &[Profile]) {
        let mut serving: HashMap<Arc<str>, Vec<PluginId>> = HashMap::new();
        for plugin in profiles.iter().flat_map(Profile::plugins) {
            let ids = serving.entry(Arc::clone(&plugin.declaration.name)).or_default();
            if !ids.contains(&plugin.id) {
                ids.push(plugin.id);
            }
        }
        serving.values_mut().for_each(|ids| ids.sort_unstable());
        for (name, ids) in &serving {
            if self.serving.get(name).is_some_and(|before| before != ids) {
                self.metrics.reloads.get_or_create(&PluginLabels { plugin: name.to_string() }).inc();
            }
        }
        self.serving = serving;
        // Drop the handles of replaced plugin instances. Plugin ids are never reused.
        self.profiles.values_mut().for_each(|meter| meter.calls.clear());
    }
}

/// Returns the name of an extension point in kube-scheduler's metrics.
fn name_of(point: ExtensionPoints) -> &'static str {
    match point {
        ExtensionPoints::PRE_ENQUEUE => "PreEnqueue",
        ExtensionPoints::PRE_FILTER => "PreFilter",
        ExtensionPoints::FILTER => "Filter",
        ExtensionPoints::POST_FILTER => "PostFilter",
        ExtensionPoints::PRE_SCORE => "PreScore",
        ExtensionPoints::SCORE => "Score",
        ExtensionPoints::NORMALIZE => "ScoreExtensionNormalize",
        ExtensionPoints::RESERVE => "Reserve",
        ExtensionPoints::UNRESERVE => "Unreserve",
        ExtensionPoints::PERMIT => "Permit",
        ExtensionPoints::PRE_BIND => "PreBind",
        ExtensionPoints::BIND => "Bind",
        ExtensionPoints::POST_BIND => "PostBind",
        _ => "Other",
    }
}

fn status_of(outcome: PointOutcome) -> &'static str {
    match outcome {
        PointOutcome::Success => "Success",
        PointOutcome::Unschedulable => "Unschedulable",
        PointOutcome::Error => "Error",
    }
}

/// Returns the label for a number of attempts. From 15 attempts the label is `15+`, which limits the number of labels.
fn attempts_label(attempts: u32) -> &'static str {
    const LABELS: [&str; 14] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"];
    let at = attempts.saturating_sub(1) as usize;
    LABELS.get(at).copied().unwrap_or("15+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Format, Snapshot};

    #[test]
    fn permit_waits_are_labelled_with_their_result() -> Result<(), std::fmt::Error> {
        let metrics = Arc::new(Metrics::default());
        let meter = Meter::new(Arc::clone(&metrics));
        meter.permit_wait_ended(Duration::from_millis(1500), PointOutcome::Unschedulable);
        let text = metrics.encode(&Snapshot::default(), Format::OpenMetrics)?;
        for line in [
            "scheduler_permit_wait_duration_seconds_sum{result=\"Unschedulable\"} 1.5",
            "scheduler_permit_wait_duration_seconds_bucket{le=\"1.024\",result=\"Unschedulable\"} 0",
            "scheduler_permit_wait_duration_seconds_bucket{le=\"2.048\",result=\"Unschedulable\"} 1",
            "scheduler_permit_wait_duration_seconds_bucket{le=\"16.384\",result=\"Unschedulable\"} 1",
        ] {
            assert!(text.lines().any(|shown| shown == line), "{line} is missing in {text}");
        }
        Ok(())
    }
}
