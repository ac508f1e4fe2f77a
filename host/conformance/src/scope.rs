//! Checks the promises of scope `node`: an answer depends on the pod signature, the arguments, and the declared facts
//! of the node and the cluster. The answer does not depend on earlier calls or on the other nodes in a call.

use std::collections::HashMap;

use berth_core::cache::NodeId;
use berth_core::facts::NodeFacts;
use berth_core::plugins::PodSignatureId;
use berth_core::results::{FactNodeSignatures, NodeSignatures, PluginResults};
use fastrand::Rng;

use super::answer::Answer;
use super::bench::{Bench, Broken};
use super::compare::Occasions;
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use berth_plugin_host::Export;
use berth_plugin_host::examine::Resident;

/// The largest number of nodes for which the plugin is called with this node alone.
const ALONE: usize = 6;

const AT_ONCE: &str = "in a call for all nodes";

/// Answers that a scheduler would have in its result cache.
#[derive(Default)]
pub(super) struct Kept {
    columns: HashMap<(Export, PodSignatureId), KeptColumn>,
    shapes: NodeSignatures,
}

#[derive(Default)]
struct KeptColumn {
    /// The scores are indices into `answers`.
    results: PluginResults,
    answers: Vec<Answer>,
}

/// One extension point of scope `node`, and the questions to ask.
pub(super) struct Scoped<'a> {
    pub export: Export,
    /// The question in a fixed cycle, so that answers of different times can be compared.
    pub question: &'a Question,
    /// The question in its own cycle.
    pub in_its_cycle: &'a Question,
    /// A question about another pod, asked in between.
    pub other: &'a Question,
    pub world: &'a World,
    /// All nodes, ordered by id.
    pub nodes: &'a [NodeId],
}

impl Scoped<'_> {
    /// Calls the plugin in different ways that a scheduler may use, and compares the answers. `fresh` is an instance
    /// that was filled for this inspection.
    pub fn check(
        &self,
        bench: &mut Bench<'_>,
        lived: &mut Resident,
        fresh: &mut Resident,
        kept: &mut Kept,
        rng: &mut Rng,
    ) -> Result<(), Broken> {
        let Some(base) = self.ask(bench, lived, self.question, self.nodes)? else { return Ok(()) };
        let unprepared = self.ask(bench, fresh, self.question, self.nodes)?;
        bench.ask(fresh, self.question, &self.world.cache, self.nodes)?;
        let prepared = self.ask(bench, fresh, self.question, self.nodes)?;
        if let (Some(one), Some(other)) = (prepared, unprepared) {
            let occasions = ("after pre-filter and pre-score", "without pre-filter and pre-score");
            self.compare(bench, Promise::Preparation, &one, &other, occasions);
        }
        if let Some(later) = self.ask(bench, lived, self.in_its_cycle, self.nodes)? {
            let occasions = ("in one cycle", "in a cycle with another id, time and seed");
            self.compare(bench, Promise::Cycles, &base, &later, occasions);
        }
        self.check_order(bench, lived, &base, rng)?;
        kept.check(self, bench, &base);
        Ok(())
    }

    fn check_order(
        &self,
        bench: &mut Bench<'_>,
        lived: &mut Resident,
        base: &[Answer],
        rng: &mut Rng,
    ) -> Result<(), Broken> {
        let mut shuffled = self.nodes.to_vec();
        rng.shuffle(&mut shuffled);
        let (first, second) = shuffled.split_at(shuffled.len() / 3);
        let ways: [(&[&[NodeId]], &str); 2] = [
            (&[&shuffled], "in a call with the nodes in another order, after another pod"),
            (&[first, second], "in two calls, each for some of the nodes"),
        ];
        for (calls, way) in ways {
            self.ask(bench, lived, self.other, calls[0])?;
            self.compare_calls(bench, lived, base, calls, way)?;
        }
        let alone: Vec<&[NodeId]> = shuffled.chunks(1).take(ALONE).collect();
        self.compare_calls(bench, lived, base, &alone, "in a call for this node alone")
    }

    /// Calls the plugin once for each list of nodes, and compares with the answers for all nodes at once.
    fn compare_calls(
        &self,
        bench: &mut Bench<'_>,
        lived: &mut Resident,
        base: &[Answer],
        calls: &[&[NodeId]],
        way: &'static str,
    ) -> Result<(), Broken> {
        let of: HashMap<NodeId, &Answer> = self.nodes.iter().copied().zip(base).collect();
        for nodes in calls.iter().filter(|nodes| !nodes.is_empty()) {
            if let Some(answers) = self.ask(bench, lived, self.question, nodes)? {
                let before: Vec<Answer> = nodes.iter().filter_map(|node| of.get(node).copied().cloned()).collect();
                let about = (self.world, *nodes);
                let promise = (Promise::Order, self.export);
                bench.compare_each(promise, self.question, about, (&before, &answers), (AT_ONCE, way));
            }
        }
        Ok(())
    }

    fn ask(
        &self,
        bench: &mut Bench<'_>,
        resident: &mut Resident,
        question: &Question,
        nodes: &[NodeId],
    ) -> Result<Option<Vec<Answer>>, Broken> {
        bench.ask_alone(self.export, resident, question, &self.world.cache, nodes)
    }

    fn compare(&self, bench: &mut Bench<'_>, promise: Promise, one: &[Answer], other: &[Answer], occasions: Occasions) {
        let about = (self.world, self.nodes);
        bench.compare_each((promise, self.export), self.question, about, (one, other), occasions);
    }
}

