//! Cached verdicts on hypothetical nodes, with pods removed and added.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::cache::{NodeId, PodId};
use crate::model::Pod;
use crate::plugins::WhatIf;

/// The largest number of cached cases for each node. Beyond this number, the case that was cached first is dropped. A
/// preemption dry run on a node asks about one case for each of the node's pods.
pub(super) const OF_A_NODE: usize = 24;

/// The verdicts of one plugin about one pod signature, each for a node with its removed and added pods.
#[derive(Clone, Debug, Default)]
pub(crate) struct WhatIfVerdicts {
    /// The cases of each node, in the order in which they were cached.
    of_node: HashMap<NodeId, Vec<Case>>,
}

#[derive(Clone, Debug)]
struct Case {
    removed: Box<[PodId]>,
    /// The added pods, as they were when the plugin was asked.
    added: Box<[Arc<Pod>]>,
    /// 0 if the pod fits, otherwise the number of a rejection in `PluginResults::rejections`.
    verdict: u16,
}

impl Case {
    fn is(&self, case: &WhatIf) -> bool {
        // Comparing two `Arc`s to the same pod does not read the pod.
        *self.removed == *case.removed && *self.added == *case.added
    }
}

impl WhatIfVerdicts {
    /// Returns whether there are no verdicts.
    pub fn is_empty(&self) -> bool {
        self.of_node.is_empty()
    }

    /// Drops all verdicts.
    pub fn clear(&mut self) {
        self.of_node.clear();
    }

    /// Drops the verdicts on this node.
    pub fn remove(&mut self, node: NodeId) {
        self.of_node.remove(&node);
    }

    /// Returns the indexes into `cases` of the cases without a cached verdict.
    pub fn missing(&self, cases: &[WhatIf]) -> Vec<usize> {
        (0..cases.len()).filter(|at| self.find(&cases[*at]).is_none()).collect()
    }

    /// Stores the verdicts on these cases, one for each case in the same order, as numbers of rejections.
    pub fn set(&mut self, cases: &[WhatIf], numbers: &[u16]) {
        for (case, verdict) in cases.iter().zip(numbers) {
            let known = self.of_node.entry(case.node).or_default();
            if known.len() == OF_A_NODE {
                known.remove(0);
            }
            let (removed, added) = (case.removed.as_slice().into(), case.added.as_slice().into());
            known.push(Case { removed, added, verdict: *verdict });
        }
    }

    /// Returns the verdicts on these cases as numbers of rejections, or `None` if one of them is not known.
    pub fn numbers(&self, cases: &[WhatIf]) -> Option<Vec<u16>> {
        cases.iter().map(|case| Some(self.find(case)?.verdict)).collect()
    }

    fn find(&self, case: &WhatIf) -> Option<&Case> {
        self.of_node.get(&case.node)?.iter().rfind(|known| known.is(case))
    }

    pub(super) fn bytes(&self) -> usize {
        let of_case = |case: &Case| size_of::<Case>() + 4 * case.removed.len() + 8 * case.added.len();
        self.of_node.values().flatten().map(of_case).sum()
    }
}
