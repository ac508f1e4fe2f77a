//! What plugins answered, kept: nothing is decided twice.
//!
//! Answers of scope node are kept for each (plugin, template), a column over the nodes' shapes: nodes that are equal in what the
//! plugin reads have one answer. A plugin is asked about a node whose shape it was not asked about yet.
//!
//! What follows from the answers of several plugins is kept as well, for pods that are one template to each of them: on which
//! nodes they fit ([`Fitting`]), and which are the best of those ([`Ranking`]).

mod cases;
mod classes;
mod column;
mod fitting;
mod outcomes;
mod ranking;
mod shapes;
mod shelf;
mod skip;
mod stale;

pub use self::cases::Cases;
pub use self::classes::{Classes, Position};
pub use self::column::Column;
pub use self::fitting::Fitting;
pub use self::outcomes::Outcomes;
pub use self::ranking::{Best, InCommon, Ranking};
pub use self::shapes::{FactShapes, Shapes};
use self::shelf::{Shelf, Size};
pub use self::skip::Skip;
use crate::cache::{Cache, NodeId};
use crate::facts::NodeFacts;
use crate::plugins::{MOST_OUTCOMES, PluginId, PreFilterResult, PreScoreResult, Status, TemplateId, Verdicts};
use crate::profile::ProfilePlugin;
use crate::queue::SortKey;
use crate::time::Timestamp;

/// The kept answers of one plugin about one template.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Of skip.
    pub skip: Skip,
    /// Of pre-filter.
    pub pre_filter: Option<PreFilterResult>,
    /// Of filter: 0, or the number of an outcome.
    pub verdicts: Column<u16>,
    /// Distinct noes that verdicts point to.
    pub outcomes: Outcomes,
    /// Of filter, on nodes as they might be.
    pub cases: Cases,
    /// Of pre-score.
    pub pre_score: Option<PreScoreResult>,
    /// Raw scores.
    pub scores: Column<i64>,
    /// Of classify.
    pub classes: Classes,
    /// Of pre-enqueue.
    pub pre_enqueue: Option<Option<Status>>,
    /// Of queue-sort, for pods that wait since then.
    pub sort_key: Option<(Timestamp, SortKey)>,
}

/// The most distinct noes that are kept of one plugin about one template. Where there are more, what is kept begins anew, so that those
/// that no answer names are dropped.
const MOST_KEPT: usize = 4 * MOST_OUTCOMES;

impl Kept {
    /// Keeps the verdicts on these nodes; both of one length. Whether those on all other nodes had to be dropped.
    pub fn keep(&mut self, shapes: &FactShapes, nodes: &[NodeId], fresh: &Verdicts) -> bool {
        let mut numbers = self.numbers(fresh);
        let full = numbers.is_none() || self.outcomes.len() > MOST_KEPT;
        if full {
            self.outcomes = Outcomes::default();
            self.verdicts.clear();
            numbers = self.numbers(fresh);
        }
        let numbers = numbers.unwrap_or_default();
        let number = |answer: &u16| usize::from(*answer).checked_sub(1).map_or(0, |outcome| numbers[outcome]);
        self.verdicts.set(shapes, nodes, fresh.nodes.iter().map(number));
        full
    }

    fn numbers(&mut self, fresh: &Verdicts) -> Option<Vec<u16>> {
        fresh.outcomes.iter().map(|status| self.outcomes.number(status)).collect()
    }
}

impl Size for Kept {
    fn bytes(&self) -> usize {
        let answers = self.verdicts.bytes() + self.cases.bytes() + self.scores.bytes() + self.classes.bytes();
        let names = match &self.pre_filter {
            Some(PreFilterResult::Narrow(names)) => names.iter().map(|name| name.len() + size_of::<Box<str>>()).sum(),
            _ => 0,
        };
        answers + names + self.outcomes.bytes() + 256
    }
}

impl Size for Fitting {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

impl Size for Ranking {
    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// Of which answers something was made: the plugins in their order, each with the pod's template for it and its weight, 0
/// where it filters.
pub type Parts = Vec<(PluginId, TemplateId, i64)>;

/// All kept answers and what follows from them, within a bound of bytes.
#[derive(Clone, Debug)]
pub struct Answers {
    kept: Shelf<(PluginId, TemplateId), Kept>,
    /// Which nodes are alike, to each set of facts. Not counted among the bytes.
    shapes: Shapes,
    /// On which nodes pods fit.
    pub fitting: Shelf<Parts, Fitting>,
    /// Which of those are the best.
    pub rankings: Shelf<Parts, Ranking>,
    /// For each so many nodes: see [`USUAL_NODES`].
    most_bytes: usize,
}

/// What memory is meant for so many nodes; where there are more, it may be as much again for each so many of them.
pub const USUAL_NODES: usize = 50_000;

impl Answers {
    /// Keeps at most about `most_bytes` for each [`USUAL_NODES`] that there are.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        Self {
            kept: Shelf::default(),
            shapes: Shapes::default(),
            fitting: Shelf::default(),
            rankings: Shelf::default(),
            most_bytes,
        }
    }

