//! Compares two sets of answers that must be equal.

use super::answer::{Answer, Answers};
use super::bench::{About, Bench};
use super::finding::Violation;
use super::promise::Promise;
use super::question::Question;
use super::world::World;
use berth_core::cache::NodeId;
use berth_plugin_host::Export;

/// The circumstances of the calls that returned two answers, as texts for messages.
pub(super) type Occasions = (&'static str, &'static str);

impl Bench<'_> {
    /// Records the first difference between the answers of two cycles for the same nodes.
    pub fn compare(
        &mut self,
        promise: Promise,
        question: &Question,
        (world, nodes): (&World, &[NodeId]),
        (one, other): (&Answers, &Answers),
        occasions: Occasions,
    ) {
        let Some((here, there)) = one.first_difference(other) else { return };
        let node = here.at.and_then(|at| nodes.get(at)).and_then(|node| node_of(world, *node));
        let violation = difference(&here.answer, &there.answer, occasions);
        self.record(promise, here.export, About { question: Some(question), node }, violation);
    }

    /// Records the first difference for one extension point. The answers belong to `nodes`, in order.
    pub fn compare_each(
        &mut self,
        (promise, export): (Promise, Export),
        question: &Question,
        (world, nodes): (&World, &[NodeId]),
        (one, other): (&[Answer], &[Answer]),
        occasions: Occasions,
    ) {
        let Some(at) = (0..nodes.len()).find(|at| one.get(*at) != other.get(*at)) else { return };
        let (Some(here), Some(there)) = (one.get(at), other.get(at)) else { return };
        let about = About { question: Some(question), node: node_of(world, nodes[at]) };
        self.record(promise, export, about, difference(here, there, occasions));
    }
}

fn node_of(world: &World, node: NodeId) -> Option<(&str, &'static str)> {
    let name = &*world.cache.node(node)?.node.name;
    Some((name, world.last_of(name)))
}

pub(super) fn difference(one: &Answer, other: &Answer, occasions: Occasions) -> Violation {
    Violation::Differs { one: (one.clone(), occasions.0), other: (other.clone(), occasions.1) }
}
