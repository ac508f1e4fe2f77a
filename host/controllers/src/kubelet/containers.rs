//! The life of a pod's containers: they run, exit, wait for the back-off time, and restart.
//!
//! The statuses of the containers hold the whole state, so a kubelet that restarts continues where it was. As in the
//! kubelet, the first restart is immediate. The further ones wait 10 seconds, then twice as long each time, up to five
//! minutes. A container that has run for more than ten minutes begins anew.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::super::container::{Container, ContainerState, ContainerStatus, End};
use super::super::metadata;
use super::super::pod::Pod;
use super::behavior::Behavior;

/// The back-off times in seconds, with their texts in messages.
const BACKOFFS: [(i64, &str); 6] =
    [(10, "10s"), (20, "20s"), (40, "40s"), (80, "1m20s"), (160, "2m40s"), (300, "5m0s")];
/// After a run that is longer than this, the back-off times begin anew.
const STABLE: SignedDuration = SignedDuration::from_mins(10);

/// The containers of a running pod at one time.
#[derive(Debug)]
pub struct Containers {
    /// The statuses, in the order of the containers.
    pub statuses: Vec<ContainerStatus>,
    /// The time until the next change.
    pub next: Option<Duration>,
    /// True if a status differs from the pod's.
    pub changed: bool,
}

impl Containers {
    /// Returns the containers of a running pod at this time.
    pub fn at(pod: &Pod, behavior: &Behavior, now: Timestamp) -> Self {
        let mut all = Containers { statuses: Vec::new(), next: None, changed: false };
        for container in &pod.spec.containers {
            let before = status_of(pod, container);
            let mut status = advance(pod, container, before.clone(), behavior, now);
            let wakes = [until_exit(pod, container, &status, behavior, now), until_ready(&status, behavior, now)];
            status.ready = match &status.state {
                ContainerState::Running(_) if status.state == before.state => {
                    before.ready || is_ready(&status, behavior, now)
                }
                ContainerState::Running(_) => is_ready(&status, behavior, now),
                _ => false,
            };
            all.next = wakes.into_iter().flatten().chain(all.next).min();
            all.changed |= status != before;
            all.statuses.push(status);
        }
        all
    }

    /// Returns true if every container has ended and none restarts.
    pub fn have_ended(&self) -> bool {
        let has_ended = |status: &ContainerStatus| matches!(status.state, ContainerState::Ended(_));
        !self.statuses.is_empty() && self.statuses.iter().all(has_ended)
    }
}

/// Returns the status that the pod has for a container. A container without a status runs as long as the pod.
pub fn status_of(pod: &Pod, container: &Container) -> ContainerStatus {
    let statuses = &pod.status.container_statuses;
    statuses.iter().find(|status| *status.name == *container.name).cloned().unwrap_or_else(|| ContainerStatus {
        name: container.name.as_str().into(),
        ready: pod.ready(),
        state: ContainerState::Running(pod.status.start_time.as_ref().map(|time| time.0)),
        ..ContainerStatus::default()
    })
}

/// Returns the next status: a container exits at the end of its run, and restarts at the end of its back-off time.
fn advance(
    pod: &Pod,
    container: &Container,
    status: ContainerStatus,
    behavior: &Behavior,
    now: Timestamp,
) -> ContainerStatus {
    let left = until_exit(pod, container, &status, behavior, now);
    match status.state {
        ContainerState::Running(started) if left == Some(Duration::ZERO) => {
            let is_last = behavior.restarts.is_some_and(|most| status.restart_count >= most);
            let code = if is_last && policy(pod, container) == "OnFailure" { 0 } else { behavior.code };
            let end = End { code, started: started.or(Some(now)), finished: Some(now) };
            exited(pod, container, ContainerStatus { state: ContainerState::Ended(end), ..status }, now)
        }
        ContainerState::Waiting(_) if left == Some(Duration::ZERO) => restarted(status, now),
        ContainerState::Ended(_) => exited(pod, container, status, now),
        _ => status,
    }
}

