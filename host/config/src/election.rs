//! Converts `leaderElection` between the file's form and [`LeaderElection`].

use super::v1;
use crate::leader_election::LeaderElection;

/// Returns the settings of the file, with defaults. An empty text and a zero duration stand for the default, as in
/// kube-scheduler.
pub(super) fn of(file: &v1::LeaderElection) -> LeaderElection {
    let mut election = LeaderElection::default();
    set(&mut election.enabled, file.leader_elect);
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    set(&mut election.name, text(&file.resource_name));
    set(&mut election.namespace, text(&file.resource_namespace));
    let duration = |duration: Option<v1::Duration>| duration.map(|given| given.0).filter(|given| !given.is_zero());
    set(&mut election.timing.lease_duration, duration(file.lease_duration));
    set(&mut election.timing.renew_deadline, duration(file.renew_deadline));
    set(&mut election.timing.retry_period, duration(file.retry_period));
    election
}

/// Writes the effective settings into the fields of the file's form.
pub(super) fn write(election: &LeaderElection, file: &mut v1::LeaderElection) {
    file.leader_elect = Some(election.enabled);
    file.resource_name = Some(election.name.clone());
    file.resource_namespace = Some(election.namespace.clone());
    file.lease_duration = Some(v1::Duration(election.timing.lease_duration));
    file.renew_deadline = Some(v1::Duration(election.timing.renew_deadline));
    file.retry_period = Some(v1::Duration(election.timing.retry_period));
}

fn set<T>(target: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *target = given;
    }
}
