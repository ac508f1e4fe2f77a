//! Collects the cycle's part of the decision record. No decision depends on it.

use std::sync::Arc;
use std::time::Duration;

use super::SchedulingCycle;
use super::feasible::{Feasible, IndexInputs, Indexed, Nodes};
use super::filtering::take_rejected;
use super::recorded_best::{Choice, ScoredNodes};
use super::rejected_nodes::RejectedNodes;
use crate::cache::NodeId;
use crate::decision::{BestNode, Details, Effect, PluginEffect, PluginScore, Policy, RowKind};

/// The age from which shared details are recorded again.
const DETAILS_AGE: Duration = Duration::from_secs(1);

/// The cycle's part of a decision record.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    /// What a cycle without the candidate index found. In a box, so that other cycles move fewer bytes.
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
}

impl SchedulingCycle<'_> {
    /// Returns whether a record of a cycle with this number of feasible nodes may share these details.
    pub(super) fn is_recent(&self, details: &Details, feasible: usize) -> bool {
        self.time.since(details.recorded) < DETAILS_AGE && details.best.is_empty() == (feasible == 1)
    }

    /// Returns details of this cycle, whose feasible nodes are `found`.
    fn new_details(&mut self, found: &Nodes<'_>, best: Vec<BestNode>) -> Arc<Details> {
        let rejected = self.recording.as_mut().map(|recording| std::mem::take(&mut recording.found().rejected));
        let mut rejected = rejected.unwrap_or_default();
        self.add_indexed_rejections(found, &mut rejected);
        Arc::new(self.details(&rejected, found.len(), best))
    }

    /// Returns new details of this cycle, which later cycles can share.
    fn details_to_share(&mut self, found: &Nodes<'_>, indexed: &Indexed<'_>, best: Vec<BestNode>) -> Arc<Details> {
        let details = self.new_details(found, best);
        self.index_entry(&indexed.inputs).details = Some(Arc::clone(&details));
        details
    }

    /// Records the choice among nodes whose scores the cycle summed up.
    pub(super) fn record_summed(&mut self, found: &Nodes<'_>, nodes: &[NodeId], totals: &[i64], node: NodeId) {
        let Some(recording) = &mut self.recording else { return };
        let scored = std::mem::take(&mut recording.found().scored);
        let choice = Choice::among(nodes, totals, node);
        let best = choice.top.iter().map(|(node, total, at)| BestNode {
            node: self.cache.node_name(*node).into(),
            total: *total,
            scores: scored.iter().map(|scored| scored.at(*at)).collect(),
        });
        let details = self.new_details(found, best.collect());
        self.set_chosen(&choice, details);
    }

    /// Records the choice among the best nodes of the candidate index. The record shares the details `recent`, if there
    /// are any. Otherwise, `scored` has the scores of the plugins that score groups.
    pub(super) fn record_indexed(
        &mut self,
        found: &Nodes<'_>,
        indexed: &Indexed<'_>,
        choice: Choice,
        recent: Option<Arc<Details>>,
        scored: &[ScoredNodes],
    ) {
        let details = recent.unwrap_or_else(|| {
            let best = self.indexed_best_nodes(&indexed.inputs, &choice.top, scored);
            self.details_to_share(found, indexed, best)
        });
        self.set_chosen(&choice, details);
    }

    fn set_chosen(&mut self, choice: &Choice, details: Arc<Details>) {
        if let Some(Recording { record, .. }) = &mut self.recording {
            record.score = Some(choice.score);
            record.ties = u32::try_from(choice.ties).unwrap_or(u32::MAX);
            record.margin = choice.margin;
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
        for (plugin, weight) in &inputs.scores {
            let name = &plugin.declaration.name;
            if scored.iter().any(|scored| scored.plugin == *name) {
                continue;
            }
            // These scores are cached. If a plugin failed all the same, its scores are left out.
            let Ok(raw) = self.score(plugin, &nodes) else { continue };
            let by_node = ScoredNodes::new(plugin, *weight, raw.clone(), raw);
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
        let inputs = &indexed.inputs;
        for (plugin, status, count, examples) in self.index_entry(inputs).rejected.counts() {
            rejected.add_some(RowKind::Rejected, plugin, status, count, &examples);
        }
        let candidates = self.index_entry(inputs);
        let (mut groups, mut ungrouped) = match candidates.groups() {
            Some(groups) => {
                let examples = groups.examples(Details::MOST_EXAMPLES);
                (groups.summaries().into_iter().zip(examples).collect(), candidates.ungrouped().to_vec())
            }
            None => (Vec::new(), candidates.nodes().to_vec()),
        };
        for (at, input) in (inputs.normalized()..).zip(&inputs.by_class).filter(|(_, input)| input.filters) {
            let Ok(Some(answer)) = self.by_class(input.plugin) else { continue };
            let name = &input.plugin.declaration.name;
            groups.retain(|(group, nodes)| {
                let rejection = answer.rejection(input.plugin, group.class(at)).unwrap_or_default();
                if let Some(status) = rejection {
                    rejected.add_some(RowKind::Rejected, name, status, group.nodes, nodes);
                }
                rejection.is_none()
            });
            let Ok(verdicts) = self.verdicts_by_class(input.plugin, &answer, &ungrouped) else { continue };
            for (status, nodes) in take_rejected(&mut ungrouped, &verdicts) {
                rejected.add(RowKind::Rejected, name, status, &nodes);
            }
        }
    }

    /// Records a cycle that found only one node, which is not scored.
    pub(super) fn record_only(&mut self, feasible: &Feasible<'_>) {
        if self.recording.is_none() {
            return;
        }
        let found = &feasible.nodes;
        let details = match found {
            Nodes::Found(_) => self.new_details(found, Vec::new()),
            Nodes::Indexed(indexed) => {
                let recent = self.index_entry(&indexed.inputs).details.clone();
                let recent = recent.filter(|details| self.is_recent(details, 1));
                recent.unwrap_or_else(|| self.details_to_share(found, indexed, Vec::new()))
            }
        };
        if let Some(recording) = &mut self.recording {
            recording.record.ties = 1;
            recording.record.details = Some(details);
        }
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
