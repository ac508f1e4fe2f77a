//! The metrics. Metrics that kube-scheduler has as well have its names, so that its dashboards work with Berth.
//!
//! [`Meter`] counts frequent events as they happen. [`Snapshot`] reads state when a scrape asks for it.

mod format;
mod labels;
mod meter;
mod plugins;
mod process;
mod snapshot;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};

pub use self::format::Format;
use self::labels::{
    AttemptLabels, AttemptsLabels, CallLabels, EvaluationLabels, LeaseLabels, PluginLabels, PointLabels, WaitLabels,
};
pub use self::meter::{Call, Meter};
pub use self::snapshot::{CoreState, Snapshot};

/// The upper bounds of a histogram's buckets: the first bound, the factor from each bound to the next
/// bound, and the number of bounds.
#[derive(Clone, Copy, Debug)]
struct Buckets(f64, f64, u16);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        let Self(start, factor, length) = *self;
        Histogram::new(exponential_buckets(start, factor, length))
    }
}

/// A histogram with labels.
type Histograms<L> = Family<L, Histogram, Buckets>;

/// kube-scheduler's buckets for durations of scheduling attempts, in seconds.
const ATTEMPT: Buckets = Buckets(0.001, 2.0, 15);
/// kube-scheduler's buckets for the time from the queue to the binding, in seconds.
const SLI: Buckets = Buckets(0.01, 2.0, 20);
/// kube-scheduler's buckets for durations of extension points, in seconds.
const POINT: Buckets = Buckets(0.0001, 2.0, 12);
/// kube-scheduler's buckets for durations of plugin calls, in seconds.
const CALL: Buckets = Buckets(0.00001, 1.5, 20);
/// kube-scheduler's buckets for numbers of pods.
const VICTIMS: Buckets = Buckets(1.0, 2.0, 7);
/// kube-scheduler's buckets for numbers of attempts.
const ATTEMPTS: Buckets = Buckets(1.0, 2.0, 5);

