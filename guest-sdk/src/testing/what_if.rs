//! What-if questions in the host for tests: whether a pod would fit a node with other pods. Berth asks such questions
//! for preemption and for nominated pods.

use super::{Host, PodBuilder};
use crate::bindings::snapshot::exports::berth::scheduler::snapshot::{Change, ResidentPod};
use crate::plugin::Plugin;
use crate::types::Status;
use crate::{node, pod};

impl<P: Plugin> Host<P> {
    /// Returns the code and reasons with which the node would reject the pod if the pods `gone` were removed and the
    /// pods `added` were on the node; `None` if the pod would fit. The host sends these changes to the plugin, runs
    /// pre-filter and filter, and undoes the changes.
    ///
    /// ```
    /// use berth_guest::prelude::*;
    /// use berth_guest::testing::{Host, node, pod};
    ///
    /// fn filter(pod: &pod::Labels, residents: node::Pods<'_, pod::Labels>) -> Result<(), &'static str> {
    ///     let team = pod.get("team");
    ///     if residents.iter().all(|other| other.get("team") == team) { Ok(()) } else { Err("node(s) had other teams") }
    /// }
    ///
    /// berth_guest::plugin!(name: "OneTeam", filter: filter);
    ///
    /// # fn main() {
    /// let mut host = Host::<Plugin>::new();
    /// host.node(node("n"));
    /// let (a, b) = (pod().label("team", "a"), pod().label("team", "b"));
    /// let there = host.resident(&b, "n");
    /// assert!(host.what_if(&a, "n", &[there], &[]).is_none());
    /// assert!(host.what_if(&a, "n", &[there], &[&b]).is_some());
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the plugin's verdicts about the nodes differ before the changes and after the host undid the changes.
    pub fn what_if(&mut self, pod: &PodBuilder, node: &str, gone: &[pod::Id], added: &[&PodBuilder]) -> Option<Status> {
        let before = self.verdicts(pod);
        let at = node::Id(self.id(node));
        // The ids of the added pods start after all ids in use.
        let first = self.residents.len() as u32;
        let set =
            |(id, pod): (u32, &PodBuilder)| Change::ResidentPod(ResidentPod { id, node: at.0, pod: pod.0.clone() });
        let removed = gone.iter().map(|id| Change::ResidentPodRemoved(id.0));
        let changes: Vec<Change> = removed.chain((first..).zip(added.iter().copied()).map(set)).collect();
        self.guest.apply(changes);
        let verdict = self.verdict(pod, node);
        let restored = gone.iter().filter_map(|id| Some((id.0, &self.residents.get(id.at())?.as_ref()?.0)));
        let added_undone = (first..).take(added.len()).map(Change::ResidentPodRemoved);
        let changes: Vec<Change> = added_undone.chain(restored.map(set)).collect();
        self.guest.apply(changes);
        assert_eq!(self.verdicts(pod), before, "{}: the verdicts differ after the changes were undone", P::NAME);
        verdict
    }
}
