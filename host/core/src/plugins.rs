//! The trait through which the core asks plugins, and the types of their answers.
//!
//! The implementor of [`Plugins`] holds the guests: WebAssembly components in the host, plain functions in tests. The
//! core does not know which. Every call names its cycle and passes the cache. The implementor updates the guest from
//! the cache's change log before it asks the guest.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use crate::cache::WhatIf;
use crate::cache::{Cache, NodeId, PodId};
pub use crate::classes::{ClassFilter, ClassId, ClassScores, Classified, MOST_CLASSES, Passed};
pub use crate::declaration::{Declaration, ExtensionPoints, Normalization, Scope};
use crate::intent::Intent;
pub use crate::lifecycle::{Decision, Hint, HintEvent, Permission, PodActions, QueueTimes, Reserved, Undone};
use crate::model::Pod;
pub use crate::pod_signature::PodSignatureId;
use crate::reads::PodReads;
use crate::time::Timestamp;
pub use crate::verdict::{Code, MOST_OUTCOMES, Status, Verdicts};

/// The id of a plugin instance: a component's digest with its arguments. A swapped plugin gets a new id. Ids are
/// never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginId(pub u32);

/// The subject of a call.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// The cycle number. It grows by one with every scheduling attempt and with every call of [`crate::Core::explain`].
    pub id: u64,
    /// The time of the call.
    pub time: Timestamp,
    /// The random seed for this cycle and plugin.
    pub seed: u64,
    /// The pod signature in the facts that this plugin reads.
    pub signature: PodSignatureId,
    /// The pod. All pods of the signature are equal to it in the plugin's pod facts.
    pub pod: &'a Pod,
    /// The cluster.
    pub cache: &'a Cache,
}

/// The answer of a pre-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFilterResult {
    /// Filter every node.
    All,
    /// Do not call the plugin's filter for this pod.
    Skip,
    /// Only the nodes with these names are candidates.
    Narrow(Vec<Box<str>>),
    /// Reject the pod on every node.
    Reject(Status),
}

/// The answer of a pre-score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreScoreResult {
    /// Score the nodes.
    Score,
    /// Do not call the plugin's score for this pod.
    Skip,
}

/// A plugin failed to answer, or its answer broke the contract. The message is for people and says what to do, if
/// this is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("plugin {plugin}: {message}")]
pub struct PluginError {
    /// The plugin's name.
    pub plugin: Arc<str>,
    /// The failure, for example `trapped in filter: unreachable` or `ran longer than 100 ms`.
    pub message: String,
    /// The plugin was not asked, because it is being rebuilt or filled. Pods that wait for the plugin are tried again
    /// when it works again. This is false for a failed call: the pod that made the plugin fail would be the first to do
    /// so again.
    pub down: bool,
    /// The plugin works, and is being filled with the cluster again. Pods wait for it, and nothing is reported about
    /// them.
    pub filling: bool,
}

impl PluginError {
    /// Creates the error of a call that failed.
    #[must_use]
    pub fn failed(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: false, filling: false }
    }

    /// Creates the error of a plugin that could not be asked.
    #[must_use]
    pub fn down(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: true, filling: false }
    }

    /// Creates the error of a plugin that could not be asked because it is being filled with the cluster again.
    #[must_use]
    pub fn filling(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: true, filling: true }
    }
}

/// A call of a plugin that failed. Failures depend on CPU time and on the state of instances, so a capture records them,
/// and a replay repeats them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedCall {
    /// The function, for example `filter`.
    pub function: Box<str>,
    /// The uid of the call's pod. For queueing hints, the first pod.
    pub pod: Box<str>,
    /// The error, with the plugin's name.
    pub error: PluginError,
}

/// The outcome of an extension point for one pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointOutcome {
    /// No plugin rejected the pod, and none failed.
    Success,
    /// A plugin rejected the pod.
    Unschedulable,
    /// A plugin failed.
    Error,
}

/// A preemption: the node to nominate and the victims to evict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreemptionPlan {
    /// The node.
    pub node: NodeId,
    /// The victims.
    pub evict: Vec<PodId>,
    /// The message of the victims' condition DisruptionTarget.
    pub reason: Arc<str>,
    /// Further intents ([`Intent::is_change`]).
    pub intents: Vec<Intent>,
    /// What happens to other pods.
    pub pods: PodActions,
}

