//! The fields of a pod's containers and of their statuses that the controllers read.

use std::time::Duration;

use berth_quota::Resources;
use jiff::Timestamp;
use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Deserializer};

use super::metadata;
use super::word::Word;

/// The decoded part of a container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// `name`.
    pub name: String,
    /// `image`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub image: String,
    /// `restartPolicy`: `Always` makes an init container a sidecar. For other containers, it overrides the pod's policy.
    pub restart_policy: Option<Word>,
    /// `resources`, for ResourceQuotas.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub resources: Resources,
    /// The time that the hook `lifecycle.preStop` takes: that of `sleep`, or of the command `sleep` in `exec`. Other hooks
    /// take no time.
    #[serde(default, rename = "lifecycle", deserialize_with = "pre_stop")]
    pub pre_stop: Option<Duration>,
}

impl Container {
    /// Returns true for an init container that runs as long as the pod.
    pub fn is_sidecar(&self) -> bool {
        self.restart_policy.as_deref() == Some("Always")
    }
}

/// Decodes the time that the preStop hook takes.
fn pre_stop<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let lifecycle: core::Lifecycle = metadata::nullable(deserializer)?;
    let Some(hook) = lifecycle.pre_stop else { return Ok(None) };
    let sleep = hook.sleep.and_then(|sleep| u64::try_from(sleep.seconds).ok()).map(Duration::from_secs);
    Ok(sleep.or_else(|| command_sleep(&hook.exec?.command.unwrap_or_default().join(" "))))
}

/// Returns the duration of the first `sleep` in a command.
fn command_sleep(command: &str) -> Option<Duration> {
    let mut words =
        command.split(|letter: char| letter.is_whitespace() || letter == ';').skip_while(|word| *word != "sleep");
    let seconds = words.nth(1)?.trim_end_matches('s').parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The decoded part of an entry of `containerStatuses` or `initContainerStatuses`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerStatus {
    /// `name`.
    pub name: Box<str>,
    /// `restartCount`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub restart_count: i32,
    /// `ready`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub ready: bool,
    /// `state`.
    #[serde(default, deserialize_with = "metadata::nullable")]
    pub state: ContainerState,
    /// `lastState.terminated`: the end of the run before.
    #[serde(default, rename = "lastState", deserialize_with = "last_end")]
    pub last: Option<End>,
}

/// The state of a container.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "RawState")]
pub enum ContainerState {
    /// The container has not started, or waits for its restart. The text is `waiting.message`, which names the back-off
    /// time of a restart.
    Waiting(Option<Box<str>>),
    /// The container runs since this time.
    Running(Option<Timestamp>),
    /// The container has ended.
    Ended(End),
}

impl Default for ContainerState {
    fn default() -> Self {
        ContainerState::Waiting(None)
    }
}

/// The end of a run of a container: `terminated`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(from = "RawEnd")]
pub struct End {
    /// `exitCode`.
    pub code: i32,
    /// `startedAt`.
    pub started: Option<Timestamp>,
    /// `finishedAt`.
    pub finished: Option<Timestamp>,
}

#[derive(Deserialize)]
struct RawState {
    waiting: Option<RawWaiting>,
    running: Option<RawRunning>,
    terminated: Option<End>,
}

#[derive(Deserialize)]
struct RawWaiting {
    message: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawRunning {
    started_at: Option<Time>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawEnd {
    #[serde(default, deserialize_with = "metadata::nullable")]
    exit_code: i32,
    started_at: Option<Time>,
    finished_at: Option<Time>,
}

impl From<RawState> for ContainerState {
    fn from(raw: RawState) -> Self {
        match (raw.terminated, raw.running) {
            (Some(end), _) => ContainerState::Ended(end),
            (None, Some(running)) => ContainerState::Running(running.started_at.map(|time| time.0)),
            (None, None) => ContainerState::Waiting(raw.waiting.and_then(|waiting| waiting.message)),
        }
    }
}

impl From<RawEnd> for End {
    fn from(raw: RawEnd) -> Self {
        End {
            code: raw.exit_code,
            started: raw.started_at.map(|time| time.0),
            finished: raw.finished_at.map(|time| time.0),
        }
    }
}

/// Decodes `lastState`, of which only `terminated` is read.
fn last_end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<End>, D::Error> {
    Ok(match metadata::nullable::<ContainerState, D>(deserializer)? {
        ContainerState::Ended(end) => Some(end),
        _ => None,
    })
}
