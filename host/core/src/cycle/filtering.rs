//! Finds the nodes that the pod fits on.

use std::collections::BTreeSet;

use super::diagnosis::Diagnosis;
use super::feasible::{Candidates, Feasible, Nodes};
use super::sampling::Sample;
use super::what_if::CaseRejected;
use super::{Failure, PluginAnswer, SchedulingCycle};
use crate::cache::NodeId;
use crate::decision::RowKind;
use crate::plugins::{Code, ExtensionPoints, PluginError, PreFilterResult, Status, Verdicts};
use crate::profile::ProfilePlugin;

impl<'a> SchedulingCycle<'a> {
    /// Returns at least one feasible node, or the reasons why no node fits.
    pub(super) fn feasible_nodes(&mut self) -> Result<Feasible<'a>, Failure> {
        let mut diagnosis = Diagnosis::new(self.cache.node_count()).recording(self.recording.is_some());
        let candidates = self.at(ExtensionPoints::PRE_FILTER, |cycle| cycle.candidates(&mut diagnosis))?;
        if let Some(node) = self.nominated_node(&candidates) {
            self.record_nominated();
            let nodes = Nodes::Found(vec![node]);
            return Ok(Feasible { nodes, filters: candidates.filters, skipped: Vec::new() });
        }
        let mut nodes = self.at(ExtensionPoints::FILTER, |cycle| cycle.passing(&candidates, &mut diagnosis))?;
        if self.concerns_extenders() {
            let passed = self.listed(&nodes)?.to_vec();
            nodes = Nodes::Found(self.left_by_extenders(passed, &mut diagnosis)?);
        }
        if nodes.len() == 0 {
            return Err(no_node(&mut diagnosis));
        }
        if let Some(recording) = self.recording.as_mut().filter(|_| !diagnosis.rejected_nodes.is_empty()) {
            recording.found().rejected = std::mem::take(&mut diagnosis.rejected_nodes);
        }
        Ok(Feasible { nodes, filters: candidates.filters, skipped: Vec::new() })
    }

    /// Returns the nodes that pass the filters, possibly none.
    fn passing(&mut self, candidates: &Candidates<'a>, diagnosis: &mut Diagnosis) -> Result<Nodes<'a>, Failure> {
        match self.indexed(candidates)? {
            Some(nodes) if nodes.len() > 0 => Ok(nodes),
            // If no node passes, the filters are asked for the reasons.
            _ => Ok(Nodes::Found(self.sampled(candidates, diagnosis)?)),
        }
    }

    /// Returns the pod's nominated node if the pod fits there. Then no other node is looked at. A failure of a plugin
    /// or extender is dropped here, because the filters then run for all nodes and report the failure.
    fn nominated_node(&mut self, candidates: &Candidates<'_>) -> Option<NodeId> {
        let node = self.cache.node_id(self.nominations.node_of(&self.pod.key.uid)?)?;
        let mut aside = Diagnosis::new(1);
        let fits = self
            .at(ExtensionPoints::FILTER, |cycle| Ok(cycle.filtered(&candidates.filters, vec![node], &mut aside)?));
        self.left_by_extenders(fits.ok()?, &mut aside).ok()?.first().copied()
    }

    /// Returns the nodes that no filter rejects, possibly none. Stops when enough nodes are found, if the profile sets
    /// `percentageOfNodesToScore`.
    fn sampled(&mut self, candidates: &Candidates<'_>, diagnosis: &mut Diagnosis) -> Result<Vec<NodeId>, PluginError> {
        let every = || self.cache.nodes().map(|info| info.id).collect();
        let mut nodes: Vec<NodeId> = candidates.narrowed.clone().unwrap_or_else(every);
        let Some(sample) = Sample::of(nodes.len(), self.profile.percentage_of_nodes_to_score, self.next_start) else {
            return self.filtered(&candidates.filters, nodes, diagnosis);
        };
        nodes.rotate_left(sample.start);
        let mut feasible: Vec<NodeId> = Vec::new();
        let mut looked_at = 0;
        while feasible.len() < sample.enough && looked_at < nodes.len() {
            let end = nodes.len().min(looked_at + sample.enough - feasible.len());
            feasible.extend(self.filtered(&candidates.filters, nodes[looked_at..end].to_vec(), diagnosis)?);
            looked_at = end;
        }
        diagnosis.rejected_nodes.add_not_looked_at(nodes.len() - looked_at);
        self.next_start = (self.next_start + looked_at) % self.cache.node_count();
        Ok(feasible)
    }

    /// Returns whether at least one node passes all of these filters.
    pub fn pass_somewhere(&mut self, filters: &[&ProfilePlugin]) -> Result<bool, PluginError> {
        let every = self.cache.nodes().map(|info| info.id).collect();
        let mut aside = Diagnosis::new(self.cache.node_count());
        Ok(!self.filtered(filters, every, &mut aside)?.is_empty())
    }

    pub(super) fn filtered(
        &mut self,
        filters: &[&ProfilePlugin],
        mut nodes: Vec<NodeId>,
        diagnosis: &mut Diagnosis,
    ) -> Result<Vec<NodeId>, PluginError> {
        self.yield_to_nominated(filters, &mut nodes, diagnosis)?;
        for plugin in filters {
            if nodes.is_empty() {
                break;
            }
            let verdicts = self.filter(plugin, &nodes)?;
            self.observe(plugin, PluginAnswer::Verdicts(&nodes, &verdicts));
            for (status, rejected) in take_rejected(&mut nodes, &verdicts) {
                self.reject(plugin, status, &rejected, diagnosis)?;
            }
        }
        Ok(nodes)
    }

    /// Removes the nodes on which the pod would not fit beside the pods that are nominated to them. The other nodes are
    /// filtered without the nominated pods as well, because the nominated pods may go elsewhere.
    fn yield_to_nominated(
        &mut self,
        filters: &[&ProfilePlugin],
        nodes: &mut Vec<NodeId>,
        diagnosis: &mut Diagnosis,
    ) -> Result<(), PluginError> {
        let cases = self.with_nominated(nodes);
        let mut out: BTreeSet<NodeId> = BTreeSet::new();
        for (case, rejected) in cases.iter().zip(self.what_if(filters, &cases)?) {
            let Some(CaseRejected { plugin, status }) = rejected else { continue };
            self.observe(plugin, PluginAnswer::RejectedWithNominated(case.node, &status));
            self.reject(plugin, &status, &[case.node], diagnosis)?;
            out.insert(case.node);
        }
        if !out.is_empty() {
            nodes.retain(|node| !out.contains(node));
        }
        Ok(())
    }

    /// Adds the rejection of these nodes by a filter to the diagnosis. A rejection with the code `Error` is an error.
    fn reject(
        &mut self,
        plugin: &ProfilePlugin,
        status: &Status,
        nodes: &[NodeId],
        diagnosis: &mut Diagnosis,
    ) -> Result<(), PluginError> {
        plugin.check_not_error(status)?;
        diagnosis.add_plugin(plugin, status.code, self.signature_for(plugin));
        diagnosis.add(RowKind::Rejected, &plugin.declaration.name, status, nodes);
        Ok(())
    }

    fn candidates(&mut self, diagnosis: &mut Diagnosis) -> Result<Candidates<'a>, Failure> {
        let mut narrowed: Option<BTreeSet<Box<str>>> = None;
        let mut narrowing: BTreeSet<&str> = BTreeSet::new();
        let mut rejected: Option<(&ProfilePlugin, Status)> = None;
        for plugin in &self.profile.pre_filter {
            let result = self.pre_filter(plugin)?;
            self.observe(plugin, PluginAnswer::PreFilter(&result));
            match result {
                PreFilterResult::All => {}
                PreFilterResult::Skip => diagnosis.skipped.push(plugin.id),
                PreFilterResult::Reject(status) => {
                    plugin.check_not_error(&status)?;
                    let final_word = status.code == Code::UnschedulableAndUnresolvable;
                    rejected = Some((plugin, status));
                    if final_word {
                        break;
                    }
                }
                PreFilterResult::Narrow(names) => {
                    narrowing.insert(&plugin.declaration.name);
                    diagnosis.add_plugin(plugin, Code::UnschedulableAndUnresolvable, self.signature_for(plugin));
                    let names: BTreeSet<Box<str>> = names.into_iter().collect();
                    let left = narrowed.map_or(names.clone(), |before| before.intersection(&names).cloned().collect());
                    if left.is_empty() {
                        let status = none_satisfies(&narrowing);
                        diagnosis.reject_all(RowKind::ExcludedByPreFilter, &joined(&narrowing, ",").into(), &status);
                        return Err(no_node(diagnosis));
                    }
                    narrowed = Some(left);
                }
            }
        }
        if let Some((plugin, status)) = rejected {
            diagnosis.add_plugin(plugin, status.code, self.signature_for(plugin));
            diagnosis.reject_all(RowKind::Rejected, &plugin.declaration.name, &status);
            return Err(no_node(diagnosis));
        }
        let narrowed = narrowed.map(|names| {
            let nodes: Vec<NodeId> = names.iter().filter_map(|name| self.cache.node_id(name)).collect();
            let others = self.cache.nodes().map(|info| info.id).filter(|id| !nodes.contains(id));
            let others: Vec<NodeId> = others.collect();
            diagnosis.add(
                RowKind::ExcludedByPreFilter,
                &joined(&narrowing, ",").into(),
                &left_out(&narrowing),
                &others,
            );
            nodes
        });
        let filters = self.profile.filter.iter().filter(|plugin| !diagnosis.skipped.contains(&plugin.id)).collect();
        Ok(Candidates { narrowed, filters })
    }
}

