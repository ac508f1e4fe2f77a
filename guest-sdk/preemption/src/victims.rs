//! Selects the victims on a node. Pods are kept greedily, so the number of victims is small but not always minimal.
//!
//! First removes all potential victims hypothetically. If the pod fits then, these pods are restored one by
//! one: pods whose eviction violates a PodDisruptionBudget first, then the others, each group in order of
//! importance. A restored pod is kept if the preemptor still fits. Many nodes are examined at the same time: one
//! what-if call has a case for each node.

use berth_guest::post_filter::{Candidate, Rejected, WhatIf};
use berth_guest::types::{Code, Status};
use berth_guest::{node, pod};

use crate::cluster::Cluster;
use crate::resident::Resident;
use crate::rules::Rules;

/// A node under examination.
struct Trial<Account> {
    node: node::Id,
    /// What the plugin itself counts on the node.
    account: Account,
    /// Potential victims that are not examined yet, in the order in which they are restored.
    remaining: std::vec::IntoIter<PotentialVictim>,
    victims: Vec<PotentialVictim>,
}

#[derive(Clone, Copy)]
struct PotentialVictim {
    rank: usize,
    pod: pod::Id,
    /// True if the eviction violates a PodDisruptionBudget.
    violates: bool,
}

/// Examines nodes. Returns a candidate or a rejection for each node.
pub fn on_nodes<R: Rules>(
    nodes: &[node::Id],
    now: i64,
    cluster: &Cluster,
    rules: &R,
    rejected: &mut Rejected<'_>,
) -> Vec<Result<Candidate, Status>> {
    let mut trials: Vec<Result<Trial<R::Account>, Status>> =
        nodes.iter().map(|node| Trial::new(*node, now, cluster, rules)).collect();
    let fits = ask(trials.iter().flatten().map(Trial::without_all), rejected);
    let mut fits = fits.into_iter();
    for result in &mut trials {
        let Ok(trial) = result else { continue };
        let rejection = fits.next().flatten().or_else(|| rules.rejects(&trial.account));
        if let Some(rejection) = rejection {
            *result = Err(rejection);
        }
    }
    loop {
        let mut remaining: Vec<(&mut Trial<R::Account>, PotentialVictim)> = trials
            .iter_mut()
            .flatten()
            .filter_map(|trial| trial.remaining.next().map(|restored| (trial, restored)))
            .collect();
        if remaining.is_empty() {
            break;
        }
        let answers = ask(remaining.iter().map(|(trial, _)| trial.without_all()), rejected);
        for ((trial, restored), rejection) in remaining.iter_mut().zip(answers) {
            rules.restore(&mut trial.account, restored.pod);
            let violates = match rejection {
                Some(_) => restored.violates,
                // As in CapacityScheduling of scheduler-plugins: only a victim that the filters of other plugins require
                // counts as a violation.
                None if rules.must_evict(&trial.account) => false,
                None => continue,
            };
            rules.remove(&mut trial.account, restored.pod);
            trial.victims.push(PotentialVictim { violates, ..*restored });
        }
    }
    trials.into_iter().map(|trial| trial?.finish(cluster)).collect()
}

fn ask(cases: impl Iterator<Item = WhatIf>, rejected: &mut Rejected<'_>) -> Vec<Option<Status>> {
    rejected.ask(&cases.collect::<Vec<_>>())
}

impl<Account> Trial<Account> {
    /// Returns the rejection of the node if it has no potential victims.
    fn new(node: node::Id, now: i64, cluster: &Cluster, rules: &impl Rules<Account = Account>) -> Result<Self, Status> {
        let ids = rules.potential_victims(node);
        let mut pods: Vec<(pod::Id, &Resident)> =
            ids.into_iter().filter_map(|id| Some((id, cluster.pod(id)?))).collect();
        if pods.is_empty() {
            let reasons = vec![rules.no_victims(node)];
            return Err(Status { code: Code::UnschedulableAndUnresolvable, reasons });
        }
        pods.sort_by_key(|(_, pod)| pod.importance(now));
        let violates = cluster.budgets.violated_by(pods.iter().map(|(_, pod)| *pod));
        let potential = pods.iter().zip(violates).enumerate();
        let mut remaining: Vec<PotentialVictim> =
            potential.map(|(rank, ((pod, _), violates))| PotentialVictim { rank, pod: *pod, violates }).collect();
        remaining.sort_by_key(|potential| !potential.violates);
        let mut account = rules.account();
        remaining.iter().for_each(|potential| rules.remove(&mut account, potential.pod));
        Ok(Trial { node, account, remaining: remaining.into_iter(), victims: Vec::new() })
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
