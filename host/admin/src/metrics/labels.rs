//! The labels of the metrics, as in kube-scheduler.

use prometheus_client::encoding::EncodeLabelSet;

/// Labels of scheduling attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct AttemptLabels {
    /// `scheduled`, `unschedulable`, `error`.
    pub result: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Labels of scheduled pods.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct AttemptsLabels {
    /// The number of attempts: `1` to `14`, and `15+`.
    pub attempts: &'static str,
}

/// Labels of extension points.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct PointLabels {
    /// `PreFilter`, `Filter`, `PreScore`, `Score` and so on.
    pub extension_point: &'static str,
    /// `Success`, `Unschedulable`, `Error`.
    pub status: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Labels of pods that waited in permit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct WaitLabels {
    /// As [`PointLabels::status`].
    pub result: &'static str,
}

/// Labels of plugin calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct CallLabels {
    /// The plugin's name.
    pub plugin: String,
    /// As in [`PointLabels`], and `ScoreExtensionNormalize`.
    pub extension_point: &'static str,
    /// `Success`, `Unschedulable`, `UnschedulableAndUnresolvable`, `Skip`, `Wait`, `Error`.
    pub status: &'static str,
}

/// Labels of plugin evaluations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct EvaluationLabels {
    /// The plugin's name.
    pub plugin: String,
    /// As in [`PointLabels`].
    pub extension_point: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Labels of a sub-queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct QueueLabels {
    /// `active`, `backoff`, `unschedulable`, `gated`.
    pub queue: &'static str,
}

/// Labels of pods that enter a sub-queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct IncomingLabels {
    /// As in [`QueueLabels`].
    pub queue: &'static str,
    /// The event that caused the pods to enter the sub-queue.
    pub event: String,
}

/// Labels of the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct CacheLabels {
    /// `nodes`, `pods`, `assumed_pods`.
    pub r#type: &'static str,
}

/// Labels of pending pods that a plugin rejected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RejectionLabels {
    /// The plugin's name.
    pub plugin: String,
    /// The scheduler name.
    pub profile: String,
}

/// Labels of a Lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct LeaseLabels {
    /// The Lease's name.
    pub name: String,
}

/// Labels of a plugin, with all its instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EncodeLabelSet)]
pub(crate) struct PluginLabels {
    /// The plugin's name.
    pub plugin: String,
}

/// Labels that describe a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct InfoLabels {
    /// The plugin's name.
    pub plugin: String,
    /// The SHA-256 digest of the component.
    pub digest: String,
    /// The version that the component states.
    pub version: String,
    /// The path of the file; for a plugin in the binary, the file's name and `(built in)`.
    pub path: String,
}

/// Labels of a refused component.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RefusedLabels {
    /// As in [`InfoLabels`].
    pub path: String,
}
