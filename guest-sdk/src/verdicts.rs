//! Many nodes' verdicts in the form that crosses to the host: a number a node, and each distinct rejection once.

use std::collections::HashMap;

use crate::types::{self, Status};
use crate::verdict::{Rejection, RejectionCode, Verdict};

/// More distinct rejections than a `u16` can number are told as this one.
const TOO_MANY: &str = "too many different reasons to list";

/// Rejections are looked for one by one up to this many, beyond by their hash.
const FEW: usize = 8;

/// Collects the verdicts of one call.
pub(crate) struct Collector {
    nodes: Vec<u16>,
    distinct: Vec<Rejection>,
    by_hash: HashMap<Rejection, u16>,
}

impl Collector {
    pub(crate) fn for_nodes(count: usize) -> Collector {
        Collector { nodes: Vec::with_capacity(count), distinct: Vec::new(), by_hash: HashMap::new() }
    }

    /// The next node's verdict.
    #[inline(always)]
    pub(crate) fn push(&mut self, verdict: Verdict) {
        let number = match verdict.0 {
            None => 0,
            Some(rejection) => self.number(rejection),
        };
        self.nodes.push(number);
    }

    fn number(&mut self, rejection: Rejection) -> u16 {
        if let Some(known) = self.find(&rejection) {
            return known;
        }
        // The last number is kept for all that came too late to have their own.
        match u16::try_from(self.distinct.len() + 1) {
            Ok(u16::MAX) => self.add(Rejection::new(RejectionCode::Unschedulable, TOO_MANY), u16::MAX),
            Ok(number) => self.add(rejection, number),
            Err(_) => u16::MAX,
        }
    }

    fn find(&self, rejection: &Rejection) -> Option<u16> {
        if self.by_hash.is_empty() {
            let at = self.distinct.iter().position(|known| known == rejection)?;
            return u16::try_from(at + 1).ok();
        }
        self.by_hash.get(rejection).copied()
    }

    fn add(&mut self, rejection: Rejection, number: u16) -> u16 {
        self.distinct.push(rejection.clone());
        if !self.by_hash.is_empty() {
            self.by_hash.insert(rejection, number);
        } else if self.distinct.len() > FEW {
            self.by_hash = (1..).zip(&self.distinct).map(|(number, known)| (known.clone(), number)).collect();
        }
        number
    }

    pub(crate) fn finish(self) -> types::Verdicts {
        types::Verdicts { outcomes: self.distinct.into_iter().map(Status::from).collect(), nodes: self.nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(verdicts: impl IntoIterator<Item = Verdict>) -> types::Verdicts {
        let mut collector = Collector::for_nodes(0);
        verdicts.into_iter().for_each(|verdict| collector.push(verdict));
        collector.finish()
    }

    #[test]
    fn equal_rejections_are_told_once() {
        let full = || Verdict::unschedulable("full".to_owned());
        let told = collect([Verdict::FITS, full(), Verdict::unresolvable("full"), full(), Verdict::FITS]);
        assert_eq!(told.nodes, [0, 1, 2, 1, 0]);
        assert_eq!(told.outcomes.len(), 2);
    }

    #[test]
    fn many_rejections_keep_their_numbers() {
        let told = collect((0..100).chain(0..100).map(|n| Verdict::unschedulable(format!("reason {n}"))));
        assert_eq!(told.nodes[..100], told.nodes[100..]);
        assert_eq!(told.outcomes[99].reasons, ["reason 99"]);
    }

    #[test]
    fn more_rejections_than_numbers_are_still_rejections() {
        let told = collect((0..70_000).map(|n| Verdict::unschedulable(format!("reason {n}"))));
        assert_eq!(told.outcomes.len(), usize::from(u16::MAX));
        assert_eq!(told.nodes[69_999], u16::MAX);
        assert_eq!(told.outcomes[usize::from(u16::MAX) - 1].reasons, [TOO_MANY]);
        assert!(told.nodes.iter().all(|&number| number > 0));
    }
}
