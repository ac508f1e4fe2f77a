//! Reads the counts of a pod signature, in the present state of the cluster.

use berth_guest::classes::Classes;

use super::{Counts, Key, VersionedTally};
use crate::args::Args;
use crate::cluster::Cluster;
use crate::constraint::{Action, Constraint, HOSTNAME};
use crate::tally::Tally;
use crate::{OwnConstraints, PreparedPod};

impl PreparedPod {
    /// Returns true if nodes without the labels of all constraints don't count. Only the built-in default
    /// constraints count such nodes.
    fn needs_all_keys(&self, args: &Args) -> bool {
        self.own.is_some() || !args.system
    }

    /// Returns the default constraints with this action, with the selectors for this pod.
    pub fn defaults(&self, action: Action, args: &Args, cluster: &Cluster) -> Vec<Constraint> {
        let matching = args.defaults.iter().filter(|default| default.action == action);
        let mut constraints: Vec<Constraint> = matching.map(|default| default.constraint.clone()).collect();
        if !constraints.is_empty() {
            let selector = cluster.selectors.of_pod(&self.counting.namespace, &self.labels, &self.owners);
            if selector.is_everything() {
                return Vec::new();
            }
            constraints.iter_mut().for_each(|constraint| constraint.selector = selector.clone());
        }
        constraints
    }

    /// Updates the tally of the pod's constraints with this action and passes it to `read`. Returns an error for an
    /// invalid constraint.
    pub fn read<R>(
        &self,
        action: Action,
        args: &Args,
        cluster: &Cluster,
        read: impl FnOnce(&Tally) -> R,
    ) -> Result<R, String> {
        self.with_counts(cluster, |counts| {
            let place = if action == Action::DoNotSchedule { &mut counts.hard } else { &mut counts.soft };
            Ok(read(self.update(place, action, args, cluster)?))
        })
    }

    /// Updates the tallies of both actions and passes them to `read` together with the classes.
    pub fn read_both<R>(
        &self,
        args: &Args,
        cluster: &Cluster,
        read: impl FnOnce(&mut Tally, &mut Tally, &mut Classes<Key>) -> R,
    ) -> Result<R, String> {
        self.with_counts(cluster, |Counts { hard, soft, classes }| {
            let hard = self.update(hard, Action::DoNotSchedule, args, cluster)?;
            let soft = self.update(soft, Action::ScheduleAnyway, args, cluster)?;
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

    fn update<'c>(
        &self,
        place: &'c mut Option<VersionedTally>,
        action: Action,
        args: &Args,
        cluster: &Cluster,
    ) -> Result<&'c mut Tally, String> {
        let known = self.reuse_or_create(place.take(), action, args, cluster)?;
        let VersionedTally { tally, .. } = place.insert(known);
        tally.catch_up(&self.counting, cluster);
        Ok(tally)
    }

    /// Returns the known tally, if its constraints have not changed, or an empty tally.
    fn reuse_or_create(
        &self,
        known: Option<VersionedTally>,
        action: Action,
        args: &Args,
        cluster: &Cluster,
    ) -> Result<VersionedTally, String> {
        let selectors = cluster.selectors.version();
        let constraints = match (&known, &self.own) {
            (Some(_), Some(_)) => None,
            (Some(counted), None) if counted.selectors == selectors => None,
            (None, Some(OwnConstraints { hard, .. })) if action == Action::DoNotSchedule => Some(hard.clone()?),
            (None, Some(OwnConstraints { soft, .. })) => Some(soft.clone()?),
            (_, None) => Some(self.defaults(action, args, cluster)),
        };
        let tally = match (known, constraints) {
            (Some(known), None) => known.tally,
            (Some(known), Some(constraints)) if known.tally.is_of(&constraints) => known.tally,
            (_, constraints) => {
                // The score counts the pods of a hostname constraint by node.
                let by_node = (action == Action::ScheduleAnyway).then_some(HOSTNAME);
                Tally::new(constraints.unwrap_or_default(), self.needs_all_keys(args), by_node, cluster)
            }
        };
        Ok(VersionedTally { tally, selectors })
    }
}
