//! The trait through which the core asks plugins, and what they answer.
//!
//! Whoever implements [`Plugins`] holds the guests: in the host they are WebAssembly components, in tests plain
//! functions. The core never knows which. Every call names its cycle and gives the cache, from whose change log the
//! implementor brings the guest up to date before it asks.

use std::sync::Arc;
use std::time::Duration;

use crate::cache::{Cache, NodeId, PodId};
pub use crate::classes::{ClassFilter, ClassId, ClassScores, Classified, MOST_CLASSES, Passed};
pub use crate::declaration::{Declaration, ExtensionPoints, Normalization, Scope};
use crate::facts::PodFacts;
use crate::intent::Intent;
pub use crate::lifecycle::{Decision, Happened, Hint, Permission, Reserved};
use crate::model::Pod;
use crate::time::Timestamp;

/// One instance of a plugin: a component's digest with its arguments. A plugin that is swapped gets a new one; ids are
/// never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PluginId(pub u32);

/// Pods that are equal in a set of pod facts (`template-id`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateId(pub u32);

/// What a call is about.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<'a> {
    /// Grows by one with every attempt to place a pod.
    pub id: u64,
    /// The cycle's time.
    pub time: Timestamp,
    /// Random, for this cycle and plugin.
    pub seed: u64,
    /// The pod's template for this plugin's facts.
    pub template: TemplateId,
    /// The pod; equal to all of its template in the plugin's pod facts.
    pub pod: &'a Pod,
    /// The cluster.
    pub cache: &'a Cache,
}

/// A node as it would be with other pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The node.
    pub node: NodeId,
    /// Pods that would be there, too.
    pub added: Vec<Arc<Pod>>,
    /// Pods of the node that would not.
    pub removed: Vec<PodId>,
}

/// How a plugin says no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// Taking pods away might help.
    Unschedulable,
    /// It would not.
    UnschedulableAndUnresolvable,
    /// The plugin could not tell.
    Error,
    /// Not yet.
    Pending,
}

/// A no with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// How it is meant.
    pub code: Code,
    /// For people.
    pub reasons: Vec<Arc<str>>,
}

/// The most distinct rejections that one answer may have. More are a failure of the plugin.
pub const MOST_OUTCOMES: usize = 1000;

/// Answers of a filter: for each node asked about 0 (fits) or n for `outcomes[n - 1]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Distinct noes, at most [`MOST_OUTCOMES`].
    pub outcomes: Vec<Status>,
    /// Parallel to the nodes asked about; each at most `outcomes.len()`.
    pub nodes: Vec<u16>,
}

/// Answer of a pre-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFilterResult {
    /// Filter every node.
    All,
    /// Nothing to filter for this pod.
    Skip,
    /// Only nodes of these names can do.
    Narrow(Vec<Box<str>>),
    /// None can.
    Reject(Status),
}

/// Answer of a pre-score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreScoreResult {
    /// Score the nodes.
    Score,
    /// Adds nothing to any node.
    Skip,
}

/// A plugin did not answer, or not as it must. The message is for people and names what to do where it can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plugin {plugin}: {message}")]
pub struct PluginError {
    /// Its name.
    pub plugin: Arc<str>,
    /// What happened: `trapped in filter: unreachable`, `ran longer than 100 ms`, …
    pub message: String,
    /// It was not asked at all: it is being made anew. Pods that wait for it are tried as soon as it is back. A pod over
    /// which it failed is not: it would be the first to break it again.
    pub down: bool,
    /// The plugin is sound and is being filled with the cluster again. Pods wait for it, and nothing is reported about them.
    pub filling: bool,
}

impl PluginError {
    /// It failed when it was asked.
    #[must_use]
    pub fn failed(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: false, filling: false }
    }

    /// It could not be asked.
    #[must_use]
    pub fn down(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: true, filling: false }
    }

    /// It could not be asked, as it is being filled with the cluster again.
    #[must_use]
    pub fn filling(plugin: Arc<str>, message: String) -> Self {
        Self { plugin, message, down: true, filling: true }
    }
}

/// How an extension point went, for one pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointOutcome {
    /// All plugins answered.
    Success,
    /// One rejected the pod.
    Unschedulable,
    /// One failed.
    Error,
}