    /// Whether any are kept at all.
    #[must_use]
    pub fn are_kept(&self) -> bool {
        self.most_bytes > 0
    }

    /// The answers of a plugin about a template, empty at first.
    pub fn of(&mut self, plugin: PluginId, template: TemplateId, cycle: u64) -> &mut Kept {
        self.kept.of((plugin, template), cycle)
    }

    /// The same, and the shapes of the nodes in the facts that the plugin reads.
    pub fn by_shape(
        &mut self,
        plugin: &ProfilePlugin,
        template: TemplateId,
        cycle: u64,
        cache: &Cache,
    ) -> (&mut Kept, &FactShapes) {
        let shapes = self.shapes.of(plugin.declaration.node_facts, cache);
        (self.kept.of((plugin.id, template), cycle), shapes)
    }

    /// Drops which nodes are alike in facts that nobody reads any more.
    pub fn retain_shapes(&mut self, keep: impl Fn(NodeFacts) -> bool) {
        self.shapes.retain(keep);
    }

    /// Drops the answers of plugins and templates that are not used any more, and what follows from them.
    pub fn retain(&mut self, keep: impl Fn(PluginId, TemplateId) -> bool) {
        let keep_all = |parts: &Parts| parts.iter().all(|(plugin, template, _)| keep(*plugin, *template));
        self.kept.retain(|(plugin, template)| keep(*plugin, *template));
        self.fitting.retain(keep_all);
        self.rankings.retain(keep_all);
    }

    /// Drops what follows from the kept answers.
    pub fn forget_followed(&mut self) {
        self.fitting = Shelf::default();
        self.rankings = Shelf::default();
    }

    /// Whether a ranking of so many nodes may be made, in this cycle.
    pub fn have_room_for_ranking(&mut self, nodes: usize, cycle: u64) -> bool {
        let most = self.most_for_rankings(nodes);
        self.rankings.has_room_for(nodes * Ranking::BYTES_PER_NODE, most, cycle)
    }

    /// What takes most gets most: 200 templates' in a usual cluster.
    fn most_for_rankings(&self, nodes: usize) -> usize {
        self.most_for(nodes) / 16 * 9
    }

    fn most_for_fitting(&self, nodes: usize) -> usize {
        self.most_for(nodes) / 16
    }

    fn most_for(&self, nodes: usize) -> usize {
        self.most_bytes.saturating_mul(nodes.div_ceil(USUAL_NODES).max(1))
    }

    /// Drops those used longest ago where they take too much, for so many nodes.
    pub fn make_room(&mut self, nodes: usize) {
        self.kept.make_room(self.most_for(nodes) / 16 * 6);
        self.fitting.make_room(self.most_for_fitting(nodes));
        self.rankings.make_room(self.most_for_rankings(nodes));
    }

    /// How many (plugin, template) pairs have answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// None at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::Node;
    use crate::plugins::Declaration;
    use crate::profile::FailurePolicy;

    #[test]
    fn as_many_templates_as_are_meant_to_stay() {
        const TEMPLATES: usize = 200;
        let answers = Answers::new(crate::Options::default().kept_answers_bytes);
        assert!(TEMPLATES * USUAL_NODES * Ranking::BYTES_PER_NODE <= answers.most_for_rankings(USUAL_NODES));
        let nodes: Vec<NodeId> = (0..USUAL_NODES as u32).map(NodeId).collect();
        let mut fitting = Fitting::default();
        fitting.set(&nodes, &nodes, &Cache::default());
        assert_eq!(fitting.iter().count(), USUAL_NODES);
        assert!(TEMPLATES * fitting.bytes() <= answers.most_for_fitting(USUAL_NODES), "of {} bytes", fitting.bytes());
    }

    #[test]
    fn the_oldest_go_when_they_take_too_much() {
        let mut cache = Cache::default();
        let name = |n: u32| format!("n{n}").into_boxed_str();
        (0..1000).for_each(|n| cache.set_node(Arc::new(Node { name: name(n), ..Node::default() })));
        let nodes: Vec<NodeId> = cache.nodes().map(|info| info.id).collect();
        let node_facts = NodeFacts::NAME;
        let declaration = Arc::new(Declaration { node_facts, ..Declaration::default() });
        let plugin = ProfilePlugin { id: PluginId(0), declaration, failure_policy: FailurePolicy::Fail };
        let mut answers = Answers::new(200_000);
        for n in 0..4 {
            let (kept, shapes) = answers.by_shape(&plugin, TemplateId(n), u64::from(n), &cache);
            kept.verdicts.set(shapes, &nodes, vec![0; 1000]);
        }
        answers.of(PluginId(0), TemplateId(0), 9);
        answers.most_bytes = 64_000;
        answers.make_room(1000);
        assert_eq!(answers.len(), 1);
        let (kept, shapes) = answers.by_shape(&plugin, TemplateId(0), 9, &cache);
        assert_eq!(kept.verdicts.missing(shapes, &nodes), [], "the one used last stays");
    }
}
