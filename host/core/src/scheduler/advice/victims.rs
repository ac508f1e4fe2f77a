//! Pods that await their victims: finds the pods that may be schedulable after an event about a pod on a node, such as
//! its deletion.
//!
//! No other preemption starts for a pod while its victims leave. An event about a pod on a node therefore helps a
//! waiting pod only if the waiting pod fits on that node now, beside the pods of at least its priority that are
//! nominated to that node.

use std::sync::Arc;

use super::{Advice, by_node};
use crate::cache::NodeId;
use crate::cluster_event::{ClusterEvent, Subject};
use crate::model::Pod;
use crate::plugins::WhatIf;
use crate::queue::{HelpedPods, Rejector};

impl Advice<'_> {
    /// Implements [`crate::queue::Advisor::pods_that_fit`].
    pub(super) fn pods_that_fit_on_node(
        &mut self,
        rejector: &Rejector,
        event: &ClusterEvent,
        pod: &Arc<Pod>,
    ) -> HelpedPods {
        let Some((name, node)) = self.node_of_pod(rejector, event) else { return HelpedPods::All };
        let with = |added| WhatIf { node, added, removed: Vec::new() };
        // In most cases the pod does not fit yet, even without nominated pods.
        if !self.fits(rejector, &[with(Vec::new())], pod)[0] {
            return HelpedPods::Only(Vec::new());
        }
        let counts = |other: &&Arc<Pod>| other.spec.priority >= pod.spec.priority;
        let nominated: Vec<Arc<Pod>> = self.nominations.on(name).filter(counts).cloned().collect();
        if nominated.is_empty() {
            return HelpedPods::All;
        }
        // A nominated pod does not compete with itself.
        let others = |but: &Arc<Pod>| nominated.iter().filter(|other| other.key != but.key).cloned().collect();
        let mut cases: Vec<WhatIf> = nominated.iter().map(|but| with(others(but))).collect();
        cases.push(with(nominated.clone()));
        // With only one nominated pod, the first case has no added pods. The call above has asked this case.
        let asked = usize::from(nominated.len() == 1);
        let mut fits = vec![true; asked];
        fits.extend(self.fits(rejector, &cases[asked..], pod));
        if fits.pop() == Some(true) {
            return HelpedPods::All;
        }
        let those = nominated.iter().zip(fits).filter(|(_, fits)| *fits);
        HelpedPods::Only(those.map(|(pod, _)| pod.key.uid.clone()).collect())
    }

    /// Returns the only node that may have become feasible by this event, if the event is about a pod on a node and
    /// the plugin's verdicts depend on one node alone.
    fn node_of_pod<'e>(&self, rejector: &Rejector, event: &'e ClusterEvent) -> Option<(&'e str, NodeId)> {
        let Subject::Pod { before, after } = &event.subject else { return None };
        let name = &*after.as_ref().or(before.as_ref())?.node_name;
        by_node(&rejector.declaration).then_some((name, self.cache.node_id(name)?))
    }

    /// Returns for each case whether the plugin's filter passes the pod. A failed call counts as a pass, so that the
    /// pod is not lost.
    pub(super) fn fits(&mut self, rejector: &Rejector, cases: &[WhatIf], pod: &Arc<Pod>) -> Vec<bool> {
        let signature = self.results.pod_signatures.of(&rejector.declaration.pod, pod, self.cycle);
        let verdicts = self.ask(&rejector.declaration, pod, signature, |plugins, cycle| {
            plugins.filter_what_if(rejector.id, cycle, cases)
        });
        match verdicts {
            Ok(verdicts) if verdicts.nodes.len() == cases.len() => verdicts.nodes.iter().map(|no| *no == 0).collect(),
            _ => vec![true; cases.len()],
        }
    }
}

#[cfg(test)]
#[path = "victims_test.rs"]
mod tests;
