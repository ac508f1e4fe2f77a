//! Scope node: an answer depends on the template, the arguments, and the node's declared facts, and on no way of asking.

use std::collections::HashMap;

use berth_core::answers::Column;
use berth_core::cache::NodeId;
use berth_core::plugins::TemplateId;
use fastrand::Rng;

use super::answer::Answer;
use super::bench::{Bench, Broken};
use super::compare::Occasions;
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use crate::wasm::guest::Export;
use crate::wasm::guests::Resident;

/// Nodes that are asked about one by one.
const ALONE: usize = 6;

const AT_ONCE: &str = "when asked about all nodes at once";

/// Answers that a scheduler would have kept.
#[derive(Default)]
pub(super) struct Kept(HashMap<(Export, TemplateId), KeptColumn>);

#[derive(Default)]
struct KeptColumn {
    /// Indices into `answers`.
    column: Column<u32>,
    answers: Vec<Answer>,
}

/// One extension point of scope node, and whom and what to ask.
pub(super) struct Scoped<'a> {
    pub export: Export,
    /// In a cycle that is always the same, so that answers of different times can be compared.
    pub question: &'a Question,
    /// The same in a cycle of its own.
    pub in_its_cycle: &'a Question,
    /// A question about another pod, to be asked in between.
    pub other: &'a Question,
    pub world: &'a World,
    /// All nodes, by id.
    pub nodes: &'a [NodeId],
}

impl Scoped<'_> {
    /// Asks in every way that a scheduler may ask in. `fresh` is an instance that was asked nothing about this pod yet.
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
            let occasions = ("of an instance that was asked what comes before", "of one that was not");
            self.compare(bench, Promise::Preparation, &one, &other, occasions);
        }
        if let Some(later) = self.ask(bench, lived, self.in_its_cycle, self.nodes)? {
            let occasions = ("in one cycle", "in a cycle of another id, time and seed");
            self.compare(bench, Promise::Cycles, &base, &later, occasions);
        }
        self.check_order(bench, lived, &base, rng)?;
        kept.check(self, bench, base);
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
            (&[&shuffled], "when asked about them in another order, after another pod"),
            (&[first, second], "when asked about them in two calls"),
        ];
        for (calls, way) in ways {
            self.ask(bench, lived, self.other, calls[0])?;
            self.compare_calls(bench, lived, base, calls, way)?;
        }
        let alone: Vec<&[NodeId]> = shuffled.chunks(1).take(ALONE).collect();
        self.compare_calls(bench, lived, base, &alone, "when asked about it alone")
    }

    /// Asks about some of the nodes, a call for each list, and compares with what was said of all at once.
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
    /// Of nodes of which no declared fact changed, the answers must be those given before.
    fn check(&mut self, asked: &Scoped<'_>, bench: &mut Bench<'_>, answers: Vec<Answer>) {
        let kept = self.0.entry((asked.export, asked.question.template)).or_default();
        kept.column.catch_up(&asked.world.cache, &bench.declaration);
        let stale = kept.column.missing(asked.nodes);
        let known = |node: &NodeId| stale.binary_search(node).is_err();
        let (nodes, now): (Vec<NodeId>, Vec<Answer>) =
            asked.nodes.iter().copied().zip(answers.iter().cloned()).filter(|(node, _)| known(node)).unzip();
        let before: Vec<Answer> =
            nodes.iter().map(|node| kept.answers[kept.column.get(*node) as usize].clone()).collect();
        let indices: Vec<u32> = answers.into_iter().map(|answer| kept.index(answer)).collect();
        kept.column.set(asked.nodes, indices);
        bench.compare_each(
            (Promise::Kept, asked.export),
            asked.question,
            (asked.world, &nodes),
            (&before, &now),
            ("at first", "later, while nothing changed that it declares to read"),
        );
    }

    /// These templates are not asked about any more.
    pub fn forget(&mut self, templates: &[TemplateId]) {
        self.0.retain(|(_, template), _| !templates.contains(template));
    }
}

impl KeptColumn {
    fn index(&mut self, answer: Answer) -> u32 {
        let at = self.answers.iter().position(|known| *known == answer).unwrap_or_else(|| {
            self.answers.push(answer);
            self.answers.len() - 1
        });
        at as u32
    }
}
