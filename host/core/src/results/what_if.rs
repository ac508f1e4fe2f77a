//! Cached verdicts on hypothetical nodes, with pods removed and added.

use std::sync::Arc;

use hashbrown::HashMap;

use super::stale::Stale;
use super::{MOST_KEPT, Rejections};
use crate::cache::{Cache, NodeId, PodId};
use crate::model::Pod;
use crate::plugins::{Declaration, Verdicts, WhatIf};

/// The largest number of cached cases for each node. The oldest case is dropped. A preemption dry run on a node asks
/// one case for each of the node's pods.
const OF_A_NODE: usize = 24;

/// The verdicts of one plugin about one pod signature, each for a node with its removed and added pods. A
/// change of a node drops the verdicts on that node.
#[derive(Clone, Debug, Default)]
pub struct WhatIfVerdicts {
    /// The cases of each node, in the order in which they were cached.
    of_node: HashMap<NodeId, Vec<Case>>,
    /// The distinct rejections that the cases refer to.
    outcomes: Rejections,
    /// The position up to which the change log was read.
    position: u64,
}

#[derive(Clone, Debug)]
struct Case {
    removed: Box<[PodId]>,
    /// The exact pods of the question, compared by pointer: a changed pod is another pod.
    added: Box<[Arc<Pod>]>,
    /// 0, or n for the outcome n - 1.
    verdict: u16,
}