/// The answer of a post-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostFilterResult {
    /// Nominate a node and evict its victims.
    Nominate(PreemptionPlan),
    /// Preemption can't help.
    Unschedulable {
        /// The reasons for the pod's message.
        reasons: Vec<Arc<str>>,
        /// Clear the pod's earlier nomination.
        clear: bool,
        /// Intents after which the pod may fit later ([`Intent::is_change`]).
        intents: Vec<Intent>,
        /// What happens to other pods.
        pods: PodActions,
    },
}

impl Default for PostFilterResult {
    /// Preemption can't help, and nothing else happens.
    fn default() -> Self {
        Self::Unschedulable { reasons: Vec::new(), clear: false, intents: Vec::new(), pods: PodActions::default() }
    }
}

/// A node on which the pod would fit without some of the node's pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The node.
    pub node: NodeId,
    /// The victims, the most important first.
    pub victims: Vec<PodId>,
    /// The number of victims whose eviction violates a PodDisruptionBudget.
    pub violations: i64,
}

/// Questions that a post-filter may ask while it is being called.
pub trait AskBack {
    /// Returns a verdict of the profile's filters for each case. The pod must fit both with and without the pods that
    /// are nominated to the node.
    ///
    /// # Errors
    /// A filter failed.
    fn what_if(&mut self, plugins: &mut dyn Plugins, cases: &[WhatIf]) -> Result<Verdicts, PluginError>;

    /// Asks the extenders which candidates to keep. An extender may also add a node or change the victims; each
    /// candidate has at least one victim. Without extenders all candidates are returned.
    ///
    /// # Errors
    /// An extender that is not ignorable failed. The error is the reason for the pod's message.
    fn extenders(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, String> {
        Ok(candidates)
    }
}

impl<F> AskBack for F
where
    F: FnMut(&mut dyn Plugins, &[WhatIf]) -> Result<Verdicts, PluginError>,
{
    fn what_if(&mut self, plugins: &mut dyn Plugins, cases: &[WhatIf]) -> Result<Verdicts, PluginError> {
        self(plugins, cases)
    }
}

/// Holds the guests and asks them.
///
/// The core checks the lengths of answers and the ranges of their values. The implementor makes a pod signature known
/// to the guest before the first call that names it.
pub trait Plugins {
    /// Returns whether the plugin handles no pod of this signature, so that it is not asked about these pods at all.
    /// The core only calls this for plugins with [`ExtensionPoints::SKIP`]. The call may be outside of a scheduling
    /// cycle.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn skip(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        Ok(false)
    }

