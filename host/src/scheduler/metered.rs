//! Plugin calls with metrics: counts and times the core's calls into the guests.

use std::time::{Duration, Instant};

use berth_core::cache::PodId;
use berth_core::model::Pod;
use berth_core::plugins::{
    ClassFilter, Classified, Cycle, Decision, ExtensionPoints, PluginError, PointOutcome, PostFilterResult,
    PreFilterResult, PreScoreResult, PreemptionPlan,
};

use berth_admin::metrics::{Call, Meter};
use berth_plugin_host::{CallObserver, Export, Guests, PluginAnswer, PluginCall};

/// Records every plugin call in the meter.
pub struct Metered<'a> {
    pub meter: &'a mut Meter,
}

/// The plugin whose attempts and victims kube-scheduler counts.
const PREEMPTION: &str = "DefaultPreemption";

impl CallObserver for Metered<'_> {
    /// The time of the start, if the call is timed.
    type Started = Option<Instant>;

    fn started(&mut self, call: &PluginCall<'_>) -> Option<Instant> {
        (is_counted(call.export) && Meter::is_timed(call.cycle.id)).then(Instant::now)
    }

    fn ended(
        &mut self,
        guests: &Guests,
        call: &PluginCall<'_>,
        started: Option<Instant>,
        answer: Result<PluginAnswer<'_>, &PluginError>,
    ) {
        if !is_counted(call.export) {
            return;
        }
        let status = answer.as_ref().map_or("Error", status);
        let (plugin, took) = (call.plugin, started.map(|started| started.elapsed()));
        let counted = Call { plugin, point: point(call.export), status, took };
        self.meter.called(&counted, || guests.name(plugin).unwrap_or_default().to_string());
        if call.export == Export::PostFilter && guests.name(plugin).is_some_and(|name| &*name == PREEMPTION) {
            self.meter.preemption_tried(victims(call.cycle, answer.ok()));
        }
    }

    fn point_begins(&mut self, point: ExtensionPoints, scheduler_name: &str) {
        self.meter.point_begins(point, scheduler_name);
    }

    fn point_ends(&mut self, outcome: PointOutcome) {
        self.meter.point_ends(outcome);
    }

    fn pre_bind_begins(&mut self, pod: &Pod) {
        self.meter.lasting_begins(ExtensionPoints::PRE_BIND, &pod.key.uid, &pod.spec.scheduler_name);
    }

    fn pre_bind_ends(&mut self, pod: &Pod, outcome: PointOutcome) {
        self.meter.lasting_ends(&pod.key.uid, outcome);
    }

    fn permit_wait_ends(&mut self, waited: Duration, outcome: PointOutcome) {
        self.meter.permit_wait_ended(waited, outcome);
    }
}

/// Returns whether kube-scheduler's metrics have an extension point for this function.
fn is_counted(export: Export) -> bool {
    !matches!(export, Export::Skip | Export::SortKey | Export::Hints)
}

/// Returns the extension point at which the call counts. `classify` stands for pre-filter and filter, and
/// `score-classes` stands for pre-score, score and normalize.
fn point(export: Export) -> ExtensionPoints {
    match export {
        Export::Classify => ExtensionPoints::PRE_FILTER,
        Export::ScoreClasses => ExtensionPoints::SCORE,
        Export::FilterWhatIf => ExtensionPoints::FILTER,
        Export::Unreserve => ExtensionPoints::UNRESERVE,
        other => other.point(),
    }
}

/// Returns the status of a call. A call whose results are per node counts as a success.
fn status(answer: &PluginAnswer<'_>) -> &'static str {
    match answer {
        PluginAnswer::PreEnqueue(Some(_)) => "UnschedulableAndUnresolvable",
        PluginAnswer::PreFilter(PreFilterResult::Skip)
        | PluginAnswer::Classify(Some(Classified { filter: ClassFilter::Skip, .. }))
        | PluginAnswer::PreScore(PreScoreResult::Skip)
        | PluginAnswer::Bind(None) => "Skip",
        PluginAnswer::PreFilter(PreFilterResult::Reject(_))
        | PluginAnswer::Classify(Some(Classified { filter: ClassFilter::Reject(_), .. }))
        | PluginAnswer::PostFilter(PostFilterResult::Unschedulable { .. })
        | PluginAnswer::Reserve(Err(_)) => "Unschedulable",
        PluginAnswer::Permit(permission) => match permission.decision {
            Decision::Approve => "Success",
            Decision::Deny(_) => "Unschedulable",
            Decision::Wait(_) => "Wait",
        },
        _ => "Success",
    }
}

/// Returns the number of pods to evict, or 0 if all of them are terminating already.
fn victims(cycle: &Cycle<'_>, answer: Option<PluginAnswer<'_>>) -> usize {
    let Some(PluginAnswer::PostFilter(PostFilterResult::Nominate(PreemptionPlan { evict, .. }))) = answer else {
        return 0;
    };
    let stays = |id: &PodId| cycle.cache.pod(*id).is_some_and(|known| !known.pod.deleting);
    if evict.iter().any(stays) { evict.len() } else { 0 }
}
