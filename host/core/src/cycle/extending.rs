//! Asks the extenders in a cycle, after the plugins.

use std::sync::Arc;

use hashbrown::HashMap;

use super::diagnosis::Diagnosis;
use super::{Failure, SchedulingCycle};
use crate::cache::{Cache, NodeId, PodId};
use crate::decision::RowKind;
use crate::extenders::{Extenders, Filtered, SCORE_SCALE, Victims};
use crate::model::{Pod, PodKey};
use crate::plugins::{Candidate, Code, Status};

impl SchedulingCycle<'_> {
    /// Returns whether any extender is interested in the pod.
    pub(super) fn concerns_extenders(&self) -> bool {
        self.extenders.list().iter().any(|extender| extender.is_interested_in(self.pod))
    }

    /// Returns the nodes that the extenders leave of the nodes that passed the plugins' filters, possibly none.
    pub(super) fn left_by_extenders(
        &mut self,
        mut nodes: Vec<NodeId>,
        diagnosis: &mut Diagnosis,
    ) -> Result<Vec<NodeId>, Failure> {
        let found = nodes.len();
        for at in 0..self.extenders.list().len() {
            let extender = &self.extenders.list()[at];
            let ignorable = extender.ignorable;
            if nodes.is_empty() || !extender.filters || !extender.is_interested_in(self.pod) {
                continue;
            }
            let names: Vec<&str> = nodes.iter().map(|node| self.cache.node_name(*node)).collect();
            match self.extenders.filter(at, self.pod, &names) {
                Ok(filtered) => nodes = self.keep_left(&filtered, nodes, diagnosis),
                Err(error) if ignorable => self.extenders.ignored(at, self.pod, &error),
                Err(error) => return Err(Failure::Extender(error)),
            }
        }
        if nodes.len() != found {
            diagnosis.add_extenders();
        }
        Ok(nodes)
    }

    fn keep_left(&self, filtered: &Filtered, mut nodes: Vec<NodeId>, diagnosis: &mut Diagnosis) -> Vec<NodeId> {
        let Filtered { nodes: left, failed, unresolvable } = filtered;
        let mut left: Vec<NodeId> = left.iter().filter_map(|name| self.cache.node_id(name)).collect();
        left.sort_unstable();
        nodes.retain(|node| {
            let is_left = left.binary_search(node).is_ok();
            if !is_left {
                let name = self.cache.node_name(*node);
                let why = unresolvable.get(name).map(|why| (Code::UnschedulableAndUnresolvable, why));
                let why = why.or_else(|| Some((Code::Unschedulable, failed.get(name)?)));
                let code = why.map_or(Code::Unschedulable, |(code, _)| code);
                let status = Status { code, reasons: why.map(|(_, why)| why.clone()).into_iter().collect() };
                diagnosis.rejected_nodes.add(RowKind::RejectedByExtender, &Arc::default(), &status, &[*node]);
            }
            is_left
        });
        let failed = failed.iter().filter(|(name, _)| !unresolvable.contains_key(*name));
        let unresolvable = unresolvable.iter().map(|no| (no, Code::UnschedulableAndUnresolvable));
        for ((name, why), code) in unresolvable.chain(failed.map(|no| (no, Code::Unschedulable))) {
            let status = Status { code, reasons: vec![why.clone()] };
            diagnosis.add_from_extender(&status, self.cache.node_id(name));
        }
        nodes
    }

    /// Adds the extenders' scores to the plugins' totals. Both slices have the same length. An extender that fails
    /// adds nothing.
    pub(super) fn add_extenders_scores(&mut self, nodes: &[NodeId], totals: &mut [i64]) {
        let weights: Vec<(usize, i64)> = self.prioritizers();
        if weights.is_empty() {
            return;
        }
        let places: Vec<usize> = weights.iter().map(|(at, _)| *at).collect();
        let names: Vec<&str> = nodes.iter().map(|node| self.cache.node_name(*node)).collect();
        let of_node: HashMap<&str, usize> = names.iter().enumerate().map(|(n, name)| (*name, n)).collect();
        let answers = self.extenders.prioritize(&places, self.pod, &names);
        for ((at, weight), answer) in weights.into_iter().zip(answers) {
            match answer {
                Ok(scores) => {
                    for (name, score) in scores {
                        let Some(node) = of_node.get(&*name) else { continue };
                        let score = score.saturating_mul(weight).saturating_mul(SCORE_SCALE);
                        totals[*node] = totals[*node].saturating_add(score);
                    }
                }
                Err(error) => self.extenders.ignored(at, self.pod, &error),
            }
        }
    }

    /// Returns the indexes of the extenders that score this pod, with their weights.
    fn prioritizers(&self) -> Vec<(usize, i64)> {
        let interested = self.extenders.list().iter().enumerate();
        let interested = interested.filter(|(_, extender)| extender.is_interested_in(self.pod));
        interested.filter_map(|(at, extender)| Some((at, extender.weight?))).collect()
    }
}