    /// Returns the reason why the pod is gated, or `None` if it may be tried. The call is outside of a scheduling
    /// cycle: its cycle id is that of the last cycle.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn pre_enqueue(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        Ok(None)
    }

    /// Returns the sort key of the pod. Pods are tried in ascending order of keys, compared element by element.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn sort_key(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _times: QueueTimes,
    ) -> Result<Box<[i64]>, PluginError> {
        Ok(Box::default())
    }

    /// Called before the nodes are filtered.
    ///
    /// # Errors
    /// The plugin trapped, exceeded its time or memory, or returned an error.
    fn pre_filter(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        Ok(PreFilterResult::All)
    }

    /// Returns for each node whether the pod fits.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError>;

    /// Returns the class of each node and the filter's verdicts on the classes. The core only calls this for plugins
    /// with [`Declaration::answers_by_class`]. `known` is the cycle of the last answer about the pod signature that the
    /// core has, or 0 if the core has none. If the plugin last answered in another cycle, the plugin sends the classes
    /// of all nodes again. `None` means that the core asks about pods of this signature node by node.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn classify(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _known: u64,
    ) -> Result<Option<Classified>, PluginError> {
        Ok(None)
    }

    /// Returns the scores of the classes that have nodes which passed all filters. The plugin has classified the
    /// nodes in this cycle.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn score_classes(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        Ok(ClassScores { raw: vec![0; passed.len()], normalized: vec![0; passed.len()] })
    }

    /// Returns for each case whether the pod fits. The cases are independent and leave nothing behind. The default
    /// implementation calls [`Plugins::filter`] with a modified copy of the cache for each case.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn filter_what_if(
        &mut self,
        plugin: PluginId,
        cycle: &Cycle<'_>,
        cases: &[WhatIf],
    ) -> Result<Verdicts, PluginError> {
        let mut all = Verdicts::default();
        for case in cases {
            let cache = cycle.cache.as_if(case);
            let verdicts = self.filter(plugin, &Cycle { cache: &cache, ..*cycle }, &[case.node])?;
            let before = all.outcomes.len() as u16;
            all.nodes.extend(verdicts.nodes.iter().map(|number| if *number == 0 { 0 } else { before + number }));
            all.outcomes.extend(verdicts.outcomes);
        }
        Ok(all)
    }

    /// Called when no node fits, to start a preemption. `codes` holds the code with which each of `nodes` was
    /// rejected. `leaving` holds pods on the pod's nominated node that are being deleted because a scheduler
    /// preempted them.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn post_filter(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
        _codes: &[Code],
        _leaving: &[PodId],
        _ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        Ok(PostFilterResult::default())
    }

    /// Called before the nodes are scored.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn pre_score(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        Ok(PreScoreResult::Skip)
    }

    /// Returns raw scores, parallel to `nodes`.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn score(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        Ok(vec![0; nodes.len()])
    }

    /// Normalizes the scores of a plugin with [`Normalization::Custom`]. The result is parallel to `nodes`.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn normalize(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        Ok(scores.to_vec())
    }

    /// Reserves resources for the pod on the chosen node, or rejects the pod. The answer is applied as a whole or not
    /// at all. A plugin that failed or rejected the pod gets no unreserve call.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn reserve(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        Ok(Ok(Reserved::default()))
    }

    /// Releases what the plugin reserved. Called once for each successful [`Plugins::reserve`] that no
    /// [`Plugins::post_bind`] follows. `pre_bound` says whether the plugin's pre-bind was asked. The implementor logs a
    /// failed call.
    fn unreserve(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
        _pre_bound: bool,
    ) -> Undone {
        Undone::default()
    }

    /// Returns whether the pod may be bound now. This is the last call of the scheduling cycle. `state` holds the bytes
    /// that the plugin's reserve returned, as in [`Plugins::unreserve`] and in all later calls. It is empty for a
    /// plugin without reserve.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn permit(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Permission, PluginError> {
        Ok(Permission::default())
    }

    /// Returns the intents to execute, in order, before the pod is bound.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn pre_bind(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        Ok(Vec::new())
    }

    /// Returns the intents that bind the pod, in place of the API server's binding. `None` leaves the pod to the next
    /// plugin. After the last plugin, the core binds the pod with [`crate::Action::Bind`], unless the profile disables
    /// DefaultBinder.
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`].
    fn bind(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        Ok(None)
    }

    /// Called after the pod is bound.
    fn post_bind(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>, _node: &str, _state: &[u8]) {}

    /// Returns whether the event can help pods that the plugin rejected, one hint for each of `pods`. The event matches
    /// the plugin's declaration ([`Declaration::is_concerned_by`]). `pods` is never empty, and each of its pods stands
    /// for all pods of its signature. The event holds the complete objects before and after; the implementor passes
    /// only the declared facts to a guest. The core only calls this for plugins with
    /// [`ExtensionPoints::QUEUEING_HINT`].
    ///
    /// # Errors
    /// See [`Plugins::pre_filter`]. After an error all pods count as helped.
    fn queueing_hints(
        &mut self,
        _plugin: PluginId,
        _happened: &HintEvent<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        Ok(vec![Hint::Queue; pods.len()])
    }

    /// Reports the start of an extension point for a pod with this scheduler name. For metrics, because the core has
    /// no clock.
    fn point_begins(&mut self, _point: ExtensionPoints, _scheduler_name: &str) {}

    /// Reports the end of the extension point that started last.
    fn point_ends(&mut self, _outcome: PointOutcome) {}

    /// Reports the start of pre-bind for this pod. Intents of its plugins can take long, so that pre-bind is measured
    /// for each pod, up to [`Plugins::pre_bind_ends`].
    fn pre_bind_begins(&mut self, _pod: &Pod) {}

    /// Reports the end of pre-bind for this pod, whether pre-bind succeeded or not.
    fn pre_bind_ends(&mut self, _pod: &Pod, _outcome: PointOutcome) {}

    /// Reports, for metrics, that the permit wait of a pod ended.
    fn permit_wait_ends(&mut self, _waited: Duration, _outcome: PointOutcome) {}

    /// Forgets these pod signatures, which no later call names. They belong to all plugins that declared
    /// exactly these fields.
    fn forget_signatures(&mut self, _reads: &PodReads, _signatures: &[PodSignatureId]) {}
}
