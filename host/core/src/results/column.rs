//! The answers of one kind of call, such as score, about all nodes, stored by node signature.

use fixedbitset::FixedBitSet;

use super::node_signatures::FactNodeSignatures;
use crate::cache::NodeId;

/// Answers by node signature. An answer about a signature that was dropped counts as unknown.
#[derive(Clone, Debug, Default)]
pub struct Column<T> {
    /// Each answer with the clock of the node signatures when it was given; 0 for no answer.
    answers: Vec<(T, u64)>,
}

impl<T: Copy + Default> Column<T> {
    /// Drops all answers.
    pub fn clear(&mut self) {
        self.answers.clear();
    }

    /// Returns the nodes to ask about: one for each node signature without an answer.
    #[must_use]
    pub fn missing(&self, node_signatures: &FactNodeSignatures, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut asked = FixedBitSet::new();
        let mut is_first = |signature| {
            asked.grow(node_signatures.len());
            !asked.put(signature)
        };
        let mut missing = Vec::new();
        // A loop takes fewer instructions for each node than an iterator with a filter.
        for node in nodes {
            let is_missing = match node_signatures.number(*node) {
                Some(signature) => self.known(node_signatures, signature).is_none() && is_first(signature),
                None => true,
            };
            if is_missing {
                missing.push(*node);
            }
        }
        missing
    }

    /// Stores the answers about these nodes and all nodes of the same signatures. `nodes` and `answers` have the same
    /// length.
    pub fn set(
        &mut self,
        node_signatures: &FactNodeSignatures,
        nodes: &[NodeId],
        answers: impl IntoIterator<Item = T>,
    ) {
        self.answers.resize(node_signatures.len().max(self.answers.len()), (T::default(), 0));
        for (node, answer) in nodes.iter().zip(answers) {
            if let Some(signature) = node_signatures.number(*node) {
                self.answers[signature] = (answer, node_signatures.now());
            }
        }
    }

    /// Returns the answer about a node, or `None` if it is unknown.
    #[must_use]
    pub fn get(&self, node_signatures: &FactNodeSignatures, node: NodeId) -> Option<T> {
        self.known(node_signatures, node_signatures.number(node)?)
    }

    fn known(&self, node_signatures: &FactNodeSignatures, signature: usize) -> Option<T> {
        let (answer, then) = *self.answers.get(signature)?;
        node_signatures.is_of(signature, then).then_some(answer)
    }

    pub(super) fn bytes(&self) -> usize {
        self.answers.len() * size_of::<(T, u64)>()
    }
}
