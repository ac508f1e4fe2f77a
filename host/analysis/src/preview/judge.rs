//! Judges past decisions with another policy.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::NodeId;
use berth_core::cycle::Failure;
use berth_core::model::Pod;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::ComponentSet;

use super::{ChangedDecision, Preview};
use crate::copy::ClusterCopy;
use crate::names::name_of;
use crate::sandbox::{Sandbox, SandboxError};
use crate::whatif::Policy;

/// The largest number of decisions that a preview judges.
pub const MOST_DECISIONS: usize = 100;

/// A decision of the scheduler, with what it depended on.
#[derive(Clone)]
pub struct PastDecision {
    /// The cluster before the decision.
    pub cluster: ClusterCopy,
    /// The time of the decision.
    pub at: Timestamp,
    /// The pod.
    pub pod: Arc<Pod>,
    /// The number of this attempt for the pod, counted from 1.
    pub attempt: u32,
    /// The node that was chosen; `None` if no node fitted.
    pub node: Option<Box<str>>,
    /// The node was the pod's nominated node, which is chosen if it still fits.
    pub was_nominated: bool,
    /// The policy that decided.
    pub policy: Arc<PastPolicy>,
}

/// A policy that served at the time of past decisions.
pub struct PastPolicy {
    /// The components.
    pub components: Arc<ComponentSet>,
    /// The profiles.
    pub specs: Vec<ProfileSpec>,
}

/// A policy with a sandbox, which has the cluster of the decision that was judged last.
struct Judge {
    sandbox: Sandbox,
}

impl Judge {
    fn new(policy: Policy<'_>, decision: &PastDecision) -> Result<Self, SandboxError> {
        let sandbox = Sandbox::new(policy.components, policy.specs.to_vec(), &decision.cluster, decision.at)?;
        Ok(Self { sandbox })
    }

    /// Makes a decision again. Returns `None` if no profile of the policy has the pod's scheduler name.
    fn choice(&mut self, decision: &PastDecision) -> Option<Choice> {
        self.sandbox.update(&decision.cluster, decision.at);
        let scores = self.sandbox.scores(&decision.pod)?;
        let cache = self.sandbox.core().cache();
        let node = decision.node.as_deref().and_then(|name| cache.node_id(name));
        let nodes = match scores {
            Ok(nodes) => nodes,
            Err(failure) => return Some(Choice::none(&failure, decision)),
        };
        let best = nodes.iter().map(|(_, score)| *score).max()?;
        let is_best = |found: &&(NodeId, i64)| found.1 == best;
        let recorded = nodes.iter().find(|(found, _)| Some(*found) == node);
        let first = nodes.iter().filter(is_best).map(|(node, _)| name_of(cache, *node)).min();
        Some(Choice {
            is_recorded: recorded.is_some_and(|(_, score)| decision.was_nominated || *score == best),
            score: recorded.map(|(_, score)| *score),
            best: first.map(|name| (name, best)),
            ties: nodes.iter().filter(is_best).count(),
            message: None,
        })
    }
}

/// What a policy decides.
struct Choice {
    /// The policy can choose the recorded node; or it chooses no node, as recorded.
    is_recorded: bool,
    /// The total score of the recorded node; `None` if the node does not fit.
    score: Option<i64>,
    /// The first by name of the best nodes, and their score.
    best: Option<(String, i64)>,
    /// The number of best nodes.
    ties: usize,
    /// Why no node fits.
    message: Option<String>,
}

impl Choice {
    /// Returns the choice of no node.
    fn none(failure: &Failure, decision: &PastDecision) -> Self {
        let (is_recorded, message) = (decision.node.is_none(), Some(failure.to_string()));
        Self { is_recorded, score: None, best: None, ties: 0, message }
    }
}

/// Judges past decisions with another policy, the latest first, until all are judged or `go_on` returns false. The
/// decisions are in the order of their times.
///
/// The policy of the time makes a changed decision again, too. If it does not decide as recorded, something decided that a
/// sandbox can't ask, such as an extender. The decision then does not count as judged.
///
/// # Errors
/// A policy can't be served on the cluster of a decision.
pub fn preview(
    decisions: &[PastDecision],
    policy: Policy<'_>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Preview, SandboxError> {
    let mut preview = Preview::default();
    let mut new: Option<Judge> = None;
    let mut old: Option<(Arc<PastPolicy>, Judge)> = None;
    let mut not_repeated = 0;
    for decision in decisions.iter().rev().take(MOST_DECISIONS) {
        if !go_on() {
            preview.notes.push(format!("There was time for the last {} decisions only.", preview.judged));
            break;
        }
        let new = match &mut new {
            Some(judge) => judge,
            None => new.insert(Judge::new(policy, decision)?),
        };
        let Some(choice) = new.choice(decision) else { continue };
        if !choice.is_recorded {
            let served = &decision.policy;
            if old.as_ref().is_none_or(|(policy, _)| !Arc::ptr_eq(policy, served)) {
                let policy = Policy { components: &served.components, specs: &served.specs };
                old = Some((Arc::clone(served), Judge::new(policy, decision)?));
            }
            let again = old.as_mut().and_then(|(_, old)| old.choice(decision));
            if !again.is_some_and(|again| again.is_recorded) {
                not_repeated += 1;
                continue;
            }
            preview.different.push(changed(decision, choice));
        }
        preview.judged += 1;
        preview.since = Some(decision.at.0);
    }
    if not_repeated > 0 {
        preview.notes.push(format!(
            "{not_repeated} decisions were not judged, because they depended on more than the plugins and the cluster: on \
             extenders, on percentageOfNodesToScore, on a failed call of a plugin, or on the own state of a plugin."
        ));
    }
    Ok(preview)
}

fn changed(decision: &PastDecision, choice: Choice) -> ChangedDecision {
    let key = &decision.pod.key;
    let (new_node, new_score) = choice.best.unzip();
    ChangedDecision {
        namespace: key.namespace.to_string(),
        name: key.name.to_string(),
        attempt: decision.attempt,
        at: decision.at.0,
        node: decision.node.as_ref().map(ToString::to_string),
        score: choice.score,
        new_node,
        new_score,
        ties: choice.ties,
        message: choice.message,
    }
}
