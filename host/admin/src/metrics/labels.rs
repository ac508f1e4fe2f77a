//! The metrics' labels, as kube-scheduler has them.

use prometheus_client::encoding::EncodeLabelSet;

/// Of attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct AttemptLabels {
    /// `scheduled`, `unschedulable`, `error`
    pub result: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Of pods that were scheduled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct AttemptsLabels {
    /// How many it took: `1` to `14`, and `15+`.
    pub attempts: &'static str,
}

/// Of extension points.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct PointLabels {
    /// `PreFilter`, `Filter`, `PreScore`, `Score`
    pub extension_point: &'static str,
    /// `Success`, `Unschedulable`, `Error`
    pub status: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Of pods that waited on permit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct WaitLabels {
    /// As [`PointLabels::status`].
    pub result: &'static str,
}

/// Of plugins' answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct CallLabels {
    /// Its name.
    pub plugin: String,
    /// As in [`PointLabels`]; `ScoreExtensionNormalize` besides.
    pub extension_point: &'static str,
    /// `Success`, `Unschedulable`, `Skip`, `Error`
    pub status: &'static str,
}

/// Of a plugin's part in attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct EvaluationLabels {
    /// Its name.
    pub plugin: String,
    /// As in [`PointLabels`].
    pub extension_point: &'static str,
    /// The scheduler name.
    pub profile: String,
}

/// Of a part of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct QueueLabels {
    /// `active`, `backoff`, `unschedulable`
    pub queue: &'static str,
}

/// Of what comes into a part of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct IncomingLabels {
    /// As in [`QueueLabels`].
    pub queue: &'static str,
    /// Why.
    pub event: String,
}

/// Of the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct CacheLabels {
    /// `nodes`, `pods`, `assumed_pods`
    pub r#type: &'static str,
}

/// Of pods that wait because a plugin rejected them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RejectionLabels {
    /// Its name.
    pub plugin: String,
    /// The scheduler name.
    pub profile: String,
}

/// Of a Lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct LeaseLabels {
    /// Its name.
    pub name: String,
}

/// Of a plugin, all its instances together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EncodeLabelSet)]
pub(crate) struct PluginLabels {
    /// Its name.
    pub plugin: String,
}

/// What a plugin is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct InfoLabels {
    /// Its name.
    pub plugin: String,
    /// SHA-256 of the component.
    pub digest: String,
    /// The version that it gives itself.
    pub version: String,
    /// The file; the file's name and `(built in)` where it is in the binary.
    pub path: String,
}

/// A component that is refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RefusedLabels {
    /// As in [`InfoLabels`].
    pub path: String,
}
