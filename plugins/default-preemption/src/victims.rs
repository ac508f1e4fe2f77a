//! Selects the victims on a node. Pods are kept greedily, so the number of victims is small but not always minimal.
//!
//! First removes all pods with lower priority hypothetically. If the pod fits then, these pods are restored one by
//! one: pods whose eviction violates a PodDisruptionBudget first, then the others, each group in order of
//! importance. A restored pod is kept if the incoming pod still fits. Many nodes are examined at the same time: one
//! what-if call has a case for each node.

use std::cmp::Reverse;

use berth_guest::post_filter::{Candidate, Rejected, WhatIf};
use berth_guest::types::{Code, Status};
use berth_guest::{node, pod};

use crate::cluster::Cluster;
use crate::resident::Resident;

/// A node under examination.
struct Trial {
    node: node::Id,
    /// Potential victims that are not examined yet, in the order in which they are restored.
    remaining: std::vec::IntoIter<PotentialVictim>,
    victims: Vec<PotentialVictim>,
}

#[derive(Clone, Copy)]
struct PotentialVictim {
    rank: usize,
    pod: pod::Id,
    violates: bool,
}

/// Examines nodes for a pod of this priority. Returns a candidate or a rejection for each node.
pub fn on_nodes(
    nodes: &[node::Id],
    priority: i32,
    now: i64,
    cluster: &Cluster,
    rejected: &mut Rejected<'_>,
) -> Vec<Result<Candidate, Status>> {
    let mut trials: Vec<Result<Trial, Status>> =
        nodes.iter().map(|node| Trial::new(*node, priority, now, cluster).ok_or_else(no_victims)).collect();
    let fits = ask(trials.iter().flatten().map(Trial::without_all), rejected);
    let mut fits = fits.into_iter();
    for trial in &mut trials {
        if trial.is_ok()
            && let Some(Some(rejection)) = fits.next()
        {
            *trial = Err(rejection);
        }
    }
    loop {
        let mut remaining: Vec<(&mut Trial, PotentialVictim)> = trials
            .iter_mut()
            .flatten()
            .filter_map(|trial| trial.remaining.next().map(|restored| (trial, restored)))
            .collect();
        if remaining.is_empty() {
            break;
        }
        let answers = ask(remaining.iter().map(|(trial, _)| trial.without_all()), rejected);
        for ((trial, restored), rejection) in remaining.iter_mut().zip(answers) {
            if rejection.is_some() {
                trial.victims.push(*restored);
            }
        }
    }
    trials.into_iter().map(|trial| trial?.finish(cluster)).collect()
}

fn ask(cases: impl Iterator<Item = WhatIf>, rejected: &mut Rejected<'_>) -> Vec<Option<Status>> {
    rejected.ask(&cases.collect::<Vec<_>>())
}

fn no_victims() -> Status {
    Status {
        code: Code::UnschedulableAndUnresolvable,
        reasons: vec!["No preemption victims found for incoming pod".to_owned()],
    }
}

impl Trial {
    /// Returns `None` if the node has no pods with lower priority.
    fn new(node: node::Id, priority: i32, now: i64, cluster: &Cluster) -> Option<Trial> {
        let mut lower: Vec<(pod::Id, &Resident)> =
            cluster.pods_on(node).filter(|(_, pod)| pod.priority < priority).collect();
        lower.sort_by_key(|(_, pod)| (Reverse(pod.priority), pod.started(now)));
        let violates = cluster.budgets.violated_by(lower.iter().map(|(_, pod)| *pod));
        let potential = lower.iter().zip(violates).enumerate();
        let mut remaining: Vec<PotentialVictim> =
            potential.map(|(rank, ((pod, _), violates))| PotentialVictim { rank, pod: *pod, violates }).collect();
        remaining.sort_by_key(|potential| !potential.violates);
        (!remaining.is_empty()).then(|| Trial { node, remaining: remaining.into_iter(), victims: Vec::new() })
    }

    /// Returns the what-if case: the node without the victims and without the pods that are not examined yet.
    fn without_all(&self) -> WhatIf {
        let removed = self.victims.iter().chain(self.remaining.as_slice());
        WhatIf { node: self.node, removed: removed.map(|potential| potential.pod).collect() }
    }

    fn finish(mut self, cluster: &Cluster) -> Result<Candidate, Status> {
        if self.victims.is_empty() {
            let reason = format!("expected at least one victim pod on node {:?}", cluster.name(self.node));
            return Err(Status { code: Code::Error, reasons: vec![reason] });
        }
        self.victims.sort_by_key(|victim| victim.rank);
        Ok(Candidate {
            node: self.node,
            violations: self.victims.iter().filter(|victim| victim.violates).count() as i64,
            victims: self.victims.into_iter().map(|victim| victim.pod).collect(),
        })
    }
}
