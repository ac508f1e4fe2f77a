//! Decides whether a Job is complete or failed, and builds the Job's status.

use std::time::Duration;

use k8s_openapi::api::batch::v1::{JobCondition, JobStatus, UncountedTerminatedPods};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::super::metadata;
use super::super::write::Plan;
use super::Run;
use super::tally::Tally;

/// The default of `spec.backoffLimit`: the number of failed pods that a Job tolerates.
const BACKOFF_LIMIT: i32 = 6;

/// The result of a Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Enough pods have succeeded.
    Complete,
    /// The Job failed, with a reason and a message.
    Failed(&'static str, &'static str),
}

/// Returns the condition that marks the Job as finished.
pub fn finished(status: &JobStatus) -> Option<&JobCondition> {
    let ends = |condition: &&JobCondition| {
        matches!(condition.type_.as_str(), "Complete" | "Failed") && condition.status == "True"
    };
    status.conditions.iter().flatten().find(ends)
}

/// Returns the result of the Job; `None` if the result is not decided. If a result can follow from
/// `activeDeadlineSeconds`, requests another run at that deadline in `plan`.
pub fn verdict(run: &Run<'_>, tally: &Tally, plan: &mut Plan) -> Option<Verdict> {
    let condition = |type_: &str| {
        run.status.conditions.iter().flatten().find(|existing| existing.type_ == type_ && existing.status == "True")
    };
    if condition("SuccessCriteriaMet").is_some() {
        return Some(Verdict::Complete);
    }
    if let Some(existing) = condition("FailureTarget") {
        let deadline = existing.reason.as_deref() == Some(DEADLINE.0);
        return Some(if deadline {
            Verdict::Failed(DEADLINE.0, DEADLINE.1)
        } else {
            Verdict::Failed(LIMIT.0, LIMIT.1)
        });
    }
    let limit = run.spec.backoff_limit.unwrap_or(BACKOFF_LIMIT);
    if tally.failed() > limit || restarted_too_often(run, limit) {
        return Some(Verdict::Failed(LIMIT.0, LIMIT.1));
    }
    let active = run.pods.iter().any(|pod| pod.active());
    let complete = match run.spec.completions {
        Some(completions) => tally.succeeded() >= completions,
        None => tally.succeeded() > 0 && !active,
    };
    if complete {
        return Some(Verdict::Complete);
    }
    let (Some(seconds), Some(started)) = (run.spec.active_deadline_seconds, &run.status.start_time) else {
        return None;
    };
    let since = Duration::try_from(run.now.duration_since(started.0)).unwrap_or_default();
    let limit = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    match limit.checked_sub(since).filter(|left| !left.is_zero()) {
        Some(left) => {
            plan.rerun_in(left);
            None
        }
        None => Some(Verdict::Failed(DEADLINE.0, DEADLINE.1)),
    }
}

/// Returns true if the containers of pods that restart after failures have restarted as often as the limit says.
fn restarted_too_often(run: &Run<'_>, limit: i32) -> bool {
    let restarts = |pod: &&&super::Pod| pod.spec.restart_policy.as_deref() == Some("OnFailure") && !pod.terminal();
    let count = run.pods.iter().filter(restarts).map(|pod| pod.restarts()).fold(0, i32::saturating_add);
    count > 0 && count >= limit
}

const LIMIT: (&str, &str) = ("BackoffLimitExceeded", "Job has reached the specified backoff limit");
const DEADLINE: (&str, &str) = ("DeadlineExceeded", "Job was active longer than specified deadline");

