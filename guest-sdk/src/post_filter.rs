//! Post-filters: the questions and answers of a plugin that preempts pods if no node fits.
//!
//! ```
//! use berth_guest::index::Index;
//! use berth_guest::plugin::NoArgs;
//! use berth_guest::post_filter::{Nomination, PostFilter, Rejected, WhatIf};
//! use berth_guest::prelude::*;
//! use berth_guest::types::Code;
//!
//! /// Pods that may be preempted, with their nodes.
//! #[derive(Default)]
//! pub struct Spot(Vec<(pod::Id, node::Id)>);
//!
//! impl Index for Spot {
//!     type Nodes = ();
//!     type Pods = pod::Labels;
//!     type PendingPods = ();
//!
//!     fn new(_: &NoArgs) -> Spot {
//!         Spot::default()
//!     }
//!
//!     fn pod_set(&mut self, pod: pod::Id, node: node::Id, labels: &pod::Labels) {
//!         self.pod_removed(pod);
//!         if labels.get("spot").is_some() {
//!             self.0.push((pod, node));
//!         }
//!     }
//!
//!     fn pod_removed(&mut self, pod: pod::Id) {
//!         self.0.retain(|(known, _)| *known != pod);
//!     }
//! }
//!
//! /// Preempts the first pod without which the pod fits.
//! fn post_filter(rejected: &mut Rejected<'_>, spot: &Spot) -> PostFilter {
//!     let helps = |node| rejected.code(node) == Some(Code::Unschedulable);
//!     let pods = spot.0.iter().filter(|(_, node)| helps(*node));
//!     let cases: Vec<WhatIf> = pods.map(|(pod, node)| WhatIf { node: *node, removed: vec![*pod] }).collect();
//!     let answers = rejected.ask(&cases);
//!     match cases.into_iter().zip(answers).find(|(_, status)| status.is_none()) {
//!         Some((WhatIf { node, removed }, _)) => {
//!             PostFilter::nominate(node, removed, "a spot pod is preempted")
//!         }
//!         None => PostFilter::no_room("no node fits without a spot pod"),
//!     }
//! }
//!
//! berth_guest::plugin!(name: "Spot", index: Spot, post_filter: post_filter);
//! # fn main() {}
//! ```

use std::fmt;

use crate::bindings::post_filter::berth::scheduler::extenders as wit_extenders;
use crate::bindings::post_filter::berth::scheduler::what_if::WhatIfCase;
use crate::bindings::post_filter::exports::berth::scheduler::post_filter as wit;
use crate::intents::Intent;
use crate::types::{Code, PodActions, Status, Verdicts};
use crate::{node, pod};

/// The nodes that rejected the pod, with functions that ask whether the pod would fit without some other pods.
pub struct Rejected<'a> {
    pub(crate) nodes: &'a [u32],
    /// Parallel to `nodes`.
    pub(crate) codes: &'a [Code],
    pub(crate) leaving: &'a [u32],
    pub(crate) ask: &'a mut Ask<'a>,
    pub(crate) extenders: &'a mut AskExtenders<'a>,
}

/// The function that evaluates what-if cases.
pub type Ask<'a> = dyn FnMut(&[WhatIfCase]) -> Verdicts + 'a;

/// The function that calls the extenders.
pub type AskExtenders<'a> =
    dyn FnMut(&[wit_extenders::Candidate]) -> Result<Vec<wit_extenders::Candidate>, String> + 'a;

/// A node that the pod would fit without some of the node's pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The node.
    pub node: node::Id,
    /// The pods to evict, the most important pod first. The list has at least one pod.
    pub victims: Vec<pod::Id>,
    /// The number of victims whose eviction violates a PodDisruptionBudget.
    pub violations: i64,
}

/// A node without some of its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhatIf {
    /// The node.
    pub node: node::Id,
    /// The pods of the node to leave out.
    pub removed: Vec<pod::Id>,
}

