//! The original plugins: the program in tests/scheduler-plugins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use berth_core::Timestamp;
use berth_tests::comparison::LineProcess;
use berth_tests::comparison::preemption::UpstreamResult;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls::Status;

/// A running process of the oracle program.
pub struct Oracle(LineProcess);

/// The answer to a request.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The answer of PreFilter.
    pub pre_filter: Status,
    /// The nodes that pass the filters.
    pub feasible: BTreeSet<String>,
    /// The answer of PostFilter.
    pub post_filter: Option<PostFilter>,
    /// The answer of Permit.
    pub permit: Option<Permit>,
    /// The waiting pods that the plugin allows.
    pub allowed: BTreeSet<String>,
    /// The waiting pods that the plugin rejects, with the messages.
    pub rejected: BTreeMap<String, String>,
    /// The pods that the plugin activates.
    pub activated: BTreeSet<String>,
    /// The answer about the order.
    pub order: Order,
    error: String,
}

/// The answer of PostFilter.
#[derive(Deserialize)]
pub struct PostFilter {
    /// The reasons, and the result of preemption.
    #[serde(default)]
    pub reasons: Vec<String>,
    /// The result of preemption.
    #[serde(flatten)]
    pub preemption: UpstreamResult,
}

/// The answer of Permit.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Permit {
    /// The decision.
    #[serde(flatten)]
    pub status: Status,
    /// The time to wait.
    pub wait_millis: u64,
}

/// The order of pods in the queue.
#[derive(Default, Deserialize)]
pub struct Order {
    /// The time by which the first pod is sorted.
    pub first: u64,
    /// One element for each other pod.
    pub others: Vec<Other>,
}

/// A pod that is compared with the first pod.
#[derive(Deserialize)]
pub struct Other {
    /// The time by which the pod is sorted.
    pub time: u64,
    /// True if the pod is sorted before the first pod.
    pub before: bool,
}

impl Oracle {
    /// Returns the path of the program, if `PORTS_ORACLE` is set.
    pub fn program() -> Option<PathBuf> {
        std::env::var_os("PORTS_ORACLE").map(PathBuf::from)
    }

    /// Starts the program.
    ///
    /// # Errors
    /// Returns an error if the program can't be started.
    pub fn start(program: &Path) -> Result<Self> {
        Ok(Self(LineProcess::start(program)?))
    }

    /// Replaces the cluster by an empty cluster with this plugin.
    ///
    /// # Errors
    /// Returns an error if the plugin refuses the arguments.
    pub fn reset(&mut self, plugin: &str, arguments: &Value) -> Result<()> {
        let mut arguments = arguments.clone();
        arguments["apiVersion"] = "kubescheduler.config.k8s.io/v1".into();
        arguments["kind"] = format!("{plugin}Args").into();
        self.ask(json!({"start": {"plugin": plugin, "arguments": arguments}}), Timestamp::default()).map(drop)
    }

    /// Sends a request with Berth's time.
    ///
    /// # Errors
    /// Returns an error if the program refuses the request, or ends.
    pub fn ask(&mut self, mut request: Value, now: Timestamp) -> Result<Answer> {
        request["now"] = now.0.into();
        let answer: Answer = self.0.ask(&request)?;
        ensure!(answer.error.is_empty(), "the oracle refuses {request}: {}", answer.error);
        Ok(answer)
    }
}