/// How room is made for a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Where.
    pub node: NodeId,
    /// Pods that have to go.
    pub evict: Vec<PodId>,
    /// Why, for their condition DisruptionTarget.
    pub reason: Arc<str>,
    /// What has to be done besides.
    pub intents: Vec<Intent>,
}

/// Answer of a post-filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostFilterResult {
    /// There will be room.
    Nominate(Room),
    /// It can't make room.
    Unschedulable {
        /// Why, for the pod's message.
        reasons: Vec<Arc<str>>,
        /// Room that was promised to the pod before is so no longer.
        clear: bool,
        /// What has to be done so that the pod may fit later ([`Intent::is_change`]).
        intents: Vec<Intent>,
    },
}

/// A node that would have room without some of its pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The node.
    pub node: NodeId,
    /// Pods that would have to go, the most important first.
    pub victims: Vec<PodId>,
    /// How many of them a PodDisruptionBudget protects.
    pub violations: i64,
}

/// Whom a post-filter may ask while it is asked itself.
pub trait AskBack {
    /// A verdict for each case, by the profile's filters, with the pods in mind to whom room on those nodes is promised.
    ///
    /// # Errors
    /// A filter failed.
    fn what_if(&mut self, plugins: &mut dyn Plugins, cases: &[WhatIf]) -> Result<Verdicts, PluginError>;

    /// What the extenders leave of the nodes from which pods could go: some of them, or others, perhaps with other victims,
    /// of which each has one at least. All of them where there are no extenders.
    ///
    /// # Errors
    /// One that may not be ignored failed: why, for the pod's message.
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

/// Whoever holds the guests.
///
/// Every answer is checked by the implementor to be of the right length; the core checks ranges. The implementor makes
/// a template known to the guest before the first call that names it.
pub trait Plugins {
    /// Has the plugin nothing to do with pods of this template? Then it is asked nothing about them. Only asked of those who say so
    /// ([`ExtensionPoints::SKIP`]). The cycle may be none yet.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn skip(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<bool, PluginError> {
        Ok(false)
    }

