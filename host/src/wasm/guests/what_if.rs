//! Filtering with a node's pods changed: what only seems so is told to the guest, asked about, and taken back.

use berth_core::cache::{Cache, NodeId};
use berth_core::plugins::{Code, Cycle, ExtensionPoints, PreFilterResult, Scope, Status, Verdicts, WhatIf};
use bumpalo::Bump;

use super::resident::Resident;
use crate::wasm::bindings::exports::berth::scheduler::snapshot::Change;
use crate::wasm::feed::Overlay;
use crate::wasm::guest::CallError;

/// Cases that are told at once.
const WAVE: usize = 128;

impl Resident {
    /// Whether the pod fits, in each of the cases. Afterwards the guest knows what it knew before.
    pub fn filter_what_if(&mut self, cycle: &Cycle<'_>, cases: &[WhatIf]) -> Result<Verdicts, CallError> {
        if self.declaration().points.contains(ExtensionPoints::FILTER_WHAT_IF) {
            return self.asked_itself(cycle, cases);
        }
        let mut verdicts = Verdicts::default();
        if self.declaration().filter_scope == Scope::Node {
            for wave in waves(cases) {
                self.seeming(cycle.cache, wave, |resident| {
                    let nodes: Vec<NodeId> = wave.iter().map(|case| case.node).collect();
                    join(&mut verdicts, resident.instance().filter(cycle, &nodes)?);
                    Ok(())
                })?;
            }
            return Ok(verdicts);
        }
        // What one case changes may be seen from every node, and in what pre-filter worked out.
        for case in cases {
            self.seeming(cycle.cache, std::slice::from_ref(case), |resident| {
                join(&mut verdicts, resident.filtered_anew(cycle, case.node)?);
                Ok(())
            })?;
        }
        self.instance().pre_filter(cycle)?;
        Ok(verdicts)
    }

    /// Tells the guest of these cases, runs `ask`, and takes them back, whatever came of it.
    fn seeming(
        &mut self,
        cache: &Cache,
        cases: &[WhatIf],
        ask: impl FnOnce(&mut Self) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let (arena, reads) = (Bump::new(), self.reads());
        let overlays = overlays(cache, cases);
        let pushed: Vec<_> = overlays.iter().flat_map(|overlay| overlay.push(&arena, reads)).collect();
        self.tell_any(&pushed)?;
        let asked = ask(self);
        // After a trap nothing is there to be taken back from.
        if asked.as_ref().is_err_and(CallError::poisons) {
            return asked;
        }
        let popped: Vec<_> = overlays.iter().flat_map(|overlay| overlay.pop(&arena, cache, reads)).collect();
        self.tell_any(&popped)?;
        asked
    }

    /// A case may be the node as it is.
    fn tell_any(&mut self, changes: &[Change<'_>]) -> Result<(), CallError> {
        if changes.is_empty() { Ok(()) } else { self.instance().apply(changes) }
    }

    fn filtered_anew(&mut self, cycle: &Cycle<'_>, node: NodeId) -> Result<Verdicts, CallError> {
        let fits = || Verdicts { outcomes: Vec::new(), nodes: vec![0] };
        let rejected = |status| Verdicts { outcomes: vec![status], nodes: vec![1] };
        match self.instance().pre_filter(cycle)? {
            PreFilterResult::All => self.instance().filter(cycle, &[node]),
            PreFilterResult::Skip => Ok(fits()),
            PreFilterResult::Reject(status) => Ok(rejected(status)),
            PreFilterResult::Narrow(names) => {
                let name = cycle.cache.node(node).map(|info| &info.node.name);
                if name.is_some_and(|name| names.contains(name)) {
                    return self.instance().filter(cycle, &[node]);
                }
                let reason = format!("node(s) didn't satisfy plugin(s) [{}]", self.declaration().name);
                Ok(rejected(Status { code: Code::UnschedulableAndUnresolvable, reasons: vec![reason.into()] }))
            }
        }
    }

    fn asked_itself(&mut self, cycle: &Cycle<'_>, cases: &[WhatIf]) -> Result<Verdicts, CallError> {
        let (arena, reads) = (Bump::new(), self.reads());
        let mut verdicts = Verdicts::default();
        for wave in cases.chunks(WAVE) {
            let overlays = overlays(cycle.cache, wave);
            let changes: Vec<_> =
                overlays.iter().map(|overlay| (overlay.node_id(), overlay.push(&arena, reads))).collect();
            join(&mut verdicts, self.instance().filter_what_if(cycle, &changes)?);
        }
        Ok(verdicts)
    }
}

/// Cases whose node is gone have none; the core asks about nodes that are there.
fn overlays<'a>(cache: &'a Cache, cases: &'a [WhatIf]) -> Vec<Overlay<'a>> {
    let mut others = 0;
    let overlay = |case: &'a WhatIf| {
        let overlay = Overlay::of(cache, case, others);
        others += case.added.len();
        overlay
    };
    cases.iter().filter_map(overlay).collect()
}

/// Cases that can be told together: each about a node of its own, and not too many.
fn waves(cases: &[WhatIf]) -> impl Iterator<Item = &[WhatIf]> {
    let mut rest = cases;
    std::iter::from_fn(move || {
        let again = |at: usize| rest[..at].iter().any(|case| case.node == rest[at].node);
        let end = (0..rest.len().min(WAVE)).find(|at| again(*at)).unwrap_or(rest.len().min(WAVE));
        let (wave, others) = rest.split_at(end);
        rest = others;
        (!wave.is_empty()).then_some(wave)
    })
}

/// Appends verdicts, their outcomes behind those that are there.
fn join(all: &mut Verdicts, more: Verdicts) {
    let place = |outcome: &Status| all.outcomes.iter().position(|other| other == outcome);
    let places: Vec<Option<usize>> = more.outcomes.iter().map(place).collect();
    let mut numbers = Vec::with_capacity(places.len());
    for (outcome, place) in more.outcomes.into_iter().zip(places) {
        let at = place.unwrap_or_else(|| {
            all.outcomes.push(outcome);
            all.outcomes.len() - 1
        });
        numbers.push(u16::try_from(at + 1).unwrap_or(u16::MAX));
    }
    all.nodes.extend(more.nodes.iter().map(|answer| match usize::from(*answer).checked_sub(1) {
        None => 0,
        Some(outcome) => numbers[outcome],
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_has_each_node_once() {
        let case = |node| WhatIf { node: NodeId(node), added: Vec::new(), removed: Vec::new() };
        let cases = [1, 2, 1, 1, 3, 2].map(case);
        let nodes: Vec<Vec<u32>> = waves(&cases).map(|wave| wave.iter().map(|case| case.node.0).collect()).collect();
        assert_eq!(nodes, [vec![1, 2], vec![1], vec![1, 3, 2]]);
        let many: Vec<WhatIf> = (0..300).map(case).collect();
        assert_eq!(waves(&many).map(<[WhatIf]>::len).collect::<Vec<_>>(), [WAVE, WAVE, 300 - 2 * WAVE]);
    }

    #[test]
    fn verdicts_are_joined_with_each_outcome_once() {
        let status = |reason: &str| Status { code: Code::Unschedulable, reasons: vec![reason.into()] };
        let mut all = Verdicts::default();
        join(&mut all, Verdicts { outcomes: vec![status("a")], nodes: vec![0, 1] });
        join(&mut all, Verdicts { outcomes: vec![status("b"), status("a")], nodes: vec![2, 1, 0] });
        assert_eq!(all, Verdicts { outcomes: vec![status("a"), status("b")], nodes: vec![0, 1, 1, 2, 0] });
    }
}
