//! Asking a post-filter, with a closure in the place of the plugins that filter.

use super::{Host, PodBuilder};
use crate::bindings::post_filter::berth::scheduler::extenders::Candidate as WitCandidate;
use crate::bindings::post_filter::berth::scheduler::what_if::WhatIfCase;
use crate::plugin::Plugin;
use crate::post_filter::{Candidate, PostFilter, Rejected};
use crate::types::{Code, Status, Verdicts};
use crate::{Outcome, node, pod};

/// What extenders leave of candidates, or why they can't tell.
pub type Extenders = fn(Vec<Candidate>) -> Result<Vec<Candidate>, String>;

/// How a post-filter finds things.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rejections<'a> {
    /// Codes by which nodes were rejected; `Unschedulable` those that aren't here.
    pub codes: &'a [(&'a str, Code)],
    /// Pods that are leaving the node that is set aside for the pod, because a scheduler evicted them.
    pub leaving: &'a [pod::Id],
    /// What the extenders leave of candidates; all of them where this is `None`.
    pub extenders: Option<Extenders>,
}

impl<P: Plugin> Host<P> {
    /// Asks whether room can be made for the pod, in the cycle of the call before. `what_if` says, of a node's name and pods that
    /// would not be there, why the pod does not fit; `None` where it fits.
    pub fn post_filter(
        &mut self,
        pod: &PodBuilder,
        rejections: Rejections<'_>,
        mut what_if: impl FnMut(&str, &[pod::Id]) -> Option<Status>,
    ) -> Outcome<PostFilter> {
        let cycle = self.same_cycle(pod);
        let here = self.here();
        let code = |name: &str| rejections.codes.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
        let nodes: Vec<u32> = here.iter().map(|(id, _)| *id).collect();
        let codes: Vec<Code> = here.iter().map(|(_, name)| code(name).unwrap_or(Code::Unschedulable)).collect();
        let leaving: Vec<u32> = rejections.leaving.iter().map(|pod| pod.0).collect();
        let mut verdict = |case: &WhatIfCase| {
            let known = here.iter().find(|(id, _)| *id == case.node);
            let (_, name) =
                known.unwrap_or_else(|| panic!("{} asks about node {}, which is not here", P::NAME, case.node));
            let gone: Vec<pod::Id> = case.taken_away.iter().map(|pod| pod::Id(*pod)).collect();
            what_if(name, &gone)
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