/// Removes the rejected nodes. Returns them by outcome, each outcome with at least one node.
pub(super) fn take_rejected<'v>(
    nodes: &mut Vec<NodeId>,
    verdicts: &'v Verdicts,
) -> impl Iterator<Item = (&'v Status, Vec<NodeId>)> {
    let mut rejected: Vec<Vec<NodeId>> = vec![Vec::new(); verdicts.outcomes.len()];
    if !rejected.is_empty() {
        let mut answers = verdicts.nodes.iter();
        nodes.retain(|node| match answers.next() {
            Some(0) | None => true,
            Some(answer) => {
                rejected[usize::from(*answer) - 1].push(*node);
                false
            }
        });
    }
    verdicts.outcomes.iter().zip(rejected).filter(|(_, nodes)| !nodes.is_empty())
}

impl ProfilePlugin {
    /// Returns an error for a status with the code `Error`.
    pub(super) fn check_not_error(&self, status: &Status) -> Result<(), PluginError> {
        match status.code {
            Code::Error => Err(self.failed(status.reasons.join(", "))),
            _ => Ok(()),
        }
    }
}

fn no_node(diagnosis: &mut Diagnosis) -> Failure {
    Failure::Unschedulable(std::mem::take(diagnosis), Box::default())
}

fn none_satisfies(plugins: &BTreeSet<&str>) -> Status {
    unresolvable(match plugins.first() {
        Some(only) if plugins.len() == 1 => format!("node(s) didn't satisfy plugin {only}"),
        _ => format!("node(s) didn't satisfy plugin(s) [{}] simultaneously", joined(plugins, " ")),
    })
}

fn left_out(plugins: &BTreeSet<&str>) -> Status {
    unresolvable(format!("node(s) didn't satisfy plugin(s) [{}]", joined(plugins, " ")))
}

fn unresolvable(reason: String) -> Status {
    Status { code: Code::UnschedulableAndUnresolvable, reasons: vec![reason.into()] }
}

fn joined(plugins: &BTreeSet<&str>, separator: &str) -> String {
    plugins.iter().copied().collect::<Vec<_>>().join(separator)
}