/// Returns the new status of the Job.
pub fn status(run: &Run<'_>, tally: &Tally, verdict: Option<Verdict>) -> JobStatus {
    let count = |counts: &dyn Fn(&super::Pod) -> bool| {
        i32::try_from(run.pods.iter().filter(|pod| counts(pod)).count()).unwrap_or(i32::MAX)
    };
    let suspended = run.spec.suspend == Some(true);
    let terminating = count(&|pod| !pod.terminal() && metadata::deleting(&pod.metadata));
    let active = count(&|pod| pod.active());
    let mut status = JobStatus {
        active: Some(active),
        ready: Some(count(&|pod| pod.active() && pod.ready())),
        terminating: Some(terminating),
        succeeded: Some(tally.counted_succeeded),
        failed: Some(tally.counted_failed),
        completed_indexes: run.indexed().then(|| tally.indexes.notation()).filter(|text| !text.is_empty()),
        uncounted_terminated_pods: uncounted(tally),
        start_time: if suspended { None } else { run.status.start_time.clone().or(Some(Time(run.now))) },
        ..run.status.clone()
    };
    let settled = active == 0 && terminating == 0 && tally.settled();
    suspend(run, &mut status, suspended);
    match verdict {
        Some(Verdict::Complete) => {
            const MESSAGE: &str = "Reached expected number of succeeded pods";
            set(run, &mut status, "SuccessCriteriaMet", "CompletionsReached", MESSAGE);
            if settled {
                set(run, &mut status, "Complete", "CompletionsReached", MESSAGE);
                status.completion_time = Some(Time(run.now));
            }
        }
        Some(Verdict::Failed(reason, message)) => {
            set(run, &mut status, "FailureTarget", reason, message);
            if settled {
                set(run, &mut status, "Failed", reason, message);
            }
        }
        None => {}
    }
    status
}

/// Compares two statuses. An absent count equals 0.
pub fn same(a: &JobStatus, b: &JobStatus) -> bool {
    let counted = |status: &JobStatus| JobStatus {
        active: status.active.filter(|count| *count != 0),
        ready: status.ready.filter(|count| *count != 0),
        terminating: status.terminating.filter(|count| *count != 0),
        succeeded: status.succeeded.filter(|count| *count != 0),
        failed: status.failed.filter(|count| *count != 0),
        uncounted_terminated_pods: Some(status.uncounted_terminated_pods.clone().unwrap_or_default()),
        ..status.clone()
    };
    counted(a) == counted(b)
}

fn uncounted(tally: &Tally) -> Option<UncountedTerminatedPods> {
    let list = |uids: &std::collections::BTreeSet<String>| {
        Some(uids.iter().cloned().collect()).filter(|list: &Vec<_>| !list.is_empty())
    };
    Some(UncountedTerminatedPods { succeeded: list(&tally.uncounted_succeeded), failed: list(&tally.uncounted_failed) })
}

fn set(run: &Run<'_>, status: &mut JobStatus, type_: &str, reason: &str, message: &str) {
    let conditions = status.conditions.get_or_insert_default();
    if conditions.iter().any(|existing| existing.type_ == type_ && existing.status == "True") {
        return;
    }
    conditions.push(JobCondition {
        type_: type_.to_owned(),
        status: "True".to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_probe_time: Some(Time(run.now)),
        last_transition_time: Some(Time(run.now)),
    });
}

/// Maintains the Suspended condition. A Job that was never suspended does not have this condition.
fn suspend(run: &Run<'_>, status: &mut JobStatus, suspended: bool) {
    let conditions = status.conditions.get_or_insert_default();
    let wanted = if suspended { "True" } else { "False" };
    match conditions.iter_mut().find(|existing| existing.type_ == "Suspended") {
        Some(existing) if existing.status != wanted => {
            wanted.clone_into(&mut existing.status);
            existing.reason = Some(if suspended { "JobSuspended" } else { "JobResumed" }.to_owned());
            existing.last_transition_time = Some(Time(run.now));
        }
        Some(_) => {}
        None if suspended => set(run, status, "Suspended", "JobSuspended", "Job suspended"),
        None => {}
    }
    if status.conditions.as_ref().is_some_and(Vec::is_empty) {
        status.conditions = None;
    }
}