impl Case {
    fn is(&self, case: &WhatIf) -> bool {
        let added = || self.added.iter().zip(&case.added);
        *self.removed == *case.removed
            && self.added.len() == case.added.len()
            && added().all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

impl WhatIfVerdicts {
    /// Drops the verdicts that changes since the last call made stale, for a plugin of this declaration.
    pub fn catch_up(&mut self, cache: &Cache, declaration: &Declaration) {
        if self.of_node.is_empty() {
            self.position = cache.log().end();
            return;
        }
        let of_node = &mut self.of_node;
        Stale::catch_up(&mut self.position, cache, declaration, |stale| match stale {
            Stale::Nothing => {}
            Stale::Node(node) => drop(of_node.remove(&node)),
            Stale::All => of_node.clear(),
        });
    }

    /// Returns the indexes of the cases without a cached verdict.
    #[must_use]
    pub fn missing(&self, cases: &[WhatIf]) -> Vec<usize> {
        (0..cases.len()).filter(|at| self.find(&cases[*at]).is_none()).collect()
    }

    /// Caches the verdicts on these cases. Both have the same length. If there are too many different rejections,
    /// only these verdicts are kept, or none.
    pub fn set(&mut self, cases: &[WhatIf], verdicts: &Verdicts) {
        let mut numbers = self.numbers(verdicts);
        if numbers.is_none() || self.outcomes.len() > MOST_KEPT {
            *self = Self { position: self.position, ..Self::default() };
            if verdicts.outcomes.len() > MOST_KEPT {
                return;
            }
            numbers = self.numbers(verdicts);
        }
        let numbers = numbers.unwrap_or_default();
        for (case, answer) in cases.iter().zip(&verdicts.nodes) {
            let verdict = usize::from(*answer).checked_sub(1).map_or(0, |outcome| numbers[outcome]);
            let kept = self.of_node.entry(case.node).or_default();
            if kept.len() == OF_A_NODE {
                kept.remove(0);
            }
            kept.push(Case { removed: case.removed.as_slice().into(), added: case.added.as_slice().into(), verdict });
        }
    }

    /// Returns the verdicts on these cases, or `None` if one of them is not cached.
    #[must_use]
    pub fn verdicts(&self, cases: &[WhatIf]) -> Option<Verdicts> {
        let nodes: Option<Vec<u16>> = cases.iter().map(|case| Some(self.find(case)?.verdict)).collect();
        Some(self.outcomes.verdicts(nodes?.into_iter()))
    }

    fn find(&self, case: &WhatIf) -> Option<&Case> {
        self.of_node.get(&case.node)?.iter().rfind(|known| known.is(case))
    }

    fn numbers(&mut self, verdicts: &Verdicts) -> Option<Vec<u16>> {
        verdicts.outcomes.iter().map(|status| self.outcomes.number(status)).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        let of_case = |case: &Case| size_of::<Case>() + 4 * case.removed.len() + 8 * case.added.len();
        let cases: usize = self.of_node.values().flatten().map(of_case).sum();
        cases + self.outcomes.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NodeFacts;
    use crate::model::{Node, PodKey};
    use crate::plugins::{Code, Status};

    fn pod(name: &str) -> Arc<Pod> {
        let key = PodKey { namespace: "ns".into(), name: name.into(), uid: name.into() };
        Arc::new(Pod { key, ..Pod::default() })
    }

    fn case(node: u32, removed: &[u32], added: &[Arc<Pod>]) -> WhatIf {
        WhatIf { node: NodeId(node), removed: removed.iter().copied().map(PodId).collect(), added: added.to_vec() }
    }

    fn verdicts(nodes: &[u16]) -> Verdicts {
        let outcomes = vec![Status { code: Code::Unschedulable, reasons: vec!["full".into()] }];
        Verdicts { outcomes, nodes: nodes.to_vec() }
    }

    #[test]
    fn a_case_is_known_by_its_node_and_all_that_differs_there() {
        let (here, changed) = (pod("here"), pod("here"));
        let asked = [case(0, &[1, 2], &[]), case(0, &[1], std::slice::from_ref(&here)), case(1, &[], &[])];
        let mut cases = WhatIfVerdicts::default();
        assert_eq!(cases.missing(&asked), [0, 1, 2]);
        cases.set(&asked, &verdicts(&[0, 1, 0]));
        assert_eq!(cases.missing(&asked), [0; 0]);
        assert_eq!(cases.verdicts(&asked), Some(verdicts(&[0, 1, 0])));
        let others = [case(0, &[2], &[]), case(0, &[1], &[changed]), case(0, &[1], &[]), case(1, &[1], &[])];
        assert_eq!(cases.missing(&others), [0, 1, 2, 3]);
        assert_eq!(cases.verdicts(&others), None);
    }

    #[test]
    fn of_a_node_that_changed_nothing_is_known() {
        let mut cache = Cache::default();
        let set = |cache: &mut Cache, name: &str, unschedulable| {
            cache.set_node(Arc::new(Node { name: name.into(), unschedulable, ..Node::default() }));
        };
        set(&mut cache, "a", false);
        set(&mut cache, "b", false);
        let reads = |node_facts| Declaration { node_facts, ..Declaration::default() };
        let asked = [case(0, &[], &[]), case(1, &[], &[])];
        for (facts, missing) in [(NodeFacts::UNSCHEDULABLE, &[0][..]), (NodeFacts::TAINTS, &[])] {
            let mut cases = WhatIfVerdicts::default();
            cases.catch_up(&cache, &reads(facts));
            cases.set(&asked, &verdicts(&[0, 0]));
            let mut cache = cache.clone();
            set(&mut cache, "a", true);
            cases.catch_up(&cache, &reads(facts));
            assert_eq!(cases.missing(&asked), missing);
        }
    }

    #[test]
    fn noes_of_earlier_answers_are_dropped_with_their_cases() {
        let mut cases = WhatIfVerdicts::default();
        for call in 0..5 {
            let status = |n| Status { code: Code::Unschedulable, reasons: vec![format!("{call}, {n}").into()] };
            let verdicts = Verdicts { outcomes: (0..MOST_KEPT / 4).map(status).collect(), nodes: vec![1] };
            let asked = [case(call, &[], &[])];
            cases.set(&asked, &verdicts);
            assert!(cases.outcomes.len() <= MOST_KEPT, "in call {call}");
            assert_eq!(cases.verdicts(&asked).map(|known| known.outcomes), Some(vec![status(0)]), "in call {call}");
        }
        assert_eq!(cases.missing(&[case(0, &[], &[]), case(4, &[], &[])]), [0]);
    }

    #[test]
    fn of_one_node_so_many_are_kept() {
        let mut cases = WhatIfVerdicts::default();
        let asked: Vec<WhatIf> = (0..=OF_A_NODE as u32).map(|pod| case(0, &[pod], &[])).collect();
        cases.set(&asked, &verdicts(&vec![0; asked.len()]));
        assert_eq!(cases.missing(&asked), [0], "the oldest went");
    }
}