/// Returns the candidates of a post-filter that remain after the extenders that take part in preemption.
pub(super) fn candidates_left(
    extenders: &mut dyn Extenders,
    pod: &Pod,
    cache: &Cache,
    mut candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>, String> {
    for at in 0..extenders.list().len() {
        let extender = &extenders.list()[at];
        let ignorable = extender.ignorable;
        if candidates.is_empty() || !extender.preempts || !extender.is_interested_in(pod) {
            continue;
        }
        let asked: Vec<Victims<PodKey>> = candidates.iter().map(|candidate| victims(cache, candidate)).collect();
        let answer = extenders.process_preemption(at, pod, &asked);
        let name = &*extenders.list()[at].name;
        let answer = answer.and_then(|left| left.into_iter().map(|left| candidate(cache, name, &left)).collect());
        match answer.and_then(|left: Vec<Candidate>| with_victims(cache, left, ignorable)) {
            Ok(left) => candidates = left,
            Err(error) if ignorable => extenders.ignored(at, pod, &error),
            Err(error) => return Err(error),
        }
    }
    Ok(candidates)
}

/// Drops candidates without victims. If the extender is not ignorable, such a candidate is an error.
fn with_victims(cache: &Cache, mut left: Vec<Candidate>, ignorable: bool) -> Result<Vec<Candidate>, String> {
    match left.iter().find(|candidate| candidate.victims.is_empty()) {
        Some(none) if !ignorable => {
            Err(format!("expected at least one victim pod on node {:?}", cache.node_name(none.node)))
        }
        _ => {
            left.retain(|candidate| !candidate.victims.is_empty());
            Ok(left)
        }
    }
}

fn victims(cache: &Cache, candidate: &Candidate) -> Victims<PodKey> {
    let key = |pod: &PodId| cache.pod(*pod).map(|known| known.pod.key.clone());
    Victims {
        node: cache.node_name(candidate.node).into(),
        pods: candidate.victims.iter().filter_map(key).collect(),
        violations: candidate.violations,
    }
}

fn candidate(cache: &Cache, extender: &str, left: &Victims<Box<str>>) -> Result<Candidate, String> {
    let unknown = || format!("nodeinfo not found for node name {:?}", left.node);
    let info = cache.node_id(&left.node).and_then(|id| cache.node(id)).ok_or_else(unknown)?;
    let on_node = |uid: &str| {
        let is_it = |id: &&PodId| cache.pod(**id).is_some_and(|known| *known.pod.key.uid == *uid);
        info.pods.iter().find(is_it).copied().ok_or_else(|| {
            let node = &left.node;
            format!(
                "extender: {extender} claims to preempt pod (UID: {uid}) on node: {node}, but the pod is not found on that node"
            )
        })
    };
    let victims = left.pods.iter().map(|uid| on_node(uid)).collect::<Result<_, _>>()?;
    Ok(Candidate { node: info.id, victims, violations: left.violations })
}
