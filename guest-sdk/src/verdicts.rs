//! The verdicts of many nodes in the contract's form: a list of the distinct rejections, and one number per node.
//! Number 0 means that the pod fits; number n is the n-th distinct rejection.

use crate::types::{self, Status};
use crate::verdict::{Rejection, RejectionCode, Verdict};

/// The reason of the rejection with number [`LAST`], which replaces the 1000th and all further distinct rejections.
const TOO_MANY: &str = "too many different reasons to list";

/// The contract's limit of distinct rejections in one answer, and so the number of the last distinct rejection.
const LAST: u16 = 1000;

/// The number of rejections that `find` compares one by one before the binary search. This is fastest, because nearly
/// all nodes have one of the first rejections.
const FEW: usize = 8;

/// Collects the verdicts of one call.
pub(crate) struct Collector {
    nodes: Vec<u16>,
    distinct: Vec<Rejection>,
    /// The numbers of the rejections, sorted by rejection. A hash map would be faster for thousands of rejections,
    /// but would be a large part of a small component.
    in_order: Vec<u16>,
}

impl Collector {
    pub(crate) fn for_nodes(count: usize) -> Collector {
        Collector { nodes: Vec::with_capacity(count), distinct: Vec::new(), in_order: Vec::new() }
    }

    /// Adds the next node's verdict.
    #[inline(always)]
    pub(crate) fn push(&mut self, verdict: Verdict) {
        let number = match verdict.0 {
            None => 0,
            Some(rejection) => self.number(rejection),
        };
        self.nodes.push(number);
    }

    fn number(&mut self, rejection: Rejection) -> u16 {
        let place = match self.find(&rejection) {
            Ok(known) => return known,
            Err(place) => place,
        };
        // Number `LAST` stands for the 1000th and all further distinct rejections.
        match u16::try_from(self.distinct.len() + 1) {
            Ok(LAST) => self.distinct.push(Rejection::new(RejectionCode::Unschedulable, TOO_MANY)),
            Ok(number) if number < LAST => {
                self.distinct.push(rejection);
                self.in_order.insert(place, number);
                return number;
            }
            _ => (),
        }
        LAST
    }

    /// Returns the number of a rejection, or the position at which to insert it into `in_order`.
    fn find(&self, rejection: &Rejection) -> Result<u16, usize> {
        let few = (1..).zip(&self.distinct).take(FEW);
        if let Some((number, _)) = few.into_iter().find(|(_, known)| *known == rejection) {
            return Ok(number);
        }
        let order = |number: &u16| self.distinct.get(usize::from(*number) - 1).cmp(&Some(rejection));
        let place = self.in_order.binary_search_by(order)?;
        self.in_order.get(place).copied().ok_or(place)
    }

    pub(crate) fn finish(self) -> types::Verdicts {
        let mut outcomes = Vec::with_capacity(self.distinct.len());
        for rejection in self.distinct {
            outcomes.push(Status::from(rejection));
        }
        types::Verdicts { outcomes, nodes: self.nodes }
    }
}

/// The verdicts of a `filter_nodes` function, which filters all nodes of a call at once. The verdicts are in the order
/// of [`node::Ids`](crate::node::Ids).
///
/// ```
/// use berth_guest::prelude::*;
/// use berth_guest::Verdicts;
///
/// fn filter_nodes(nodes: node::Ids<'_>) -> Verdicts {
///     let mut verdicts = Verdicts::new(nodes.len(), [Rejection::unschedulable("node(s) had an odd number")]);
///     for node in nodes.iter() {
///         if node.0 % 2 == 0 { verdicts.fits() } else { verdicts.rejected(0) }
///     }
///     verdicts
/// }
///
/// berth_guest::plugin!(name: "Even", filter_nodes: filter_nodes);
/// # fn main() {}
/// ```
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    rejections: Vec<Rejection>,
    nodes: Vec<u16>,
}

impl Verdicts {
    /// Makes an empty list of verdicts for this many nodes. `rejections` are all rejections that may occur.
    pub fn new(nodes: usize, rejections: impl Into<Vec<Rejection>>) -> Verdicts {
        Verdicts { rejections: rejections.into(), nodes: Vec::with_capacity(nodes) }
    }

    /// Makes verdicts of a pod that fits all of this many nodes.
    pub fn all_fit(nodes: usize) -> Verdicts {
        Verdicts { rejections: Vec::new(), nodes: vec![0; nodes] }
    }

    /// Adds that the pod fits the next node.
    #[inline(always)]
    pub fn fits(&mut self) {
        self.nodes.push(0);
    }

    /// Adds that the pod does not fit the next node. `rejection` is an index into the rejections given to
    /// [`Verdicts::new`].
    #[inline(always)]
    pub fn rejected(&mut self, rejection: u16) {
        self.nodes.push(rejection + 1);
    }
}

impl FromIterator<Verdict> for Verdicts {
    /// Collects verdicts that the plugin computes node by node.
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Verdicts {
        let mut collector = Collector::for_nodes(0);
        verdicts.into_iter().for_each(|verdict| collector.push(verdict));
        Verdicts { rejections: collector.distinct, nodes: collector.nodes }
    }
}

impl From<Verdicts> for types::Verdicts {
    fn from(verdicts: Verdicts) -> types::Verdicts {
        types::Verdicts { outcomes: verdicts.rejections.into_iter().map(Status::from).collect(), nodes: verdicts.nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(verdicts: impl IntoIterator<Item = Verdict>) -> types::Verdicts {
        verdicts.into_iter().collect::<Verdicts>().into()
    }

    #[test]
    fn equal_rejections_are_sent_once() {
        let full = || Verdict::unschedulable("full".to_owned());
        let collected = collect([Verdict::FITS, full(), Verdict::unresolvable("full"), full(), Verdict::FITS]);
        assert_eq!(collected.nodes, [0, 1, 2, 1, 0]);
        assert_eq!(collected.outcomes.len(), 2);
    }

    #[test]
    fn many_rejections_keep_their_indexes() {
        let collected = collect((0..100).chain(0..100).map(|n| Verdict::unschedulable(format!("reason {n}"))));
        assert_eq!(collected.nodes[..100], collected.nodes[100..]);
        assert_eq!(collected.outcomes[99].reasons, ["reason 99"]);
    }

    #[test]
    fn too_many_distinct_rejections_share_the_last() {
        let collected = collect((0..70_000).map(|n| Verdict::unschedulable(format!("reason {n}"))));
        assert_eq!(collected.outcomes.len(), usize::from(LAST));
        assert_eq!(collected.nodes[69_999], LAST);
        assert_eq!(collected.outcomes[usize::from(LAST) - 1].reasons, [TOO_MANY]);
        assert!(collected.nodes.iter().all(|&number| number > 0));
    }
}
