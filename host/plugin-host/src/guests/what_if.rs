//! Filters with hypothetical pods on a node: sends the hypothetical changes to the instance, calls filter, and undoes
//! the changes.

use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::plugins::{Code, Cycle, PreFilterResult, Scope, Status, Verdicts, WhatIf};
use berth_core::results::Rejections;
use bumpalo::Bump;

use super::resident::Resident;
use crate::bindings::v0_2::exports::berth::scheduler::snapshot::Change;
use crate::feed::Overlay;
use crate::guest::CallError;

/// The largest number of cases that are sent at once.
const WAVE: usize = 128;

impl Resident {
    /// Returns the verdict for each case. Afterwards, the instance's snapshot is again that of the cluster, unless the
    /// instance can't be used any more.
    pub fn filter_what_if(&mut self, cycle: &Cycle<'_>, cases: &[WhatIf]) -> Result<Verdicts, CallError> {
        let mut verdicts = Joined::default();
        if self.declaration().filter_scope == Scope::Node {
            for wave in waves(cases) {
                self.with_cases_applied(cycle.cache, wave, |resident| {
                    let nodes: Vec<NodeId> = wave.iter().map(|case| case.node).collect();
                    verdicts.add(&resident.instance().filter(cycle, &nodes)?);
                    Ok(())
                })?;
            }
            return Ok(verdicts.finish());
        }
        // A case may affect all nodes and the result of pre-filter, so each case runs alone.
        for case in cases {
            self.with_cases_applied(cycle.cache, std::slice::from_ref(case), |resident| {
                verdicts.add(&resident.filter_from_the_start(cycle, case.node)?);
                Ok(())
            })?;
        }
        self.instance().pre_filter(cycle)?;
        Ok(verdicts.finish())
    }

    /// Applies these cases, runs `ask`, and undoes the cases, also if `ask` failed without a trap or an exceeded limit.
    fn with_cases_applied(
        &mut self,
        cache: &Cache,
        cases: &[WhatIf],
        ask: impl FnOnce(&mut Self) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let (arena, reads) = (Bump::new(), Arc::clone(self.reads()));
        let overlays = overlays(cache, cases);
        let pushed: Vec<_> = overlays.iter().flat_map(|overlay| overlay.push(&arena, &reads)).collect();
        self.send_changes(cache, &overlays, &pushed)?;
        let result = ask(self);
        // After a trap or an exceeded limit, the instance is not used again.
        if result.as_ref().is_err_and(CallError::poisons) {
            return result;
        }
        let popped: Vec<_> = overlays.iter().flat_map(|overlay| overlay.pop(&arena, cache, &reads)).collect();
        self.send_changes(cache, &overlays, &popped)?;
        result
    }

    /// Sends the changes, if any. A case without a difference has none.
    fn send_changes(
        &mut self,
        cache: &Cache,
        overlays: &[Overlay<'_>],
        changes: &[Change<'_>],
    ) -> Result<(), CallError> {
        if changes.is_empty() {
            return Ok(());
        }
        let reads = Arc::clone(self.reads());
        let added = |id| overlays.iter().find_map(|overlay| overlay.added_pod(&reads, id));
        self.instance().apply(changes, &|id| added(id).or_else(|| reads.requested(cache, id)))
    }

    /// Calls pre-filter and filter for one node, and returns its verdict.
    fn filter_from_the_start(&mut self, cycle: &Cycle<'_>, node: NodeId) -> Result<Verdicts, CallError> {
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
}

/// Returns the overlay of each case. A case without an existing node has no overlay; the core has no such cases.
fn overlays<'a>(cache: &'a Cache, cases: &'a [WhatIf]) -> Vec<Overlay<'a>> {
    let mut others = 0;
    let overlay = |case: &'a WhatIf| {
        let overlay = Overlay::of(cache, case, others);
        others += case.added.len();
        overlay
    };
    cases.iter().filter_map(overlay).collect()
}

/// Splits the cases, in their order, into groups that can be applied together: the cases of a group have different
/// nodes, and a group has at most [`WAVE`] cases.
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

/// The verdicts of several calls, with unique outcomes.
#[derive(Default)]
struct Joined {
    outcomes: Rejections,
    nodes: Vec<u16>,
}

impl Joined {
    fn add(&mut self, more: &Verdicts) {
        // Beyond the largest outcome number, all further outcomes share the last one.
        let mut number = |outcome: &Status| self.outcomes.number(outcome).unwrap_or(u16::MAX);
        let numbers: Vec<u16> = more.outcomes.iter().map(&mut number).collect();
        self.nodes.extend(more.nodes.iter().map(|answer| match usize::from(*answer).checked_sub(1) {
            None => 0,
            Some(outcome) => numbers[outcome],
        }));
    }

    fn finish(self) -> Verdicts {
        Verdicts { outcomes: self.outcomes.into_all(), nodes: self.nodes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_contains_each_node_once() {
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
        let mut all = Joined::default();
        all.add(&Verdicts { outcomes: vec![status("a")], nodes: vec![0, 1] });
        all.add(&Verdicts { outcomes: vec![status("b"), status("a")], nodes: vec![2, 1, 0] });
        assert_eq!(all.finish(), Verdicts { outcomes: vec![status("a"), status("b")], nodes: vec![0, 1, 1, 2, 0] });
    }
}
