//! Finds candidate nodes for preemption and chooses the best one.

use std::cmp::Reverse;

use berth_guest::node;
use berth_guest::post_filter::{Candidate, Rejected};
use berth_guest::types::{Code, Status};

use crate::cluster::Cluster;
use crate::resident::Resident;
use crate::rules::Rules;
use crate::victims;

/// The maximum number of nodes that one what-if call examines.
const NODES_PER_CALL: usize = 1024;

/// The results for the examined nodes.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Candidates without PodDisruptionBudget violations, then candidates with violations.
    found: [Vec<Candidate>; 2],
    /// Rejections of the other examined nodes.
    pub rejections: Vec<Status>,
}

impl Candidates {
    /// Examines the nodes on which preemption may help, starting at index [`Rules::offset`]. Stops when there are enough
    /// candidates and at least one candidate violates no budget. `now` is in milliseconds since 1970.
    pub fn find(rejected: &mut Rejected<'_>, cluster: &Cluster, rules: &impl Rules, now: i64) -> Candidates {
        let helpful = rejected.iter().filter(|(_, code)| *code == Code::Unschedulable);
        let mut nodes: Vec<node::Id> = helpful.map(|(node, _)| node).collect();
        let mut candidates = Candidates::default();
        if nodes.is_empty() {
            return candidates;
        }
        let enough = rules.enough(nodes.len());
        // The remainder is less than `nodes.len()`, so it fits into usize.
        let first = (rules.offset() % nodes.len() as u64) as usize;
        nodes.rotate_left(first);
        for nodes in nodes.chunks(enough.clamp(1, NODES_PER_CALL)) {
            for result in victims::on_nodes(nodes, now, cluster, rules, rejected) {
                if candidates.add(result, enough) {
                    return candidates;
                }
            }
        }
        candidates
    }

    /// Adds the result for a node. Returns true if the search has enough candidates.
    fn add(&mut self, result: Result<Candidate, Status>, enough: usize) -> bool {
        let candidate = match result {
            Err(rejection) => {
                self.rejections.push(rejection);
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

    /// Keeps only the candidates that the extenders accept.
    pub fn ask_extenders(&mut self, rejected: &mut Rejected<'_>) -> Result<(), String> {
        let found: Vec<Candidate> = std::mem::take(&mut self.found).into_iter().flatten().collect();
        self.found[0] = rejected.ask_extenders(&found)?;
        Ok(())
    }

    /// Returns true if there is a candidate.
    pub fn any(&self) -> bool {
        self.found.iter().any(|found| !found.is_empty())
    }

    /// Returns the best candidate, by the criteria of kube-scheduler's `pickOneNodeForPreemption`: the fewest budget
    /// violations, the lowest priority of the most important victim, the lowest sum of priorities, the fewest
    /// victims, and finally the latest value of the earliest start time among the most important victims.
    pub fn best(self, cluster: &Cluster, now: i64) -> Option<Candidate> {
        let order = |candidate: &Candidate| {
            let victims = || candidate.victims.iter().filter_map(|pod| cluster.pod(*pod));
            let highest = victims().map(|pod| pod.priority).max();
            let important = victims().filter(|pod| Some(pod.priority) == highest);
            let earliest = important.map(|pod| pod.started(now)).min();
            let sum: i64 = victims().map(shifted_priority).sum();
            (candidate.violations, highest, sum, candidate.victims.len(), Reverse(earliest))
        };
        self.found.into_iter().flatten().min_by_key(order)
    }
}

/// Returns the pod's priority, shifted so that it is never negative. Each additional victim then increases the sum.
fn shifted_priority(pod: &Resident) -> i64 {
    i64::from(pod.priority) - i64::from(i32::MIN)
}
