//! Answers what would happen if the cluster or the policy were changed.
//!
//! The change is made on a copy of the cluster. The scheduler's own core then schedules the pods on the copy, one after
//! the other, so that each pod sees the pods before it. No answer changes a cluster or reserves anything.

mod answer;
mod budgets;
mod change;
mod classes;
mod compact;
mod control;
mod error;
mod manifests;
mod more;
mod nodes;
mod placement;
mod question;
mod reasons;
mod summary;
pub mod text;

use std::collections::BTreeSet;

use berth_core::Timestamp;
use berth_core::profile_spec::{PointSpecs, ProfileSpec};
use berth_plugin_host::ComponentSet;
use serde_json::Value;

pub use self::answer::{Answer, BudgetAnswer, Compaction, PodAnswer, PodRole, PodState, WorkloadAnswer};
use self::change::Change;
pub use self::classes::rules_wanted;
use self::control::Control;
pub use self::control::WhatIfLimits;
pub use self::error::WhatIfError;
pub use self::nodes::belongs_to_node;
pub use self::question::{AddNodes, Compact, Question};
use crate::copy::ClusterCopy;
use crate::sandbox::Sandbox;

/// The limits of every answer.
const CAVEAT: &str = "The answer is computed on a copy of the cluster: it reserves nothing, and the cluster may change \
                      before you act on it.";

/// A note of an answer for a scheduler with extenders.
pub const EXTENDERS_NOT_ASKED: &str = "Extenders are not asked.";

/// Plugins and profiles.
#[derive(Clone, Copy)]
pub struct Policy<'a> {
    /// The components.
    pub components: &'a ComponentSet,
    /// The profiles.
    pub specs: &'a [ProfileSpec],
}

/// What a question is asked about.
pub struct WhatIfInputs<'a> {
    /// The cluster, with the kinds that [`crate::wanted`] returns for the policy.
    pub copy: &'a ClusterCopy,
    /// The PriorityClasses, StorageClasses and PodDisruptionBudgets of the cluster, read with [`rules_wanted`].
    pub rules: &'a ClusterCopy,
    /// The plugins and profiles after the change.
    pub policy: Policy<'a>,
    /// The plugins and profiles before the change; `None` if the question does not change them.
    pub policy_before: Option<Policy<'a>>,
    /// The time of the question.
    pub now: Timestamp,
    /// The bounds of the work.
    pub limits: WhatIfLimits,
    /// Returns a pod of the cluster by its uid, as the API server sends it. With the object, the reason why the pod
    /// stays pending is examined in detail.
    pub object_of: &'a dyn Fn(&str) -> Option<Value>,
}

/// Answers a question. `goes_on` is called before each scheduling attempt with the number of attempts so far, and
/// returns whether there is time for another. [`Question::configuration`] is not read: the caller parses it and gives the
/// profiles as [`WhatIfInputs::policy`].
///
/// # Errors
/// The question is invalid or too large, `goes_on` ended the work, or the plugins can't be served on this copy.
pub fn whatif(
    question: &Question,
    inputs: &WhatIfInputs<'_>,
    goes_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Answer, WhatIfError> {
    let mut control = Control::new(goes_on);
    let mut answer = Answer { computed_at: inputs.now.0, caveat: CAVEAT.to_owned(), ..Answer::default() };
    if let Some(compact) = &question.compact {
        if question.changes_nodes() || !question.manifests.is_empty() || question.preempt {
            return Err(WhatIfError::Combined);
        }
        compact::answer(compact, inputs, &mut control, &mut answer)?;
    } else {
        Change::of(question, inputs)?.answer(question, inputs, &mut control, &mut answer)?;
    }
    let refused = inputs.copy.refused.iter().chain(&inputs.rules.refused);
    answer.notes.extend(refused.map(|(kind, why)| format!("Objects of {kind} can't be listed: {why}.")));
    let mut known = BTreeSet::new();
    answer.notes.retain(|note| known.insert(note.clone()));
    summary::summarize(&mut answer, question, inputs);
    Ok(answer)
}

/// The default plugin that preempts pods. It does nothing else.
const DEFAULT_PREEMPTION: &str = "DefaultPreemption";

/// Returns a sandbox with this policy on a copy. Without `preempt`, DefaultPreemption is not loaded. Other plugins at
/// post-filter stay, because they may do more than preempt; [`placement`] lets their evictions fail.
fn sandbox(policy: Policy<'_>, copy: &ClusterCopy, now: Timestamp, preempt: bool) -> Result<Sandbox, WhatIfError> {
    let mut specs = policy.specs.to_vec();
    if !preempt {
        specs.iter_mut().for_each(|spec| disable(&mut spec.points, DEFAULT_PREEMPTION));
    }
    Ok(Sandbox::new(policy.components, specs, copy, now)?)
}

/// Disables a plugin at all extension points.
fn disable(points: &mut PointSpecs, plugin: &str) {
    for (_, enabled) in points.each_mut() {
        enabled.retain(|enabled| *enabled.name != *plugin);
    }
}
