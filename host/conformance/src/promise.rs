//! The promises of the plugin contract.

use std::fmt;

/// A promise of the plugin contract. `docs/contract.md` describes each under the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Promise {
    /// Every call is answered within the limits.
    Answers,
    /// Answers have the length of the question, and refer only to existing outcomes.
    Lengths,
    /// Scores are in range.
    Range,
    /// The same question has the same answer.
    Repeatable,
    /// An instance that went through changes answers as a new one does.
    Rebuilt,
    /// Pods that are equal in the declared facts have equal answers.
    Signatures,
    /// Undeclared facts have no influence.
    Undeclared,
    /// Scope `node`: the order and number of the nodes in a call have no influence, nor do the other nodes.
    Order,
    /// Scope `node`: the cycle's id, time and seed have no influence.
    Cycles,
    /// Scope `node`: filter and score don't need a pre-filter or pre-score before them.
    Preparation,
    /// Scope `node`: an answer stays the same while no declared fact changes.
    Kept,
    /// Scope `node`: nodes that are equal in the declared facts have equal answers.
    Alike,
    /// Scope `node`: the ids of nodes, pods and images have no influence.
    Ids,
    /// Scope `node`: pre-filter and pre-score depend only on the pod signature and the arguments.
    SignatureOnly,
    /// Scope `domain`: answers by class are equal to answers by node.
    Classes,
    /// The plugin has no effect on a pod that it skips. Its answers of skip and sort-key do not depend on nodes.
    Skip,
    /// The memory does not grow without end.
    Memory,
}

impl Promise {
    /// All promises.
    pub const ALL: [Self; 17] = [
        Self::Answers,
        Self::Lengths,
        Self::Range,
        Self::Repeatable,
        Self::Rebuilt,
        Self::Signatures,
        Self::Undeclared,
        Self::Order,
        Self::Cycles,
        Self::Preparation,
        Self::Kept,
        Self::Alike,
        Self::Ids,
        Self::SignatureOnly,
        Self::Classes,
        Self::Skip,
        Self::Memory,
    ];

    /// Returns the promise's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answers => "answers",
            Self::Lengths => "lengths",
            Self::Range => "range",
            Self::Repeatable => "repeatable",
            Self::Rebuilt => "rebuilt",
            Self::Signatures => "signatures",
            Self::Undeclared => "undeclared",
            Self::Order => "order",
            Self::Cycles => "cycles",
            Self::Preparation => "preparation",
            Self::Kept => "kept",
            Self::Alike => "alike",
            Self::Ids => "ids",
            Self::SignatureOnly => "signature-only",
            Self::Classes => "classes",
            Self::Skip => "skip",
            Self::Memory => "memory",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_page_says_each_of_them() {
        let page = include_str!("../../../docs/contract.md");
        let (_, section) = page.split_once("## What a guest must hold").expect("the section is there");
        let section = section.split("\n## ").next().unwrap_or_default();
        let listed: Vec<&str> =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(listed, Promise::ALL.map(Promise::name));
    }
}
