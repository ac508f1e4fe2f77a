//! `leaderElection` of a KubeSchedulerConfiguration.

use std::time::Duration;

use super::duration::parse_duration;
use super::fields::{Field, Fields, Problems};
use crate::kube::lease::LeaderElection;

/// What the file says, with defaults for what it doesn't.
pub(super) fn leader_election(field: &Field<'_>, problems: &mut Problems) -> LeaderElection {
    let mut election = LeaderElection::default();
    let before = problems.len();
    let Some(mut fields) = field.object(problems) else { return election };
    if let Some(elect) = fields.get("leaderElect").and_then(|field| field.boolean(problems)) {
        election.enabled = elect;
    }
    set_text(&mut fields, "resourceName", &mut election.name, problems);
    set_text(&mut fields, "resourceNamespace", &mut election.namespace, problems);
    set_duration(&mut fields, "leaseDuration", &mut election.timing.lease_duration, problems);
    set_duration(&mut fields, "renewDeadline", &mut election.timing.renew_deadline, problems);
    set_duration(&mut fields, "retryPeriod", &mut election.timing.retry_period, problems);
    if let Some(lock) = fields.get("resourceLock")
        && lock.text(problems).is_some_and(|text| text != "leases")
    {
        lock.problem(problems, "Kubernetes knows no other lock than leases any more");
    }
    fields.finish(problems);
    if problems.len() == before
        && let Err(error) = election.check()
    {
        field.problem(problems, error.to_string());
    }
    election
}

/// An empty text stands for the default, as in all of Kubernetes.
fn set_text(fields: &mut Fields<'_>, name: &'static str, target: &mut String, problems: &mut Problems) {
    let text = fields.get(name).and_then(|field| field.text(problems));
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        text.clone_into(target);
    }
}

fn set_duration(fields: &mut Fields<'_>, name: &'static str, target: &mut Duration, problems: &mut Problems) {
    let Some(field) = fields.get(name) else { return };
    let Some(text) = field.text(problems) else { return };
    match parse_duration(text) {
        // As with an empty text.
        Ok(Duration::ZERO) => {}
        Ok(duration) => *target = duration,
        Err(message) => field.problem(problems, message),
    }
}
