//! The nodes to choose from, and the choice.

use std::cmp::Reverse;

use berth_guest::node;
use berth_guest::post_filter::{Candidate, Rejected};
use berth_guest::types::{Code, Status};

use crate::cluster::{Cluster, Resident};
use crate::victims;

/// Nodes that are tried at the same time, at most.
const AT_ONCE: usize = 1024;

/// What was found out about the nodes that were tried.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Where no budget breaks, then the others.
    found: [Vec<Candidate>; 2],
    /// Why others are none.
    pub not: Vec<Status>,
}

impl Candidates {
    /// Tries the nodes of which pods taken away might help, from the one at `offset` on, until `enough` gives as many candidates as
    /// are enough, one of which breaks no budget.
    pub fn find(
        rejected: &mut Rejected<'_>,
        cluster: &Cluster,
        priority: i32,
        now: i64,
        offset: u64,
        enough: impl FnOnce(usize) -> usize,
    ) -> Candidates {
        let helpful = rejected.iter().filter(|(_, code)| *code == Code::Unschedulable);
        let mut nodes: Vec<node::Id> = helpful.map(|(node, _)| node).collect();
        let mut candidates = Candidates::default();
        if nodes.is_empty() {
            return candidates;
        }
        let enough = enough(nodes.len());
        // Less than the length, which is of this type.
        let first = (offset % nodes.len() as u64) as usize;
        nodes.rotate_left(first);
        for nodes in nodes.chunks(enough.clamp(1, AT_ONCE)) {
            for tried in victims::on_nodes(nodes, priority, now, cluster, rejected) {
                if candidates.add(tried, enough) {
                    return candidates;
                }
            }
        }
        candidates
    }

    /// Whether it is enough now.
    fn add(&mut self, tried: Result<Candidate, Status>, enough: usize) -> bool {
        let candidate = match tried {
            Err(no) => {
                self.not.push(no);
                return false;
            }
            Ok(candidate) => candidate,
        };
        let list = &mut self.found[usize::from(candidate.violations > 0)];
        if list.len() < enough {
            list.push(candidate);
        }
        let [clean, violating] = self.found.each_ref().map(Vec::len);
        clean > 0 && clean + violating >= enough
    }

    /// Leaves those that the extenders leave. An error is for the pod's message.
    pub fn ask_extenders(&mut self, rejected: &mut Rejected<'_>) -> Result<(), String> {
        let found: Vec<Candidate> = std::mem::take(&mut self.found).into_iter().flatten().collect();
        self.found[0] = rejected.ask_extenders(&found)?;
        Ok(())
    }

    /// Whether there is one.
    pub fn any(&self) -> bool {
        self.found.iter().any(|found| !found.is_empty())
    }

    /// The best, as kube-scheduler's `pickOneNodeForPreemption` has it: the fewest broken budgets, the lowest priority of the most
    /// important victim, the lowest sum of priorities, the fewest victims, and of the most important victims the latest start.
    pub fn best(self, cluster: &Cluster, now: i64) -> Option<Candidate> {
        let order = |candidate: &Candidate| {
            let victims = || candidate.victims.iter().filter_map(|pod| cluster.pod(*pod));
            let highest = victims().map(|pod| pod.priority).max();
            let important = victims().filter(|pod| Some(pod.priority) == highest);
            let earliest = important.map(|pod| pod.started(now)).min();
            let sum: i64 = victims().map(counted).sum();
            (candidate.violations, highest, sum, candidate.victims.len(), Reverse(earliest))
        };
        self.found.into_iter().flatten().min_by_key(order)
    }
}

/// A priority, raised so far that none is negative: more victims of the same priority are always worse.
fn counted(pod: &Resident) -> i64 {
    i64::from(pod.priority) - i64::from(i32::MIN)
}
