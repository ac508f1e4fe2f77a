//! Answers questions about a copy of the cluster: why a pod is pending, why a node was chosen or not, and what a change
//! of the cluster would do.
//!
//! - In: a [`ClusterCopy`] (of a running [`berth_core::Core`], or of objects as the API server sends them), the loaded
//!   components, the profiles, and the time.
//! - Out: data with a JSON schema, and texts for people.
//! - Never: this crate does no I/O, has no clock, and schedules nothing. A [`Sandbox`] has its own core and its own
//!   plugin instances, so a question never changes a later decision of the scheduler.

mod answer;
mod cluster;
mod copy;
mod explain;
mod names;
mod percentile;
mod plugins;
mod pod;
mod points;
pub mod preview;
pub mod recorded;
mod sandbox;
mod status;
mod suggest;
pub mod whatif;

pub use self::answer::{HiddenNames, PodAnswer};
pub use self::cluster::{Amounts, ClusterFollower, ClusterListing, ClusterView, NodePod, NodePods, NodeSummary};
pub use self::copy::{ClusterCopy, CopyError};
pub use self::explain::{
    AllNodes, CurrentNode, ExplainError, Explanation, FilterAnswer, NodeRow, NodeScore, PermitWait, PluginPoints,
    PluginReason, PodRef, PodStatus, PointsLost, ReasonCount, Rejection, RejectionKind, State, WhyNot, all_nodes,
    explain, text, why_not,
};
pub use self::percentile::percentile;
pub use self::plugins::{ListedPlugin, PluginCost, PluginListing, PluginUse, enabled_plugins};
pub use self::pod::{KnownPod, PastPodQuestion, PodQuestion};
pub use self::points::ClusterPoint;
pub use self::sandbox::{
    Answers, NodeAnswer, PluginScore, Position, PreEnqueueAnswer, PreFilterAnswer, Sandbox, SandboxError, wanted,
};
pub use self::status::{PendingPod, QueueListing, QueueQuestion};
pub use self::suggest::{Change, ChangeKind, MOST_CONFIRMATIONS, ObjectRef, PatchOperation, Suggestion};
