//! What a guest must hold, by name.

use std::fmt;

/// One thing that a guest must hold. `docs/contract.md` says each at length under the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Promise {
    /// Every call is answered, within the limits.
    Answers,
    /// Answers are as long as the question, and name outcomes that are there.
    Lengths,
    /// Scores are in range.
    Range,
    /// The same question has the same answer.
    Repeatable,
    /// An instance that lived through changes answers as one filled anew.
    Rebuilt,
    /// Pods that are equal in the declared facts have equal answers.
    Templates,
    /// Facts that are not declared change nothing.
    Undeclared,
    /// Of scope node: the order, number and company of the nodes asked about change nothing.
    Order,
    /// Of scope node: the cycle's id, time and seed change nothing.
    Cycles,
    /// Of scope node: filter and score need no pre-filter and pre-score before them.
    Preparation,
    /// Of scope node: while no declared fact changes, no answer does.
    Kept,
    /// Of scope node: nodes that are equal in the declared facts have equal answers.
    Alike,
    /// Of scope node: the ids of nodes, pods and images change nothing.
    Ids,
    /// Of scope node: pre-filter and pre-score depend on the template and the arguments alone.
    TemplateOnly,
    /// Of scope domain: answers by class are those by node.
    Classes,
    /// With pods that it skips it has nothing to do, whatever nodes there are.
    Skip,
    /// Memory does not grow for ever.
    Memory,
}

impl Promise {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Answers,
        Self::Lengths,
        Self::Range,
        Self::Repeatable,
        Self::Rebuilt,
        Self::Templates,
        Self::Undeclared,
        Self::Order,
        Self::Cycles,
        Self::Preparation,
        Self::Kept,
        Self::Alike,
        Self::Ids,
        Self::TemplateOnly,
        Self::Classes,
        Self::Skip,
        Self::Memory,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answers => "answers",
            Self::Lengths => "lengths",
            Self::Range => "range",
            Self::Repeatable => "repeatable",
            Self::Rebuilt => "rebuilt",
            Self::Templates => "templates",
            Self::Undeclared => "undeclared",
            Self::Order => "order",
            Self::Cycles => "cycles",
            Self::Preparation => "preparation",
            Self::Kept => "kept",
            Self::Alike => "alike",
            Self::Ids => "ids",
            Self::TemplateOnly => "template-only",
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
        let page = include_str!("../../../../docs/contract.md");
        let (_, section) = page.split_once("## What a guest must hold").expect("the section is there");
        let section = section.split("\n## ").next().unwrap_or_default();
        let said: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        assert_eq!(said, Promise::ALL.map(Promise::name));
    }
}
