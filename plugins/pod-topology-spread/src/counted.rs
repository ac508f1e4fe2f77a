//! The data of a pod signature: the counts of its constraints, and the classes of nodes.

mod reading;

use berth_guest::classes::{Classes, Numbers};

use crate::tally::Tally;

/// The key of a class: a number for each `DoNotSchedule` constraint, then for each `ScheduleAnyway` constraint.
pub type Key = Numbers;

/// The counts of a pod signature.
#[derive(Default)]
pub struct Counts {
    /// The counts of `DoNotSchedule` constraints.
    hard: Option<VersionedTally>,
    /// The counts of `ScheduleAnyway` constraints.
    soft: Option<VersionedTally>,
    /// Classes of nodes by their counts.
    classes: Classes<Key>,
}

/// A tally, with the version of its inputs.
struct VersionedTally {
    tally: Tally,
    /// The version of `Cluster::selectors` at the time of the tally. Used for default constraints.
    selectors: u64,
}

impl Counts {
    fn bytes(&self) -> usize {
        let tallies: usize = self.hard.iter().chain(&self.soft).map(|counted| counted.tally.bytes()).sum();
        tallies + self.classes.bytes()
    }
}
