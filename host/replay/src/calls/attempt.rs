//! A recorded scheduling attempt.

use std::sync::Arc;

use berth_capture::ExtenderAnswer;
use berth_core::cache::Cache;
use berth_core::extenders::Extender;
use berth_core::model::Pod;
use berth_core::plugins::FailedCall;
use berth_core::profile_spec::ProfileSpec;
use berth_core::{Options, Timestamp};
use berth_plugin_host::ComponentSet;

/// An attempt of the pod, with the cluster before it.
pub(super) struct RecordedAttempt {
    pub at: Timestamp,
    /// The number of the attempt for the pod, counted from 1.
    pub number: u32,
    /// The number of the scheduling cycle.
    pub cycle: u64,
    /// The seed of the scheduler.
    pub seed: u64,
    /// The pod, with its nominated node.
    pub pod: Arc<Pod>,
    pub cache: Cache,
    /// The options of the scheduler.
    pub options: Options,
    /// The profiles.
    pub specs: Vec<ProfileSpec>,
    /// The extenders, and their answers during the attempt.
    pub extenders: Vec<Extender>,
    pub extender_answers: Vec<ExtenderAnswer>,
    /// The components that served.
    pub components: Arc<ComponentSet>,
    /// The arguments of the plugin in the pod's profile.
    pub arguments: Arc<str>,
    /// The node that the attempt chose.
    pub node: Option<String>,
    /// Why the attempt chose no node.
    pub message: Option<String>,
    /// The calls of the plugin that failed.
    pub failed_calls: Vec<FailedCall>,
    /// The calls of other plugins that failed.
    pub other_failed_calls: Vec<FailedCall>,
}
