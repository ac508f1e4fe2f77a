//! Post-filters in the host for tests. A closure stands in for the profile's filters.

use super::{Host, PodBuilder};
use crate::bindings::post_filter::berth::scheduler::extenders::Candidate as WitCandidate;
use crate::bindings::post_filter::berth::scheduler::what_if::WhatIfCase;
use crate::plugin::Plugin;
use crate::post_filter::{Candidate, PostFilter, Rejected};
use crate::types::{Code, Status, Verdicts};
use crate::{Outcome, node, pod};

/// A function that answers for the extenders: from all candidates, it returns the accepted candidates or an error.
pub type Extenders = fn(Vec<Candidate>) -> Result<Vec<Candidate>, String>;

/// The inputs of a post-filter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rejections<'a> {
    /// The codes of rejected nodes. Nodes that are not listed have `Unschedulable`.
    pub codes: &'a [(&'a str, Code)],
    /// The pods on the nominated node of the rejected pod that are being deleted because a scheduler evicted them.
    pub leaving: &'a [pod::Id],
    /// The answer of the extenders. `None` accepts all candidates.
    pub extenders: Option<Extenders>,
}

impl<P: Plugin> Host<P> {
    /// Runs the post-filter in the cycle of the previous call. `what_if` gets a node's name and the pods that are
    /// left out, and returns why the pod does not fit; `None` if it fits.
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
            let removed: Vec<pod::Id> = case.taken_away.iter().map(|pod| pod::Id(*pod)).collect();
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
        self.guest.post_filter(&cycle, &mut rejected)
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
