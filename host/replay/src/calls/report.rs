//! The result of a comparison of two builds.

use berth_core::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// The answers of two builds of a plugin about the scheduling attempts of a pod.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// Whether both builds gave the same answers about every attempt.
    pub equal: bool,
    /// The number of earlier attempts of the pod, which are not compared.
    pub earlier_attempts: u64,
    /// The attempts, the oldest first.
    pub attempts: Vec<ComparedAttempt>,
}

/// A build of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Build {
    /// The version of the plugin.
    pub version: String,
    /// The SHA-256 of the component in hexadecimal digits.
    pub digest: String,
}

/// The answers of both builds about one scheduling attempt. All times of calls are CPU time in milliseconds,
/// except that of post-filter, which waits for other plugins: its time is the whole time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedAttempt {
    /// The start of the scheduling cycle.
    pub at: Timestamp,
    /// The number of this attempt for the pod, counted from 1.
    pub number: u32,
    /// `metadata.uid` of the pod.
    pub uid: String,
    /// The node that the recorded attempt chose; null if it chose none.
    pub node: Option<String>,
    /// The message of the recorded attempt; null if it chose a node.
    pub message: Option<String>,
    /// The node that the attempt chooses with the local build; null if it chooses none.
    pub local_node: Option<String>,
    /// Why the attempt chooses no node with the local build; null if it chooses one.
    pub local_message: Option<String>,
    /// The calls of the plugin that failed in the recorded attempt.
    pub failed_calls: Vec<String>,
    /// The build that was asked as the recorded one.
    pub recorded: Build,
    /// The number of answers that were compared.
    pub compared: usize,
    /// The number of answers that differ.
    pub different: usize,
    /// The answers about the pod, and about some of the nodes: first the answers that differ.
    pub answers: Vec<AnswerRow>,
    /// The number of nodes that `answers` leaves out.
    pub nodes_left_out: usize,
    /// The time to send the cluster to the local build.
    pub sync_milliseconds: f64,
    /// The memory of the local build after the calls, in bytes.
    pub memory_bytes: usize,
    /// The cost of the calls, in the order of the calls.
    pub calls: Vec<CallCost>,
    /// The log lines of the local build.
    pub log: Vec<LogLine>,
    /// The number of further log lines.
    pub log_lines_left_out: usize,
}

/// The answers of both builds at one function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// The function. `normalize` is the score after normalization, by the plugin or by the host. `start` says why a scheduler
    /// does not take the local build into service.
    pub function: String,
    /// The node; null for an answer about the pod.
    pub node: Option<String>,
    /// The answer of the recorded build; null if it gave none.
    pub recorded: Option<String>,
    /// The answer of the local build; null if it gave none.
    pub local: Option<String>,
    /// Whether the answers differ.
    pub differs: bool,
}

/// The cost of a call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallCost {
    /// The function.
    pub function: String,
    /// The number of nodes in the call; null for a call about the pod.
    pub nodes: Option<usize>,
    /// The time of the call of the recorded build; null if it was not called.
    pub recorded_milliseconds: Option<f64>,
    /// The time of the call of the local build; null if it was not called.
    pub local_milliseconds: Option<f64>,
}

/// A log line of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogLine {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The message.
    pub message: String,
}

/// The plugins that served, for a message about one that did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotServed {
    /// The names of the plugins that served, in order.
    pub served: Vec<String>,
    /// The name that is similar to the plugin's name.
    pub similar: Option<String>,
}
