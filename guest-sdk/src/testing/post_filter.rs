//! Post-filters in the test host. A closure of the test answers in place of the profile's other filter plugins.

use super::host::identity;
use super::{Host, PodBuilder};
use crate::bindings::post_filter::berth::scheduler::extenders::Candidate as WitCandidate;
use crate::bindings::post_filter::berth::scheduler::what_if::WhatIfCase;
use crate::plugin::Plugin;
use crate::post_filter::{Candidate, PostFilter, Rejected};
use crate::types::{Code, Status, Verdicts};
use crate::{Outcome, node, pod};

/// A function that answers for the extenders. It gets all candidates, and returns the candidates that the extenders
/// accept, or an error.
pub type Extenders = fn(Vec<Candidate>) -> Result<Vec<Candidate>, String>;

/// The inputs of a post-filter. All nodes of the test host have rejected the pod.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rejections<'a> {
    /// The codes of the rejections, with node names. Nodes that are not listed have the code `Unschedulable`.
    pub codes: &'a [(&'a str, Code)],
    /// The ids of the pods on the rejected pod's nominated node that are being deleted because a scheduler evicted
    /// them.
    pub leaving: &'a [pod::Id],
    /// The answer of the extenders. `None` accepts all candidates.
    pub extenders: Option<Extenders>,
}

impl<P: Plugin> Host<P> {
    /// Runs the post-filter in the cycle of the previous call. `what_if` gets a node's name and the ids of the pods to
    /// remove from the node. It returns why `pod` would then not fit the node; `None` if `pod` would fit.
    pub fn post_filter(
        &mut self,
        pod: &PodBuilder,
        rejections: Rejections<'_>,
        mut what_if: impl FnMut(&str, &[pod::Id]) -> Option<Status>,
    ) -> Outcome<PostFilter> {
        let cycle = self.same_cycle(pod);
        let existing_nodes = self.existing_nodes();
        let code = |name: &str| rejections.codes.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
        let nodes: Vec<u32> = existing_nodes.iter().map(|(id, _)| *id).collect();
        let codes: Vec<Code> =
            existing_nodes.iter().map(|(_, name)| code(name).unwrap_or(Code::Unschedulable)).collect();
        let leaving: Vec<u32> = rejections.leaving.iter().map(|pod| pod.0).collect();
        let mut verdict = |case: &WhatIfCase| {
            let known = existing_nodes.iter().find(|(id, _)| *id == case.node);
            let (_, name) = known.unwrap_or_else(|| {
                panic!("{} asks about node {}, which the test host does not have", P::NAME, case.node)
            });
            let removed: Vec<pod::Id> = case.removed.iter().map(|pod| pod::Id(*pod)).collect();
            what_if(name, &removed)
        };
        let ask = &mut |cases: &[WhatIfCase]| {
            let mut verdicts = Verdicts { outcomes: Vec::new(), nodes: Vec::new() };
            for no in cases.iter().map(&mut verdict) {
                let outcome = no.map_or(0, |no| {
                    verdicts.outcomes.push(no);
                    verdicts.outcomes.len() as u16
                });
                verdicts.nodes.push(outcome);
            }
            verdicts
        };
        let extenders = &mut |candidates: &[WitCandidate]| extended(rejections.extenders, candidates);
        let mut rejected = Rejected { nodes: &nodes, codes: &codes, leaving: &leaving, ask, extenders };
        self.guest.post_filter(&cycle, &identity(pod), &mut rejected)
    }
}

fn extended(extenders: Option<Extenders>, candidates: &[WitCandidate]) -> Result<Vec<WitCandidate>, String> {
    let Some(extenders) = extenders else { return Ok(candidates.to_vec()) };
    let read = |candidate: &WitCandidate| Candidate {
        node: node::Id(candidate.node),
        victims: candidate.victims.iter().map(|pod| pod::Id(*pod)).collect(),
        violations: candidate.violations,
    };
    let as_wit = |candidate: Candidate| WitCandidate {
        node: candidate.node.0,
        victims: candidate.victims.iter().map(|pod| pod.0).collect(),
        violations: candidate.violations,
    };
    Ok(extenders(candidates.iter().map(read).collect())?.into_iter().map(as_wit).collect())
}