impl Kept {
    /// Checks that the answers for nodes without a change of declared facts are unchanged, and that nodes with equal
    /// declared facts have equal answers.
    fn check(&mut self, asked: &Scoped<'_>, bench: &mut Bench<'_>, answers: &[Answer]) {
        let cache = &asked.world.cache;
        // With the name, each node has a signature of its own.
        let mut named = bench.declaration.node.clone();
        named.facts |= NodeFacts::NAME;
        let itself = self.shapes.of(&named, cache);
        let kept = self.columns.entry((asked.export, asked.question.signature)).or_default();
        kept.results.catch_up(cache, &bench.declaration);
        let mut pairs = Pairs::default();
        for (node, now) in asked.nodes.iter().zip(answers) {
            pairs.push(*node, kept.get(itself, *node), now);
            kept.set(itself, *node, now.clone());
        }
        let occasions = ("earlier", "later, although no declared fact changed");
        pairs.compare(Promise::Kept, asked, bench, occasions);
        let shapes = self.shapes.of(&bench.declaration.node, cache);
        let mut equal_nodes = KeptColumn::default();
        let mut pairs = Pairs::default();
        for (node, answer) in asked.nodes.iter().zip(answers) {
            pairs.push(*node, equal_nodes.get(shapes, *node), answer);
            equal_nodes.set(shapes, *node, answer.clone());
        }
        let occasions = ("for another node with equal declared facts", "for this node");
        pairs.compare(Promise::Alike, asked, bench, occasions);
    }

    /// Drops the answers for these pod signatures.
    pub fn forget(&mut self, signatures: &[PodSignatureId]) {
        self.columns.retain(|(_, signature), _| !signatures.contains(signature));
    }
}

/// Pairs of answers that must be equal, one pair per node.
#[derive(Default)]
struct Pairs {
    nodes: Vec<NodeId>,
    one: Vec<Answer>,
    other: Vec<Answer>,
}

impl Pairs {
    fn push(&mut self, node: NodeId, one: Option<&Answer>, other: &Answer) {
        let Some(one) = one else { return };
        self.nodes.push(node);
        self.one.push(one.clone());
        self.other.push(other.clone());
    }

    fn compare(&self, promise: Promise, asked: &Scoped<'_>, bench: &mut Bench<'_>, occasions: Occasions) {
        let about = (asked.world, &*self.nodes);
        bench.compare_each((promise, asked.export), asked.question, about, (&self.one, &self.other), occasions);
    }
}

impl KeptColumn {
    fn get(&self, shapes: &FactNodeSignatures, node: NodeId) -> Option<&Answer> {
        self.answers.get(usize::try_from(self.results.scores.get(shapes, node)?).ok()?)
    }

    fn set(&mut self, shapes: &FactNodeSignatures, node: NodeId, answer: Answer) {
        let index = self.index(answer);
        self.results.scores.set(shapes, &[node], [index]);
    }

    fn index(&mut self, answer: Answer) -> i64 {
        let at = self.answers.iter().position(|known| *known == answer).unwrap_or_else(|| {
            self.answers.push(answer);
            self.answers.len() - 1
        });
        at as i64
    }
}
