//! The lines of a capture. Names are those of the Kubernetes API where a value has one.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use berth_core::checkpoint::CoreState;
use berth_core::decision::PolicyPlugin;
use berth_core::extenders::Extender;
use berth_core::model::{
    Labels, NamedFields, Node, Object, ObjectKey, ObjectKind, ObjectReads, Owner, PodKey, PodRequests, PodSpec,
};
use berth_core::plugins::FailedCall;
use berth_core::profile_spec::ProfileSpec;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extenders::ExtenderAnswer;

/// The version of the format. A change that an older reader would misunderstand gets a new version.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Line<'a> {
    /// The first line of the file.
    Capture(Box<Header>),
    /// A value of [`PodRecord::spec`]. A later line with the same id replaces it. The same holds for the other values
    /// that pods share.
    Spec(Shared<Arc<PodSpec>>),
    /// A value of [`PodRecord::requests`].
    Requests(Shared<Arc<PodRequests>>),
    /// A value of [`PodRecord::labels`].
    Labels(Shared<Arc<Labels>>),
    /// A value of [`PodRecord::owners`].
    Owners(Shared<Arc<[Owner]>>),
    /// A pod of the checkpoint that follows.
    CheckpointPod(PodRecord<'a>),
    /// The state of the core before the first step. Absent if the file begins with the start of the scheduler.
    Checkpoint(Box<CheckpointRecord>),
    /// A step of the core.
    Step(StepRecord<'a>),
    /// The last line of a file that was ended in order.
    End(EndRecord),
}

/// A value that several pods have.
#[derive(Debug, Serialize, Deserialize)]
pub struct Shared<T> {
    /// The number by which pods name the value.
    pub id: u32,
    /// The value.
    pub value: T,
}

/// What a replay must know before the first event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Header {
    /// [`VERSION`] at the time of writing.
    pub version: u32,
    /// The version of Berth.
    pub berth: String,
    /// Who decided about the pods.
    pub source: Source,
    /// The seed of all random choices.
    pub seed: u64,
    /// `podInitialBackoffSeconds`, in milliseconds.
    pub pod_initial_backoff_millis: u64,
    /// `podMaxBackoffSeconds`, in milliseconds.
    pub pod_max_backoff_millis: u64,
    /// The longest time between two attempts of an unschedulable pod, in milliseconds.
    pub flush_after_millis: u64,
    /// One of this many scheduling cycles compares cached with fresh results.
    pub verify_every: u64,
    /// The BerthConfiguration, with the grants and limits of plugins. Paths of directories are left out.
    pub configuration: serde_json::Value,
    /// The extenders, in order.
    pub extenders: Vec<Extender>,
}

/// The state of the core before the first step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRecord {
    /// The time of the checkpoint, in milliseconds since 1970.
    pub at: u64,
    /// The profiles that serve.
    pub policy: PolicyRecord,
    /// The state. It names a pod by its index among the pods before the checkpoint. Only the version of Berth that wrote
    /// it can read it.
    pub state: CoreState,
}

/// Who decided about the pods of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The scheduler that recorded itself.
    #[default]
    Scheduler,
    /// Any scheduler of the cluster. The capture has the events of the cluster only.
    Cluster,
}

/// A step of the core: one event, and what came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRecord<'a> {
    /// The time of the step, in milliseconds since 1970.
    pub at: u64,
    /// The number of the change that the event reports, in a capture of [`Source::Cluster`]. A change with a higher number
    /// came later, whatever their kinds. Source: `metadata.resourceVersion`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<NonZeroU64>,
    /// The event.
    pub event: EventRecord<'a>,
    /// The answers of extenders during the step, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extenders: Vec<ExtenderAnswer>,
    /// The calls of plugins that failed during the step, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_calls: Vec<FailedCall>,
    /// The actions of the step, as a JSON array. `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Box<RawValue>>,
}

/// The end of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndRecord {
    /// The number of steps in the file.
    pub steps: u64,
    /// The number of steps at the end that were lost because the disk was too slow or full.
    pub lost: u64,
}

/// An event of the core: see [`berth_core::Event`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the variants are those of berth_core::Event")]
pub enum EventRecord<'a> {
    NodeSet(Arc<Node>),
    NodeRemoved(Box<str>),
    PodSet(PodRecord<'a>),
    PodRemoved(PodKey),
    ObjectsWanted(Vec<ObjectReads>),
    ObjectSet(Arc<Object>),
    ObjectRemoved(ObjectKey),
    ObjectsListed(ObjectReads),
    ObjectsRefused(Arc<ObjectKind>, Arc<str>),
    WatchStopped(Arc<ObjectKind>),
    Bound(PodKey),
    BindFailed(PodKey, String),
    IntentsExecuted(PodKey, u64),
    IntentsFailed(PodKey, u64, String),
    EvictionFailed(PodKey),
    PluginsSwapped(PolicyRecord),
    PluginRecovered(Arc<str>),
    Tick,
    Cycle,
}

/// A pod. The four values that many pods have are named by their numbers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of berth_core::model::Pod")]
pub struct PodRecord<'a> {
    pub key: Cow<'a, PodKey>,
    pub spec: u32,
    pub requests: u32,
    pub labels: u32,
    pub owners: u32,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub annotations: Cow<'a, Labels>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub deleting: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub preempted: bool,
    #[serde(default)]
    pub created: i64,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub node_name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub nominated_node_name: Cow<'a, str>,
    #[serde(default)]
    pub start_time: i64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub finished: bool,
    #[serde(default, skip_serializing_if = "has_no_fields")]
    pub fields: Cow<'a, NamedFields>,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_empty(labels: &Labels) -> bool {
    labels.is_empty()
}

fn has_no_fields(fields: &NamedFields) -> bool {
    fields.all().is_empty()
}

/// The profiles that serve from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRecord {
    /// The profiles.
    pub profiles: Vec<RecordedProfile>,
}

/// A profile as it was configured, and the plugins that serve it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedProfile {
    /// The profile as it was configured.
    pub spec: ProfileSpec,
    /// The plugins that serve the profile. A plugin that was refused is not in the list.
    pub plugins: Vec<PolicyPlugin>,
}
