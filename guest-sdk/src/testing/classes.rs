//! Compares a plugin's answers by class of nodes with its answers by node. The test fails if they differ. Plugins
//! without `classify` are not compared.

use std::collections::BTreeMap;

use super::{Host, PodBuilder};
use crate::Attempt;
use crate::bindings::classes::exports::berth::scheduler::classes::{ClassFilter, Classified};
use crate::classes::Passed;
use crate::plugin::Plugin;
use crate::types::Status;

impl<P: Plugin> Host<P> {
    pub(super) fn check_verdicts_by_class(&mut self, pod: &PodBuilder, by_node: &[(String, Option<Status>)]) {
        let Some((_, classified)) = self.classify(pod) else { return };
        let verdict = |name: &String| match &classified.filter {
            ClassFilter::Skip => None,
            ClassFilter::Reject(status) => Some(status.clone()),
            ClassFilter::Verdicts(verdicts) => {
                let number = verdicts.nodes[self.class(name) as usize];
                number.checked_sub(1).map(|at| verdicts.outcomes[usize::from(at)].clone())
            }
        };
        let by_class: Vec<_> = by_node.iter().map(|(name, _)| (name.clone(), verdict(name))).collect();
        assert_eq!(by_class, by_node, "{}: verdicts by class differ from verdicts by node", P::NAME);
    }

    pub(super) fn check_scores_by_class(&mut self, pod: &PodBuilder, nodes: &[(u32, String)], by_node: &[i64]) {
        let Some((cycle, classified)) = self.classify(pod) else { return };
        assert!(classified.scores, "{}: classify answered that the plugin does not score the pod", P::NAME);
        let classes: Vec<u32> = nodes.iter().map(|(_, name)| self.class(name)).collect();
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        classes.iter().for_each(|class| *counts.entry(*class).or_default() += 1);
        let (passed, node_counts): (Vec<u32>, Vec<u32>) = counts.into_iter().unzip();
        let passed_by_class = Passed::new(passed.clone(), node_counts);
        let scores = self.guest.score_classes(&cycle, &passed_by_class);
        let scores = scores.unwrap_or_else(|message| panic!("score-classes: {message}"));
        assert_eq!((scores.raw.len(), scores.normalized.len()), (passed.len(), passed.len()));
        let of_class: BTreeMap<u32, i64> = passed.into_iter().zip(scores.normalized).collect();
        let by_class: Vec<i64> = classes.iter().map(|class| of_class[class]).collect();
        assert_eq!(by_class, by_node, "{}: scores by class differ from scores by node", P::NAME);
    }

    /// Calls the plugin's `classify` in the current cycle, and stores the classes. Returns `None` if the plugin does
    /// not classify nodes for the pod.
    fn classify(&mut self, pod: &PodBuilder) -> Option<(Attempt, Classified)> {
        let cycle = self.same_cycle(pod);
        let known = self.classes.entry(cycle.signature).or_default().known;
        let classified = self.guest.classify(&cycle, known).unwrap_or_else(|message| panic!("classify: {message}"))?;
        let classified = Classified::from(classified);
        let classes = self.classes.entry(cycle.signature).or_default();
        assert!(
            classified.replaces_all || known != 0,
            "{}: the answer has only changed classes, but the host has no classes yet",
            P::NAME
        );
        if classified.replaces_all {
            classes.of.clear();
        }
        classes.known = cycle.cycle.id;
        classes.of.extend(classified.nodes.iter().copied().zip(classified.classes.iter().copied()));
        Some((cycle, classified))
    }

    fn class(&self, node: &str) -> u32 {
        let of = self.classes.get(&self.last_signature()).map(|classes| &classes.of);
        let class = of.and_then(|of| of.get(&self.id(node)));
        *class.unwrap_or_else(|| panic!("{}: node {node} has no class", P::NAME))
    }
}