/// Returns the status after the end of a run: ended, restarted, or waiting for the back-off time.
fn exited(pod: &Pod, container: &Container, status: ContainerStatus, now: Timestamp) -> ContainerStatus {
    let ContainerState::Ended(end) = status.state else { return status };
    let restarts = match policy(pod, container) {
        "Never" => false,
        "OnFailure" => end.code != 0,
        _ => true,
    };
    if !restarts {
        return status;
    }
    let wait = backoff(&status, end);
    let status = ContainerStatus { last: Some(end), ..status };
    match wait {
        None => restarted(status, now),
        Some(text) => {
            let meta = &pod.metadata;
            let (name, namespace, uid) = (metadata::name(meta), metadata::namespace(meta), metadata::uid(meta));
            let message =
                format!("back-off {text} restarting failed container={} pod={name}_{namespace}({uid})", container.name);
            ContainerStatus { state: ContainerState::Waiting(Some(message.into())), ..status }
        }
    }
}

fn restarted(status: ContainerStatus, now: Timestamp) -> ContainerStatus {
    let restart_count = status.restart_count.saturating_add(1);
    ContainerStatus { restart_count, state: ContainerState::Running(Some(now)), ..status }
}

/// Returns the back-off time after this end, as a text; `None` if the container restarts at once. The time follows from
/// the pause before the run.
fn backoff(status: &ContainerStatus, end: End) -> Option<&'static str> {
    let (started, finished) = (end.started?, end.finished?);
    let before = status.last.and_then(|last| last.finished).filter(|_| finished.duration_since(started) <= STABLE)?;
    let pause = started.duration_since(before).as_secs();
    let longer = BACKOFFS.iter().find(|(seconds, _)| *seconds > pause).or(BACKOFFS.last())?;
    Some(longer.1)
}

/// Returns the time until a running container exits or a waiting container restarts; `None` if neither happens.
fn until_exit(
    pod: &Pod,
    container: &Container,
    status: &ContainerStatus,
    behavior: &Behavior,
    now: Timestamp,
) -> Option<Duration> {
    let (since, lasts) = match &status.state {
        ContainerState::Running(started) => {
            let is_last = behavior.restarts.is_some_and(|most| status.restart_count >= most);
            let runs_on = is_last && policy(pod, container) == "Always";
            (*started, behavior.run.filter(|_| !runs_on)?)
        }
        ContainerState::Waiting(message) => {
            let text = message.as_deref().and_then(|message| message.strip_prefix("back-off ")).unwrap_or_default();
            let backoff = BACKOFFS.iter().find(|(_, name)| text.split(' ').next() == Some(name));
            let seconds = backoff.map_or(0, |(seconds, _)| seconds.unsigned_abs());
            (status.last.and_then(|last| last.finished), Duration::from_secs(seconds))
        }
        ContainerState::Ended(_) => return None,
    };
    Some(left(since, lasts, now))
}

fn until_ready(status: &ContainerStatus, behavior: &Behavior, now: Timestamp) -> Option<Duration> {
    match status.state {
        ContainerState::Running(started) => Some(left(started, behavior.ready, now)).filter(|left| !left.is_zero()),
        _ => None,
    }
}

fn is_ready(status: &ContainerStatus, behavior: &Behavior, now: Timestamp) -> bool {
    until_ready(status, behavior, now).is_none()
}

/// Returns what is left of a duration that began at `since`.
fn left(since: Option<Timestamp>, lasts: Duration, now: Timestamp) -> Duration {
    let passed = Duration::try_from(now.duration_since(since.unwrap_or(now))).unwrap_or_default();
    lasts.saturating_sub(passed)
}

/// Returns the restart policy of a container: its own, else the pod's.
fn policy<'a>(pod: &'a Pod, container: &'a Container) -> &'a str {
    container.restart_policy.as_deref().or(pod.spec.restart_policy.as_deref()).unwrap_or("Always")
}