/// The metrics that are updated as events happen.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    attempts: Family<AttemptLabels, Counter>,
    attempt_duration: Histograms<AttemptLabels>,
    algorithm_duration: Histogram,
    /// The sum of all durations of scheduling cycles, in nanoseconds. The histogram does not return its sum.
    cycle_nanos: AtomicU64,
    pod_attempts: Histogram,
    sli_duration: Histograms<AttemptsLabels>,
    point_duration: Histograms<PointLabels>,
    call_duration: Histograms<CallLabels>,
    permit_wait_duration: Histograms<WaitLabels>,
    evaluations: Family<EvaluationLabels, Counter>,
    preemption_attempts: Counter,
    preemption_victims: Histogram,
    reloads: Family<PluginLabels, Counter>,
    refusals: Counter,
    configuration_refused: Gauge,
    leads: Family<LeaseLabels, Gauge>,
    writes_refused: Counter,
    capture_lost: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        process::started();
        let mut registry = Registry::default();
        let of = &mut registry;
        Self {
            attempts: add(
                of,
                "scheduler_schedule_attempts",
                "Attempts to schedule pods, by result: scheduled, unschedulable (no node fits), error",
                Family::default(),
            ),
            attempt_duration: add(
                of,
                "scheduler_scheduling_attempt_duration_seconds",
                "Duration of attempts to schedule pods, with their bindings, by result",
                Family::new_with_constructor(ATTEMPT),
            ),
            algorithm_duration: add(
                of,
                "scheduler_scheduling_algorithm_duration_seconds",
                "Duration of the choice of a node, also if no node fits",
                ATTEMPT.new_metric(),
            ),
            cycle_nanos: AtomicU64::new(0),
            pod_attempts: add(
                of,
                "scheduler_pod_scheduling_attempts",
                "How many attempts it took to schedule a pod",
                ATTEMPTS.new_metric(),
            ),
            sli_duration: add(
                of,
                "scheduler_pod_scheduling_sli_duration_seconds",
                "Time from the entry of a pod into the queue until its binding, by the number of attempts",
                Family::new_with_constructor(SLI),
            ),
            point_duration: add(
                of,
                "scheduler_framework_extension_point_duration_seconds",
                "Duration of all plugins of an extension point, in one attempt",
                Family::new_with_constructor(POINT),
            ),
            call_duration: add(
                of,
                "scheduler_plugin_execution_duration_seconds",
                "Duration of one plugin call, which covers all nodes. Sampled in one of ten attempts",
                Family::new_with_constructor(CALL),
            ),
            permit_wait_duration: add(
                of,
                "scheduler_permit_wait_duration_seconds",
                "How long pods waited in permit, by result. Pods that did not wait are not counted",
                Family::new_with_constructor(ATTEMPT),
            ),
            evaluations: add(
                of,
                "scheduler_plugin_evaluation",
                "Calls into plugins. Answers from the result cache need no call",
                Family::default(),
            ),
            preemption_attempts: add(
                of,
                "scheduler_preemption_attempts",
                "How often DefaultPreemption searched for pods to evict",
                Counter::default(),
            ),
            preemption_victims: add(
                of,
                "scheduler_preemption_victims",
                "Victims of one preemption attempt",
                VICTIMS.new_metric(),
            ),
            reloads: add(
                of,
                "berth_plugin_reloads",
                "How often a plugin was replaced by another component or got other arguments",
                Family::default(),
            ),
            refusals: add(of, "berth_plugin_refusals", "How often a component was refused", Counter::default()),
            configuration_refused: add(
                of,
                "berth_configuration_refused",
                "Whether the configuration file is refused (1). The previous configuration then stays in force",
                Gauge::default(),
            ),
            leads: add(
                of,
                "leader_election_master_status",
                "Whether this process leads (1) or stands by (0), by Lease",
                Family::default(),
            ),
            writes_refused: add(
                of,
                "berth_writes_without_lease_refused",
                "Bindings and other writes of the leader that were not sent because its Lease had expired",
                Counter::default(),
            ),
            capture_lost: add(
                of,
                "berth_capture_steps_lost",
                "Steps of the scheduler that are not in the capture, because it ended before",
                Counter::default(),
            ),
            registry,
        }
    }
}

/// Registers the metric and returns a clone that shares its value.
fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

impl Metrics {
    /// Returns the time that all scheduling cycles took so far.
    #[must_use]
    pub fn cycle_time(&self) -> Duration {
        Duration::from_nanos(self.cycle_nanos.load(Relaxed))
    }

    /// Sets whether this process holds the Lease of this name.
    pub fn set_leads(&self, lease: &str, leads: bool) {
        self.leads.get_or_create(&LeaseLabels { name: lease.to_owned() }).set(i64::from(leads));
    }

    /// Returns the counter of writes that were not sent because the Lease had expired.
    #[must_use]
    pub fn writes_refused(&self) -> Counter {
        self.writes_refused.clone()
    }

    /// Returns the counter of steps that are not in the capture.
    #[must_use]
    pub fn capture_lost(&self) -> Counter {
        self.capture_lost.clone()
    }

    /// Sets whether the current content of the configuration file is refused.
    pub fn set_configuration_refused(&self, refused: bool) {
        self.configuration_refused.set(i64::from(refused));
    }

    /// Counts a refused component.
    pub fn count_refusal(&self) {
        self.refusals.inc();
    }

    /// Returns these metrics and the metrics of the snapshot as text in the given format.
    ///
    /// # Errors
    /// Fails only if formatting fails, which does not happen for a `String`.
    pub fn encode(&self, snapshot: &Snapshot, format: Format) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        text::encode_registry(&mut out, &self.registry)?;
        text::encode_registry(&mut out, &snapshot.registry())?;
        text::encode_eof(&mut out)?;
        Ok(format.of_openmetrics(out))
    }
}
