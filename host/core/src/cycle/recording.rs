//! Collects the cycle's part of the decision record. No decision depends on it.

use std::sync::Arc;
use std::time::Duration;

use super::SchedulingCycle;
use super::feasible::{Feasible, IndexInputs, Nodes};
use super::recorded_best::{RecordedBest, RecordedDetails, ScoredNodes, best_first};
use super::rejected_nodes::RejectedNodes;
use crate::cache::NodeId;
use crate::decision::{BestNode, Details, Effect, PluginEffect, PluginScore, Policy, RowKind};
use crate::plugins::ClassFilter;
use crate::results::GroupSummary;

/// The age from which shared details are recorded again.
const DETAILS_AGE: Duration = Duration::from_secs(1);

/// The cycle's part of a decision record.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// What a cycle without the candidate index found.
    found: Option<Box<Found>>,
    pub record: CycleRecord,
}

/// What a cycle without the candidate index found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The nodes that are not feasible.
    pub rejected: RejectedNodes,
    /// The scores of all feasible nodes, by plugin.
    pub scored: Vec<ScoredNodes>,
}

/// What a cycle recorded, for the record of its attempt.
#[derive(Clone, Debug)]
pub(crate) struct CycleRecord {
    /// The total score of the chosen node.
    pub score: Option<i64>,
    /// The number of nodes with this score.
    pub ties: u32,
    /// The difference to the next lower total score, 0 for a tie.
    pub margin: Option<i64>,
    /// The details, which attempts of pods with the same signatures can share.
    pub details: Option<Arc<Details>>,
    /// The profile and its plugins.
    pub policy: Arc<Policy>,
}

impl Recording {
    /// Creates an empty recording for a cycle of this profile.
    pub fn new(policy: Arc<Policy>) -> Self {
        Self { found: None, record: CycleRecord { score: None, ties: 0, margin: None, details: None, policy } }
    }

    /// Returns what a cycle without the candidate index found, to add to it.
    pub fn found(&mut self) -> &mut Found {
        self.found.get_or_insert_with(|| Box::new(Found { rejected: RejectedNodes::new(true), scored: Vec::new() }))
    }

    /// Records that `node` was chosen among nodes with these totals. Both slices have the same length.
    fn set_chosen(&mut self, nodes: &[NodeId], totals: &[i64], node: NodeId) {
        let Some(at) = nodes.iter().position(|other| *other == node) else { return };
        let best = totals[at];
        self.record.score = Some(best);
        let ties = totals.iter().filter(|total| **total == best).count();
        self.record.ties = u32::try_from(ties).unwrap_or(u32::MAX);
        let second = totals.iter().filter(|total| **total < best).max();
        self.record.margin = if ties > 1 { Some(0) } else { second.map(|second| best.saturating_sub(*second)) };
    }
}

