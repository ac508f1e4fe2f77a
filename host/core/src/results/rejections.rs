//! Distinct rejections, with a number for each.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;
use hashbrown::HashTable;

use crate::plugins::{Status, Verdicts};

/// Distinct rejections. Numbers start at 1, because 0 means that a pod fits.
#[derive(Clone, Debug, Default)]
pub struct Rejections {
    all: Vec<Status>,
    /// Indexes into `all`, by the hash of the rejection.
    by_hash: HashTable<u16>,
    /// The total length of the reasons in bytes.
    text: usize,
}

impl Rejections {
    /// Returns the number of this rejection. A new rejection gets a new number, or `None` if there are no more
    /// numbers.
    pub fn number(&mut self, status: &Status) -> Option<u16> {
        let hash_of_this = hash(status);
        if let Some(at) = self.find(hash_of_this, status) {
            return Some(at + 1);
        }
        let at = u16::try_from(self.all.len()).ok()?;
        let number = at.checked_add(1)?;
        self.all.push(status.clone());
        self.text += status.reasons.iter().map(|reason| reason.len()).sum::<usize>();
        let all = &self.all;
        self.by_hash.insert_unique(hash_of_this, at, |at| hash(&all[usize::from(*at)]));
        Some(number)
    }

    /// Returns the verdicts as numbers of rejections in `self`, in the order of the nodes, or `None` if there are no
    /// more numbers.
    pub fn numbers(&mut self, verdicts: &Verdicts) -> Option<Vec<u16>> {
        let numbers: Option<Vec<u16>> = verdicts.outcomes.iter().map(|status| self.number(status)).collect();
        let numbers = numbers?;
        let number = |answer: &u16| usize::from(*answer).checked_sub(1).map_or(0, |outcome| numbers[outcome]);
        Some(verdicts.nodes.iter().map(number).collect())
    }

    /// Returns the number of rejections that there would be with these rejections added.
    pub(super) fn len_with(&self, others: &[Status]) -> usize {
        let is_new = |status: &&Status| self.find(hash(status), status).is_none();
        self.all.len() + others.iter().filter(is_new).count()
    }

    fn find(&self, hash: u64, status: &Status) -> Option<u16> {
        self.by_hash.find(hash, |at| self.all[usize::from(*at)] == *status).copied()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns verdicts from numbers of rejections in `self`, with the rejections that the verdicts refer to. Each
    /// number must be 0 or a number of a rejection in `self`.
    #[must_use]
    pub fn verdicts(&self, numbers: impl Iterator<Item = u16>) -> Verdicts {
        let mut verdicts = Verdicts { outcomes: Vec::new(), nodes: Vec::with_capacity(numbers.size_hint().0) };
        // Maps a number to its number among `verdicts.outcomes`; 0 if it has none yet. Empty at first, because most
        // pods fit most nodes.
        let mut renumbered: Vec<u16> = Vec::new();
        for number in numbers {
            if number == 0 {
                verdicts.nodes.push(0);
                continue;
            }
            renumbered.resize(self.all.len() + 1, 0);
            let new = &mut renumbered[usize::from(number)];
            if *new == 0 {
                verdicts.outcomes.push(self.all[usize::from(number) - 1].clone());
                *new = verdicts.outcomes.len() as u16;
            }
            verdicts.nodes.push(*new);
        }
        verdicts
    }

    /// Returns the rejections in the order of their numbers.
    #[must_use]
    pub fn into_all(self) -> Vec<Status> {
        self.all
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.len() * BYTES + self.text
    }
}

/// The approximate size of a rejection with one reason, without the text.
const BYTES: usize = 96;

fn hash(status: &Status) -> u64 {
    FixedState::default().hash_one(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::Code;

    fn status(code: Code, reason: &str) -> Status {
        Status { code, reasons: vec![reason.into()] }
    }

    #[test]
    fn rejections_keep_their_numbers_and_verdicts_name_no_others() {
        let mut outcomes = Rejections::default();
        let full = |code| status(code, "full");
        assert_eq!(outcomes.number(&full(Code::Unschedulable)), Some(1));
        assert_eq!(outcomes.number(&full(Code::UnschedulableAndUnresolvable)), Some(2));
        assert_eq!(outcomes.number(&status(Code::Unschedulable, "far")), Some(3));
        assert_eq!(outcomes.number(&full(Code::Unschedulable)), Some(1));
        let verdicts = outcomes.verdicts([0, 3, 1, 3].into_iter());
        let named = vec![status(Code::Unschedulable, "far"), full(Code::Unschedulable)];
        assert_eq!(verdicts, Verdicts { outcomes: named, nodes: vec![0, 1, 2, 1] });
        assert_eq!(outcomes.len(), 3);
    }

    #[test]
    fn there_are_as_many_rejections_as_numbers() {
        let mut outcomes = Rejections::default();
        let number = |n: u32, outcomes: &mut Rejections| outcomes.number(&status(Code::Pending, &n.to_string()));
        for n in 0..u32::from(u16::MAX) {
            assert_eq!(number(n, &mut outcomes).map(u32::from), Some(n + 1));
        }
        assert_eq!(number(70_000, &mut outcomes), None);
        assert_eq!(number(65_534, &mut outcomes), Some(u16::MAX));
        assert!(outcomes.bytes() > 65_535 * BYTES);
    }
}
