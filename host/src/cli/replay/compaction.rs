//! The fewest nodes that run the pods of a moment, as `berth whatif --compact` finds them.

use berth_analysis::ClusterCopy;
use berth_analysis::whatif::{Compact, Policy, Question, WhatIfInputs, WhatIfLimits, whatif};
use berth_core::Timestamp;
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::ComponentSet;
use berth_replay::{Decider, History};

/// The largest number of pods for which the number of nodes is computed without being asked for.
const MOST_PODS: usize = 2000;

/// The number of orders in which nodes are removed.
const TRIALS: usize = 3;

/// Computes the fewest nodes.
pub(super) struct Compactor {
    /// Compute the number for clusters of any size.
    pub is_always: bool,
}

impl Compactor {
    /// Returns the fewest nodes that run all pods of this cluster with the plugins of the decider. Returns `None` for too
    /// many pods, without plugins, or if the plugins fail on the cluster.
    pub fn fewest_nodes(
        &self,
        history: &History,
        decider: &Decider,
        copy: &ClusterCopy,
        now: Timestamp,
    ) -> Option<u64> {
        if copy.pods.len() > MOST_PODS && !self.is_always {
            return None;
        }
        let recorded: Vec<ProfileSpec>;
        let (components, specs): (&ComponentSet, &[ProfileSpec]) = match decider {
            Decider::Recorded => return None,
            Decider::CapturePolicy(components) => {
                recorded = history.policy()?.profiles.iter().map(|profile| profile.spec.clone()).collect();
                (components, &recorded)
            }
            Decider::Policy(policy) => (&policy.components, &policy.specs),
        };
        let question = Question { compact: Some(Compact { seed: 0, trials: TRIALS }), ..Question::default() };
        let inputs = WhatIfInputs {
            copy,
            rules: &ClusterCopy::default(),
            policy: Policy { components, specs },
            policy_before: None,
            now,
            limits: WhatIfLimits { most_pods: usize::MAX, ..WhatIfLimits::default() },
            object_of: &|_| None,
        };
        let answer = whatif(&question, &inputs, &mut |_| true).ok()?;
        answer.compaction?.median.map(|nodes| nodes as u64)
    }
}
