//! Checks the promise of scope `domain`: answers by class are equal to answers by node.

use std::collections::HashMap;

use berth_core::cache::NodeId;
use berth_core::plugins::{Normalization, PodSignatureId};

use super::answer::{Answer, Answers};
use super::bench::{About, Bench, Broken};
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use berth_plugin_host::Export;
use berth_plugin_host::asking::{self, Classes};
use berth_plugin_host::examine::Resident;

/// The class of each node by pod signature, as a scheduler would keep it.
#[derive(Default)]
pub(super) struct ByClass(HashMap<PodSignatureId, Classes>);

impl ByClass {
    /// Calls the plugin by class and compares the answers with `by_node`, from the same cycle.
    pub fn check(
        &mut self,
        bench: &mut Bench<'_>,
        lived: &mut Resident,
        question: &Question,
        (world, nodes): (&World, &[NodeId]),
        by_node: &Answers,
    ) -> Result<(), Broken> {
        let classes = self.0.entry(question.signature).or_default();
        bench.hold(lived, question)?;
        let mut answers = Answers::default();
        match asking::by_class(lived, &question.cycle(&world.cache), nodes, classes) {
            Ok(None) => return Ok(()),
            Ok(Some((filtered, scored))) => {
                answers.add_filtered(filtered);
                answers.add_scored(scored);
            }
            Err(error) => return bench.failed(error, About { question: Some(question), node: None }).map(drop),
        }
        // Compare normalized scores only if the plugin normalizes, because otherwise the host does. Compare nothing if
        // a call by node failed.
        let custom = bench.declaration.normalization == Normalization::Custom;
        let compared = |export: Export| match export {
            Export::PreFilter | Export::Filter | Export::PreScore | Export::Score => true,
            Export::Normalize => custom,
            _ => false,
        };
        let only = |all: &Answers| Answers(all.0.iter().filter(|line| compared(line.export)).cloned().collect());
        let (by_node, by_class) = (only(by_node), only(&answers));
        if !by_node.0.iter().any(|line| matches!(line.answer, Answer::Failed(_))) {
            let occasions = ("in a call by node", "in a call by class");
            bench.compare(Promise::Classes, question, (world, nodes), (&by_node, &by_class), occasions);
        }
        Ok(())
    }

    /// Drops the classes for these pod signatures.
    pub fn forget(&mut self, signatures: &[PodSignatureId]) {
        self.0.retain(|signature, _| !signatures.contains(signature));
    }
}
