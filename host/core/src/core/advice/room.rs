//! Pods for whom room is being made: who might go somewhere when a pod leaves a node, or asks for less there.
//!
//! While others leave for it, no other room is made for a pod. So what happens to a pod on some node helps it only if it fits on
//! that very node now, beside those to whom room is promised there.

use std::sync::Arc;

use super::{Advice, by_node};
use crate::cache::NodeId;
use crate::cluster_event::{ClusterEvent, Subject};
use crate::model::Pod;
use crate::plugins::WhatIf;
use crate::queue::{MayGo, Rejector};

impl Advice<'_> {
    /// See [`crate::queue::Advisor::who_may_go`].
    pub(super) fn who_fits(&mut self, rejector: &Rejector, event: &ClusterEvent, pod: &Arc<Pod>) -> MayGo {
        let Some((name, node)) = self.node_of_pod(rejector, event) else { return MayGo::All };
        let with = |added| WhatIf { node, added, removed: Vec::new() };
        // Most often it is not enough yet, whoever else comes.
        if !self.fits(rejector, &[with(Vec::new())], pod)[0] {
            return MayGo::These(Vec::new());
        }
        let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority;
        let promised: Vec<Arc<Pod>> = self.nominations.on(name).filter(counts).cloned().collect();
        if promised.is_empty() {
            return MayGo::All;
        }
        // One of them does not stand in its own way.
        let others = |but: &Arc<Pod>| promised.iter().filter(|other| other.key != but.key).cloned().collect();
        let mut cases: Vec<WhatIf> = promised.iter().map(|but| with(others(but))).collect();
        cases.push(with(promised.clone()));
        // The first of them is alone where it is the only one: that was asked.
        let asked = usize::from(promised.len() == 1);
        let mut fits = vec![true; asked];
        fits.extend(self.fits(rejector, &cases[asked..], pod));
        if fits.pop() == Some(true) {
            return MayGo::All;
        }
        let those = promised.iter().zip(fits).filter(|(_, fits)| *fits);
        MayGo::These(those.map(|(pod, _)| pod.key.uid.clone()).collect())
    }

    /// The node that alone can have become fit for a pod by this event, if it happened to a pod there.
    fn node_of_pod<'e>(&self, rejector: &Rejector, event: &'e ClusterEvent) -> Option<(&'e str, NodeId)> {
        let Subject::Pod { before, after } = &event.subject else { return None };
        let name = &*after.as_ref().or(before.as_ref())?.node_name;
        by_node(&rejector.declaration).then_some((name, self.cache.node_id(name)?))
    }

    /// Whether the pod fits in each of these cases, as far as this plugin is asked. A plugin that can't tell loses no pod.
    pub(super) fn fits(&mut self, rejector: &Rejector, cases: &[WhatIf], pod: &Arc<Pod>) -> Vec<bool> {
        let template = self.templates.of(rejector.declaration.pod_facts, pod, self.cycle);
        let verdicts =
            self.ask(rejector.id, pod, template, |plugins, cycle| plugins.filter_what_if(rejector.id, cycle, cases));
        match verdicts {
            Ok(verdicts) if verdicts.nodes.len() == cases.len() => verdicts.nodes.iter().map(|no| *no == 0).collect(),
            _ => vec![true; cases.len()],
        }
    }
}

#[cfg(test)]
#[path = "room_test.rs"]
mod tests;
