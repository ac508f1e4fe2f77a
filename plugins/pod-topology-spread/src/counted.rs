//! What is kept of a template: the counts of its constraints, and the classes of nodes that follow from them.

use berth_guest::classes::Classes;

use crate::args::Args;
use crate::by_class::Key;
use crate::cluster::Cluster;
use crate::constraint::{Action, Constraint, HOSTNAME};
use crate::tally::Tally;
use crate::{Own, Wanted};

/// See the module.
#[derive(Default)]
pub struct Counts {
    /// Of what must be so.
    hard: Option<Counted>,
    /// Of what is better so.
    soft: Option<Counted>,
    /// By what is counted for a node.
    classes: Classes<Key>,
}

/// A tally, and what it follows from.
struct Counted {
    tally: Tally,
    /// The version of the selectors, where the constraints are defaults.
    selectors: u64,
}

impl Counts {
    fn bytes(&self) -> usize {
        let tallies: usize = self.hard.iter().chain(&self.soft).map(|counted| counted.tally.bytes()).sum();
        tallies + self.classes.bytes()
    }
}

impl Wanted {
    /// Nodes without the labels of all constraints are left out; only the system's own defaults are more lenient.
    fn needs_all_keys(&self, args: &Args) -> bool {
        self.own.is_some() || !args.system
    }

    /// The default constraints that do this, with what they select.
    pub fn defaults(&self, action: Action, args: &Args, cluster: &Cluster) -> Vec<Constraint> {
        let those = args.defaults.iter().filter(|default| default.action == action);
        let mut constraints: Vec<Constraint> = those.map(|default| default.constraint.clone()).collect();
        if !constraints.is_empty() {
            let selector = cluster.selectors.of_pod(&self.counting.namespace, &self.labels, &self.owners);
            if selector.is_everything() {
                return Vec::new();
            }
            constraints.iter_mut().for_each(|constraint| constraint.selector = selector.clone());
        }
        constraints
    }

    /// Reads the tally of the pod's constraints that do this, as things are; or tells what is wrong with them.
    pub fn read<R>(
        &self,
        action: Action,
        args: &Args,
        cluster: &Cluster,
        read: impl FnOnce(&Tally) -> R,
    ) -> Result<R, String> {
        self.with_counts(cluster, |counts| {
            let place = if action == Action::DoNotSchedule { &mut counts.hard } else { &mut counts.soft };
            Ok(read(self.up_to_date(place, action, args, cluster)?))
        })
    }

    /// Reads and follows both tallies, of what must be so and of what is better so, with the classes.
    pub fn read_both<R>(
        &self,
        args: &Args,
        cluster: &Cluster,
        read: impl FnOnce(&mut Tally, &mut Tally, &mut Classes<Key>) -> R,
    ) -> Result<R, String> {
        self.with_counts(cluster, |Counts { hard, soft, classes }| {
            let hard = self.up_to_date(hard, Action::DoNotSchedule, args, cluster)?;
            let soft = self.up_to_date(soft, Action::ScheduleAnyway, args, cluster)?;
            Ok(read(hard, soft, classes))
        })
    }

    fn with_counts<R>(
        &self,
        cluster: &Cluster,
        read: impl FnOnce(&mut Counts) -> Result<R, String>,
    ) -> Result<R, String> {
        let (result, bytes) = {
            let mut counts = self.counts.open(&cluster.room);
            let counts = counts.get_or_insert_default();
            (read(counts), counts.bytes())
        };
        self.counts.takes(bytes, &cluster.room);
        result
    }

    fn up_to_date<'c>(
        &self,
        place: &'c mut Option<Counted>,
        action: Action,
        args: &Args,
        cluster: &Cluster,
    ) -> Result<&'c mut Tally, String> {
        let known = self.as_things_are(place.take(), action, args, cluster)?;
        let Counted { tally, .. } = place.insert(known);
        tally.catch_up(&self.counting, cluster);
        Ok(tally)
    }

    /// The tally that is known, where its constraints are still those.
    fn as_things_are(
        &self,
        known: Option<Counted>,
        action: Action,
        args: &Args,
        cluster: &Cluster,
    ) -> Result<Counted, String> {
        let selectors = cluster.selectors.version();
        let constraints = match (&known, &self.own) {
            (Some(_), Some(_)) => None,
            (Some(counted), None) if counted.selectors == selectors => None,
            (None, Some(Own { hard, .. })) if action == Action::DoNotSchedule => Some(hard.clone()?),
            (None, Some(Own { soft, .. })) => Some(soft.clone()?),
            (_, None) => Some(self.defaults(action, args, cluster)),
        };
        let tally = match (known, constraints) {
            (Some(known), None) => known.tally,
            (Some(known), Some(constraints)) if known.tally.is_of(&constraints) => known.tally,
            (_, constraints) => {
                // Pods of a host are scored host by host.
                let by_node = (action == Action::ScheduleAnyway).then_some(HOSTNAME);
                Tally::new(constraints.unwrap_or_default(), self.needs_all_keys(args), by_node, cluster)
            }
        };
        Ok(Counted { tally, selectors })
    }
}