impl<'a> Rejected<'a> {
    /// Returns every node, with the code of its rejection.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (node::Id, Code)> + use<'a> {
        self.nodes.iter().zip(self.codes).map(|(id, code)| (node::Id(*id), *code))
    }

    /// Returns the code of a node's rejection; `None` if the node is not in the list.
    pub fn code(&self, node: node::Id) -> Option<Code> {
        self.iter().find(|(known, _)| *known == node).map(|(_, code)| code)
    }

    /// Returns the pods on the nominated node ([`NominatedNode`](pod::NominatedNode)) of the rejected pod that are
    /// being deleted because a scheduler preempted them.
    pub fn leaving(&self) -> impl ExactSizeIterator<Item = pod::Id> + use<'a> {
        self.leaving.iter().map(|id| pod::Id(*id))
    }

    /// Returns for each case why the profile's other plugins would reject the pod; `None` if the pod would fit. Pods
    /// nominated to the node are taken into account. Code `Error` means that one of the plugins failed.
    ///
    /// For each call of this function the host calls each plugin, so ask about many nodes in one call.
    pub fn ask(&mut self, cases: &[WhatIf]) -> Vec<Option<Status>> {
        if cases.is_empty() {
            return Vec::new();
        }
        let pods = |case: &WhatIf| case.removed.iter().map(|pod| pod.0).collect();
        let cases: Vec<WhatIfCase> =
            cases.iter().map(|case| WhatIfCase { node: case.node.0, removed: pods(case) }).collect();
        let Verdicts { outcomes, nodes } = (self.ask)(&cases);
        let outcome = |answer: &u16| outcomes.get(usize::from(*answer).checked_sub(1)?).cloned();
        nodes.iter().map(outcome).collect()
    }

    /// Asks the configured extenders (`extenders[].preemptVerb`) and returns the candidates that the extenders accept,
    /// perhaps with other victims. Returns all candidates if no extender is configured.
    ///
    /// # Errors
    /// Returns the reason, for the pod's message, if an extender fails that is not ignorable.
    pub fn ask_extenders(&mut self, candidates: &[Candidate]) -> Result<Vec<Candidate>, String> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let as_wit = |candidate: &Candidate| wit_extenders::Candidate {
            node: candidate.node.0,
            victims: candidate.victims.iter().map(|pod| pod.0).collect(),
            violations: candidate.violations,
        };
        let left = (self.extenders)(&candidates.iter().map(as_wit).collect::<Vec<_>>())?;
        let read = |candidate: wit_extenders::Candidate| Candidate {
            node: node::Id(candidate.node),
            victims: candidate.victims.into_iter().map(pod::Id).collect(),
            violations: candidate.violations,
        };
        Ok(left.into_iter().map(read).collect())
    }
}

impl fmt::Debug for Rejected<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_map().entries(self.iter()).finish()
    }
}

/// The answer of a post-filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PostFilter {
    /// The node for the pod, or why there is none.
    pub result: PostFilterResult,
    /// Changes to the cluster that may make the pod fit later: patches, creations and deletions.
    pub intents: Vec<Intent>,
    /// What happens to other pods.
    pub pods: PodActions,
}

/// The result of a post-filter for the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostFilterResult {
    /// The pod fits a node after the evictions.
    Nominate(Nomination),
    /// Preemption does not help on any node.
    Unschedulable {
        /// The reasons, for the pod's message.
        reasons: Vec<String>,
        /// True to clear the pod's `status.nominatedNodeName`.
        clear: bool,
    },
}

impl Default for PostFilterResult {
    /// Returns a result without reasons, which keeps the pod's `status.nominatedNodeName`.
    fn default() -> PostFilterResult {
        PostFilterResult::Unschedulable { reasons: Vec::new(), clear: false }
    }
}

/// A node for the pod, and its victims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nomination {
    /// The node that is nominated for the pod.
    pub node: node::Id,
    /// The pods to evict.
    pub evict: Vec<pod::Id>,
    /// The reason, for the message of the evicted pods' condition DisruptionTarget.
    pub reason: String,
}

impl PostFilter {
    /// Makes the answer that the pod fits a node after the eviction of these pods.
    pub fn nominate(node: node::Id, evict: Vec<pod::Id>, reason: impl Into<String>) -> PostFilter {
        PostFilterResult::Nominate(Nomination { node, evict, reason: reason.into() }).into()
    }

    /// Makes the answer that preemption does not help on any node. The answer clears the pod's
    /// `status.nominatedNodeName`.
    pub fn no_room(reason: impl Into<String>) -> PostFilter {
        PostFilterResult::Unschedulable { reasons: vec![reason.into()], clear: true }.into()
    }

    /// Also changes the cluster.
    #[must_use]
    pub fn with_intents(self, intents: Vec<Intent>) -> PostFilter {
        PostFilter { intents, ..self }
    }
}

impl From<PostFilterResult> for PostFilter {
    fn from(result: PostFilterResult) -> PostFilter {
        PostFilter { result, ..PostFilter::default() }
    }
}

impl From<PostFilter> for wit::PostFilterResult {
    fn from(PostFilter { result, intents, pods }: PostFilter) -> wit::PostFilterResult {
        match result {
            PostFilterResult::Nominate(Nomination { node, evict, reason }) => {
                let evict = evict.into_iter().map(|pod| pod.0).collect();
                wit::PostFilterResult::Nominate(wit::Nomination { node: node.0, evict, reason, intents, pods })
            }
            PostFilterResult::Unschedulable { reasons, clear } => {
                wit::PostFilterResult::Unschedulable(wit::Failure { reasons, clear, intents, pods })
            }
        }
    }
}
