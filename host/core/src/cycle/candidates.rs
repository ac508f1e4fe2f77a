//! Uses the candidate index: the feasible nodes for all pods of the same signatures, computed from cached results.
//! Plugins are only asked about nodes that changed.

use std::cell::OnceCell;
use std::ops::Range;

use super::feasible::{ByClassInput, Candidates, IndexInputs, Indexed, Nodes};
use super::filtering::take_rejected;
use super::sampling::Sample;
use super::{ProfilePlugin, SchedulingCycle};
use crate::cache::NodeId;
use crate::plugins::{Classified, PluginError, PreScoreResult};
use crate::results;

impl<'a> SchedulingCycle<'a> {
    /// Returns the feasible nodes from the candidate index, or `None` if the nodes have to be filtered for this pod
    /// alone.
    pub(super) fn indexed(&mut self, candidates: &Candidates<'a>) -> Result<Option<Nodes<'a>>, PluginError> {
        let is_usable = candidates.narrowed.is_none()
            && !self.verify
            && self.observer.is_none()
            // If an extender rejects the last node, the reasons of the plugins are needed, too.
            && !self.concerns_extenders()
            && Sample::of(self.cache.node_count(), self.profile.percentage_of_nodes_to_score, 0).is_none()
            && self.nominated_pods().is_empty();
        if !is_usable {
            return Ok(None);
        }
        let Some(inputs) = self.index_inputs(&candidates.filters)? else { return Ok(None) };
        self.filter_stale(&inputs)?;
        let len = match inputs.class_filters().is_empty() {
            true => self.index_entry(&inputs).len(),
            false => match self.count_by_class(&inputs)? {
                Some(len) => len,
                None => return Ok(None),
            },
        };
        Ok(Some(Nodes::Indexed(Indexed { inputs, len, listed: OnceCell::new() })))
    }

    /// Returns the inputs for these filters and the score plugins that are expected to score the pod, or `None` if a
    /// filter answers neither node by node with cached results nor by class.
    fn index_inputs(&mut self, filters: &[&'a ProfilePlugin]) -> Result<Option<IndexInputs<'a>>, PluginError> {
        let (mut by_node, mut by_class) = (Vec::with_capacity(filters.len()), Vec::new());
        for plugin in filters.iter().copied() {
            if self.keeps(plugin, plugin.declaration.filter_scope) {
                by_node.push(plugin);
            } else if self.by_class(plugin)?.is_some() {
                by_class.push(ByClassInput { plugin, filters: true, weight: 0 });
            } else {
                return Ok(None);
            }
        }
        let (mut scores, mut are_scores_known) = (Vec::with_capacity(self.profile.score.len()), true);
        for weighted in &self.profile.score {
            let (plugin, weight) = weighted;
            if !self.is_expected_to_score(plugin) {
                continue;
            }
            if self.has_indexable_scores(plugin) {
                scores.push(weighted);
            } else if !self.may_answer_by_class(plugin) {
                are_scores_known = false;
            } else if let Some(filter) = by_class.iter_mut().find(|input| input.plugin.id == plugin.id) {
                filter.weight = *weight;
            } else {
                by_class.push(ByClassInput { plugin, filters: false, weight: *weight });
            }
        }
        if !are_scores_known {
            scores.clear();
            by_class.retain(|input| input.filters);
            by_class.iter_mut().for_each(|input| input.weight = 0);
        }
        let filtering = by_node.iter().map(|plugin| (*plugin, 0));
        let classes = by_class.iter().map(|input| (input.plugin, input.weight));
        let scoring = scores.iter().map(|(plugin, weight)| (plugin, *weight));
        let all = filtering.chain(classes).chain(scoring);
        let key = all.map(|(plugin, weight)| (plugin.id, self.signature_for(plugin), weight)).collect::<Vec<_>>();
        Ok(Some(IndexInputs { key: key.into(), filters: by_node, by_class, scores, are_scores_known }))
    }

    /// Returns the entry of the candidate index for these inputs.
    pub(super) fn index_entry(&mut self, inputs: &IndexInputs<'_>) -> &mut results::Candidates {
        self.results.candidates(&inputs.key, self.number)
    }

    /// Returns false if the plugin skipped scoring for pods of this signature when it was asked last. The entry of the
    /// index has to be chosen before the plugin's pre-score in this cycle.
    fn is_expected_to_score(&mut self, plugin: &ProfilePlugin) -> bool {
        let results = self.results_of(plugin);
        results.skip != Some(true) && results.pre_score != Some(PreScoreResult::Skip)
    }

    /// Asks the filters that answer node by node about the nodes that changed.
    fn filter_stale(&mut self, inputs: &IndexInputs<'_>) -> Result<(), PluginError> {
        let cache = self.cache;
        let moved = self.moved(inputs, inputs.class_filters());
        let stale = self.index_entry(inputs).stale(cache, &inputs.declarations(), moved);
        let mut fit = stale.clone();
        for plugin in &inputs.filters {
            if fit.is_empty() {
                break;
            }
            let verdicts = self.filter(plugin, &fit)?;
            for (status, nodes) in take_rejected(&mut fit, &verdicts) {
                plugin.check_not_error(status)?;
                if self.recording.is_some() {
                    self.index_entry(inputs).rejected.add(&plugin.declaration.name, status, &nodes);
                }
            }
        }
        self.index_entry(inputs).set(&stale, &fit, cache);
        self.set_positions(inputs, inputs.class_filters());
        Ok(())
    }

    /// Returns the nodes whose class changed for the plugins at these indexes of `inputs.by_class`, or `None` if the
    /// class of any node may have changed.
    pub(super) fn moved(&mut self, inputs: &IndexInputs<'_>, plugins: Range<usize>) -> Option<Vec<NodeId>> {
        let mut moved = Vec::new();
        for at in plugins {
            let plugin = inputs.by_class[at].plugin;
            let before = self.index_entry(inputs).position(at);
            moved.extend(self.results_of(plugin).classes.since(before)?);
        }
        Some(moved)
    }

    /// Marks the changes of classes as handled for the plugins at these indexes of `inputs.by_class`.
    pub(super) fn set_positions(&mut self, inputs: &IndexInputs<'_>, plugins: Range<usize>) {
        for at in plugins {
            let position = self.results_of(inputs.by_class[at].plugin).classes.position();
            self.index_entry(inputs).set_position(at, position);
        }
    }

    /// Returns the number of nodes that also pass the filters that answer by class, or `None` if the nodes can't be
    /// grouped.
    fn count_by_class(&mut self, inputs: &IndexInputs<'_>) -> Result<Option<usize>, PluginError> {
        if !self.begin_groups(inputs) {
            return Ok(None);
        }
        if !inputs.are_scores_known {
            // Without known scores, the search for the best nodes does not use the index, so that no later step groups
            // the nodes.
            self.group(inputs)?;
        }
        let candidates = self.index_entry(inputs);
        let Some(groups) = candidates.groups().map(|groups| groups.summaries()) else { return Ok(None) };
        let mut ungrouped = candidates.ungrouped().to_vec();
        for input in &inputs.by_class[inputs.class_filters()] {
            let Some(answer) = self.by_class(input.plugin)? else { continue };
            self.retain_passing(input.plugin, &answer, &mut ungrouped)?;
        }
        let passes = self.passes(inputs, &groups)?;
        let grouped = groups.iter().zip(passes).filter(|(_, passes)| *passes).map(|(group, _)| group.nodes);
        Ok(Some(grouped.sum::<usize>() + ungrouped.len()))
    }

    /// Removes the nodes whose class does not pass the filter.
    fn retain_passing(
        &mut self,
        plugin: &ProfilePlugin,
        answer: &Classified,
        nodes: &mut Vec<NodeId>,
    ) -> Result<(), PluginError> {
        let verdicts = self.verdicts_by_class(plugin, answer, nodes)?;
        take_rejected(nodes, &verdicts).try_for_each(|(status, _)| plugin.check_not_error(status))
    }

    /// Begins to group the nodes, if they are not grouped. Returns false if there were too many groups or if there is
    /// not enough memory.
    pub(super) fn begin_groups(&mut self, inputs: &IndexInputs<'_>) -> bool {
        let candidates = self.index_entry(inputs);
        if candidates.groups().is_some() || candidates.is_too_varied() {
            return !candidates.is_too_varied();
        }
        let has_space = self.results.have_space_for_groups(self.cache.node_count(), self.number);
        if has_space {
            self.index_entry(inputs).begin_groups();
        }
        has_space
    }

    /// Returns the nodes, in the order of their ids if they are from the candidate index.
    pub(super) fn listed<'n>(&mut self, nodes: &'n Nodes<'_>) -> Result<&'n [NodeId], PluginError> {
        let indexed = match nodes {
            Nodes::Found(nodes) => return Ok(nodes),
            Nodes::Indexed(indexed) => indexed,
        };
        if let Some(listed) = indexed.listed.get() {
            return Ok(listed);
        }
        let inputs = &indexed.inputs;
        let mut listed = self.index_entry(inputs).nodes();
        for input in &inputs.by_class[inputs.class_filters()] {
            if let Some(answer) = self.by_class(input.plugin)? {
                let mut passing = listed.to_vec();
                self.retain_passing(input.plugin, &answer, &mut passing)?;
                listed = passing.into();
            }
        }
        Ok(indexed.listed.get_or_init(|| listed))
    }
}