    /// May the pod be tried at all? `None` is yes. The cycle is none yet: its id is that of the last one.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn pre_enqueue(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<Option<Status>, PluginError> {
        Ok(None)
    }

    /// The pod's place in the order in which pods are tried, which is ascending, element by element. `queued` is since when
    /// it waits.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn sort_key(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _queued: Timestamp,
    ) -> Result<Box<[i64]>, PluginError> {
        Ok(Box::default())
    }

    /// Before the nodes are filtered.
    ///
    /// # Errors
    /// The plugin trapped, ran out of time or memory, or said so itself.
    fn pre_filter(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>) -> Result<PreFilterResult, PluginError> {
        Ok(PreFilterResult::All)
    }

    /// Does the pod fit on these nodes?
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn filter(&mut self, plugin: PluginId, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, PluginError>;

    /// Which nodes are of which class, and what the filter says of the classes; only asked of those who answer by class
    /// ([`Declaration::answers_by_class`]). `known` is the cycle whose answer about the template the core has, 0 for none: where
    /// the plugin knows of another, it says all anew. `None`: pods of this template are asked about node by node.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn classify(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _known: u64,
    ) -> Result<Option<Classified>, PluginError> {
        Ok(None)
    }

    /// The scores of the classes with nodes that passed all filters, in a cycle in which the plugin classified the nodes.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn score_classes(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        passed: &[Passed],
    ) -> Result<ClassScores, PluginError> {
        Ok(ClassScores { raw: vec![0; passed.len()], normalized: vec![0; passed.len()] })
    }

    /// Does the pod fit, in each of these cases? Each stands for itself, and none leaves anything behind. Whoever can't look at
    /// the cache in another way is given a copy for each case.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
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

    /// No node fits: can the plugin make room? `codes` says how each of `nodes` was rejected. `leaving` are pods on the
    /// pod's nominated node that are being deleted because a scheduler evicted them.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn post_filter(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
        _codes: &[Code],
        _leaving: &[PodId],
        _ask: &mut dyn AskBack,
    ) -> Result<PostFilterResult, PluginError> {
        Ok(PostFilterResult::Unschedulable { reasons: Vec::new(), clear: false, intents: Vec::new() })
    }

    /// Before nodes are scored.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn pre_score(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
    ) -> Result<PreScoreResult, PluginError> {
        Ok(PreScoreResult::Skip)
    }

    /// Raw scores, parallel to `nodes`.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn score(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, PluginError> {
        Ok(vec![0; nodes.len()])
    }

    /// Scores of [`Normalization::Custom`], parallel to `nodes`.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn normalize(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _nodes: &[NodeId],
        scores: &[i64],
    ) -> Result<Vec<i64>, PluginError> {
        Ok(scores.to_vec())
    }

    /// A node was chosen: the plugin sets aside what the pod needs there, or rejects it. What it answers is taken as a whole or
    /// not at all; a plugin that failed or rejected is not told to unreserve.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn reserve(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: NodeId,
    ) -> Result<Result<Reserved, Status>, PluginError> {
        Ok(Ok(Reserved::default()))
    }

    /// What the plugin reserved is not needed: told once for each [`Plugins::reserve`] that went well and after which there
    /// is no [`Plugins::post_bind`]. `pre_bound`: its pre-bind was asked. What has to be undone of that is returned
    /// ([`Intent::is_change`]). That it could not be told is for the implementor's log.
    fn unreserve(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
        _pre_bound: bool,
    ) -> Vec<Intent> {
        Vec::new()
    }

    /// May the pod be bound now? The end of its scheduling cycle: `state` is what the plugin's reserve returned, here and
    /// below; nothing where it has none.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn permit(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Permission, PluginError> {
        Ok(Permission::default())
    }

    /// What has to be done to the cluster before the pod is bound: patches, waits and evictions, in this order.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn pre_bind(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Vec<Intent>, PluginError> {
        Ok(Vec::new())
    }

    /// What has to be done to bind the pod, in place of the API server's binding. `None` leaves it to the next plugin, the
    /// last of which is the core itself, with [`crate::Action::Bind`].
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`].
    fn bind(
        &mut self,
        _plugin: PluginId,
        _cycle: &Cycle<'_>,
        _node: &str,
        _state: &[u8],
    ) -> Result<Option<Vec<Intent>>, PluginError> {
        Ok(None)
    }

    /// The pod is bound.
    fn post_bind(&mut self, _plugin: PluginId, _cycle: &Cycle<'_>, _node: &str, _state: &[u8]) {}

    /// Whether the event, one of those that the plugin waits for, can help pods that it rejected: an answer for each of
    /// `pods`, which are never none, and of which one stands for all of its template. The event has the objects themselves, before
    /// and after; what a guest sees of them is the implementor's to cut. Only those with [`ExtensionPoints::QUEUEING_HINT`] are asked.
    ///
    /// # Errors
    /// As [`Plugins::pre_filter`]. All of them are worth another try then.
    fn queueing_hints(
        &mut self,
        _plugin: PluginId,
        _happened: &Happened<'_>,
        pods: &[Cycle<'_>],
    ) -> Result<Vec<Hint>, PluginError> {
        Ok(vec![Hint::Queue; pods.len()])
    }

    /// The core begins to ask plugins at this extension point, in the cycle of a pod of this scheduler name. For those who
    /// measure: the core has no clock.
    fn point_begins(&mut self, _point: ExtensionPoints, _scheduler_name: &str) {}

    /// It is done with the extension point that it began last.
    fn point_ends(&mut self, _outcome: PointOutcome) {}

    /// Pre-bind of this pod begins. Its plugins may have things done that take their time, so that it is measured by pod,
    /// from here to [`Plugins::pre_bind_ends`].
    fn pre_bind_begins(&mut self, _pod: &Pod) {}

    /// The pod may be bound, or won't be.
    fn pre_bind_ends(&mut self, _pod: &Pod, _outcome: PointOutcome) {}

    /// A pod that permit plugins wanted to wait waits no more: it may be bound, or not. For those who measure.
    fn permit_wait_ends(&mut self, _waited: Duration, _outcome: PointOutcome) {}

    /// These templates will not be named again: what is kept for them may go. They are templates of all plugins that
    /// declared exactly these facts.
    fn forget_templates(&mut self, _facts: PodFacts, _templates: &[TemplateId]) {}
}