impl SchedulingCycle<'_> {
    /// Returns whether a record of a cycle with this number of feasible nodes may share these details.
    pub(super) fn is_recent(&self, details: &Details, feasible: usize) -> bool {
        self.time.since(details.recorded) < DETAILS_AGE && details.best.is_empty() == (feasible == 1)
    }

    /// Records the choice among nodes whose scores the cycle summed up.
    pub(super) fn record_summed(&mut self, found: &Nodes<'_>, nodes: &[NodeId], totals: &[i64], node: NodeId) {
        let Some(mut recording) = self.recording.take() else { return };
        recording.set_chosen(nodes, totals, node);
        self.add_indexed_rejections(found, &mut recording.found().rejected);
        let best = best_first(nodes, totals, node).into_iter();
        let best: Vec<BestNode> =
            best.map(|(node, total, at)| self.best_node_at(&recording, node, total, at)).collect();
        let details = self.details(&recording.found().rejected, nodes.len(), best);
        recording.record.details = Some(Arc::new(details));
        self.recording = Some(recording);
    }

    /// Records the choice among the best nodes of the candidate index.
    pub(super) fn record_indexed(&mut self, found: &Nodes<'_>, recorded: RecordedBest) {
        let details = match recorded.details {
            RecordedDetails::Shared(recent) => recent,
            RecordedDetails::New { top, scored } => {
                let Nodes::Indexed(indexed) = found else { return };
                let mut rejected =
                    self.recording.as_mut().map(|recording| recording.found().rejected.clone()).unwrap_or_default();
                self.add_indexed_rejections(found, &mut rejected);
                let best = self.indexed_best_nodes(&indexed.inputs, &top, &scored);
                let details = Arc::new(self.details(&rejected, indexed.len, best));
                self.index_entry(&indexed.inputs).set_details(&details);
                details
            }
        };
        if let Some(recording) = &mut self.recording {
            let record = &mut recording.record;
            record.score = Some(recorded.score);
            record.ties = u32::try_from(recorded.ties).unwrap_or(u32::MAX);
            record.margin = recorded.margin;
            record.details = Some(details);
        }
    }

    /// Returns the scores of these nodes. `scored` has the scores of the plugins that score groups.
    fn indexed_best_nodes(
        &mut self,
        inputs: &IndexInputs<'_>,
        top: &[(NodeId, i64, usize)],
        scored: &[ScoredNodes],
    ) -> Vec<BestNode> {
        let nodes: Vec<NodeId> = top.iter().map(|(node, ..)| *node).collect();
        let mut scores: Vec<Vec<PluginScore>> = vec![Vec::new(); top.len()];
        for weighted in &inputs.scores {
            let name = &weighted.0.declaration.name;
            if scored.iter().any(|scored| scored.plugin == *name) {
                continue;
            }
            // These scores are cached. If a plugin failed all the same, its scores are left out.
            let Ok(raw) = self.score(&weighted.0, &nodes) else { continue };
            let by_node = ScoredNodes::new(weighted, raw.clone(), raw);
            scores.iter_mut().enumerate().for_each(|(at, scores)| scores.push(by_node.at(at)));
        }
        for scored in scored {
            scores.iter_mut().zip(top).for_each(|(scores, (.., group))| scores.push(scored.at(*group)));
        }
        let best = top.iter().zip(scores);
        best.map(|((node, total, _), scores)| BestNode {
            node: self.cache.node_name(*node).into(),
            total: *total,
            scores,
        })
        .collect()
    }

    /// Adds the nodes that are not in the candidate index, or that a filter that answers by class rejects. Does nothing
    /// for nodes that were found without the index. A rejection that can't be determined is left out.
    pub(super) fn add_indexed_rejections(&mut self, nodes: &Nodes<'_>, rejected: &mut RejectedNodes) {
        let Nodes::Indexed(indexed) = nodes else { return };
        if !rejected.is_recording() {
            return;
        }
        let inputs = &indexed.inputs;
        for (plugin, status, count, examples) in self.index_entry(inputs).rejected().counts() {
            rejected.add_some(RowKind::Rejected, plugin, status, count, &examples);
        }
        let grouped = self
            .index_entry(inputs)
            .groups()
            .map(|groups| (groups.summaries(), groups.examples(Details::MOST_EXAMPLES)));
        let (mut groups, mut examples) = grouped.unwrap_or_default();
        let mut ungrouped = match self.index_entry(inputs).groups() {
            Some(_) => self.index_entry(inputs).ungrouped().to_vec(),
            None => self.index_entry(inputs).nodes().to_vec(),
        };
        for (at, input) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, input)| input.filters) {
            let Ok(Some(answer)) = self.by_class(input.plugin) else { continue };
            let name = &input.plugin.declaration.name;
            if let ClassFilter::Verdicts(verdicts) = &answer.filter {
                let rejection = |group: &GroupSummary| {
                    let verdict = answer.verdict(input.plugin, group.class(at)).unwrap_or_default();
                    verdicts.outcomes.get(usize::from(verdict).checked_sub(1)?)
                };
                let (mut left, mut left_examples) = (Vec::new(), Vec::new());
                for (group, nodes) in groups.into_iter().zip(examples) {
                    match rejection(&group) {
                        Some(status) => rejected.add_some(RowKind::Rejected, name, status, group.nodes, &nodes),
                        None => {
                            left.push(group);
                            left_examples.push(nodes);
                        }
                    }
                }
                (groups, examples) = (left, left_examples);
            }
            let Ok(verdicts) = self.verdicts_by_class(input.plugin, &answer, &ungrouped) else { continue };
            for (number, status) in (1..).zip(&verdicts.outcomes) {
                let by = ungrouped.iter().zip(&verdicts.nodes).filter(|(_, verdict)| **verdict == number);
                rejected.add(RowKind::Rejected, name, status, &by.map(|(node, _)| *node).collect::<Vec<_>>());
            }
            let mut answers = verdicts.nodes.iter();
            ungrouped.retain(|_| answers.next() == Some(&0));
        }
    }

    fn best_node_at(&self, recording: &Recording, node: NodeId, total: i64, at: usize) -> BestNode {
        let scores = recording.found.iter().flat_map(|found| &found.scored).map(|scored| scored.at(at)).collect();
        BestNode { node: self.cache.node_name(node).into(), total, scores }
    }

    /// Records a cycle that found only one node, which is not scored.
    pub(super) fn record_only(&mut self, feasible: &Feasible<'_>) {
        let Some(mut recording) = self.recording.take() else { return };
        recording.record.ties = 1;
        recording.record.details = recording.record.details.take().or_else(|| {
            let Nodes::Indexed(indexed) = &feasible.nodes else {
                return Some(Arc::new(self.details(&recording.found().rejected, 1, Vec::new())));
            };
            let recent = self.index_entry(&indexed.inputs).details();
            if let Some(recent) = recent.filter(|details| self.is_recent(details, 1)) {
                return Some(recent);
            }
            self.add_indexed_rejections(&feasible.nodes, &mut recording.found().rejected);
            let details = Arc::new(self.details(&recording.found().rejected, 1, Vec::new()));
            self.index_entry(&indexed.inputs).set_details(&details);
            Some(details)
        });
        self.recording = Some(recording);
    }

    /// Records that the nominated node fits, so that no other node is looked at.
    pub(super) fn record_nominated(&mut self) {
        let others = self.cache.node_count().saturating_sub(1);
        if let Some(recording) = &mut self.recording {
            recording.found().rejected.add_not_looked_at(others);
        }
    }

    /// Records a cycle that found no node.
    pub(super) fn record_rejection(&mut self, rejected: &RejectedNodes) {
        if self.recording.is_none() {
            return;
        }
        let details = Arc::new(self.details(rejected, 0, Vec::new()));
        if let Some(recording) = &mut self.recording {
            recording.record.details = Some(details);
        }
    }

    /// Returns the details of this cycle.
    pub(super) fn details(&self, rejected: &RejectedNodes, feasible: usize, best: Vec<BestNode>) -> Details {
        let rows = rejected.rows(self.cache);
        let mut effects: Vec<PluginEffect> = Vec::new();
        for row in rows.iter().filter(|row| matches!(row.kind, RowKind::Rejected | RowKind::ExcludedByPreFilter)) {
            if !effects.iter().any(|known| known.plugin == row.plugin) {
                effects.push(PluginEffect { plugin: Arc::clone(&row.plugin), effect: Effect::Rejected });
            }
        }
        for (at, score) in best.first().into_iter().flat_map(|first| first.scores.iter().enumerate()) {
            if effects.iter().any(|known| known.plugin == score.plugin) {
                continue;
            }
            let differs = best.iter().any(|other| other.scores[at].weighted != score.weighted);
            let effect = if differs { Effect::Scored } else { Effect::None };
            effects.push(PluginEffect { plugin: Arc::clone(&score.plugin), effect });
        }
        Details {
            cycle: self.number,
            recorded: self.time,
            nodes: u32::try_from(self.cache.node_count()).unwrap_or(u32::MAX),
            feasible: u32::try_from(feasible).unwrap_or(u32::MAX),
            rows,
            best,
            effects,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_have_no_margin() {
        let nodes = [NodeId(0), NodeId(1), NodeId(2)];
        for (totals, ties, margin) in [([9, 9, 1], 2, Some(0)), ([9, 7, 1], 1, Some(2)), ([9, 9, 9], 3, Some(0))] {
            let mut recording = Recording::new(Arc::default());
            recording.set_chosen(&nodes, &totals, NodeId(0));
            assert_eq!(
                (recording.record.score, recording.record.ties, recording.record.margin),
                (Some(9), ties, margin),
                "{totals:?}"
            );
        }
        let mut recording = Recording::new(Arc::default());
        recording.set_chosen(&nodes[..1], &[4], NodeId(0));
        assert_eq!((recording.record.ties, recording.record.margin), (1, None));
    }
}
