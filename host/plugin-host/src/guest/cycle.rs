//! Calls the extension points of a scheduling cycle and checks the answers.

use berth_core::Timestamp;
use berth_core::cache::NodeId;
use berth_core::plugins::{ClassScores, Classified, Cycle, Passed, PreFilterResult, PreScoreResult, Verdicts};
use wasmtime::Store;

use super::answers;
use super::error::CallError;
use super::instance::Instance;
use super::shorten::shorten;
use super::state::HostState;
use crate::bindings::v0_2::berth::scheduler::facts as wit;
use crate::contract::{Export, LoadedInterfaces, exported};
use crate::crossing::Crossing;

/// The result of a function that may return an error.
pub(super) type Answer<T> = wasmtime::Result<Result<T, String>>;

/// The parameters of a function about nodes: the cycle, the node ids, and the further parameters `A`.
pub(super) type About<'a, A> = (wit::Cycle, &'a [u32], A);

impl Instance {
    /// Calls `pre-filter`. Without the export, all nodes go to filter.
    pub fn pre_filter(&mut self, cycle: &Cycle<'_>) -> Result<PreFilterResult, CallError> {
        let answer =
            self.ask(Export::PreFilter, cycle, self.cycle_of(cycle), exported!(pre_filter.call_pre_filter(cycle)))?;
        answer.map_or(Ok(PreFilterResult::All), |answer| answers::pre_filter(answer, cycle.cache))
    }

    /// Calls `filter`. Without the export, every node fits.
    pub fn filter(&mut self, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Verdicts, CallError> {
        let answer = self.ask_nodes(Export::Filter, cycle, nodes, exported!(filter.call_filter(cycle, ids)))?;
        match answer {
            Some(verdicts) => answers::verdicts(verdicts, nodes.len()),
            None => Ok(Verdicts { outcomes: Vec::new(), nodes: vec![0; nodes.len()] }),
        }
    }

    /// Calls `pre-score`. Without the export, returns that the host must call score.
    pub fn pre_score(&mut self, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<PreScoreResult, CallError> {
        let answer = self.ask_nodes(Export::PreScore, cycle, nodes, exported!(pre_score.call_pre_score(cycle, ids)))?;
        Ok(answer.map_or(PreScoreResult::Score, answers::pre_score))
    }

    /// Calls `score`. Without the export, every node has score 0.
    pub fn score(&mut self, cycle: &Cycle<'_>, nodes: &[NodeId]) -> Result<Vec<i64>, CallError> {
        let answer = self.ask_nodes(Export::Score, cycle, nodes, exported!(score.call_score(cycle, ids)))?;
        match answer {
            Some(scores) => answers::scores(Export::Score, scores, nodes.len()),
            None => Ok(vec![0; nodes.len()]),
        }
    }

    /// Calls `normalize`. Without the export, the scores stay unchanged.
    pub fn normalize(&mut self, cycle: &Cycle<'_>, nodes: &[NodeId], scores: &[i64]) -> Result<Vec<i64>, CallError> {
        let answer = self.ask_about(
            Export::Normalize,
            cycle,
            nodes,
            scores,
            exported!(normalize.call_normalize(cycle, ids, scores)),
        )?;
        match answer {
            Some(scores) => answers::scores(Export::Normalize, scores, nodes.len()),
            None => Ok(scores.to_vec()),
        }
    }

    /// Calls `classify`. Returns `None` if the component does not export it, or if the plugin answers this pod by node.
    pub fn classify(&mut self, cycle: &Cycle<'_>, known: u64) -> Result<Option<Classified>, CallError> {
        let answer = self.ask(
            Export::Classify,
            cycle,
            (self.cycle_of(cycle), known),
            exported!(classes.call_classify(cycle, known)),
        )?;
        answer.flatten().map(|answer| answers::classified(answer, cycle.cache)).transpose()
    }

    /// Calls `score-classes`. Without the export, every class has score 0.
    pub fn score_classes(&mut self, cycle: &Cycle<'_>, passed: &[Passed]) -> Result<ClassScores, CallError> {
        let (classes, nodes): (Vec<u32>, Vec<u32>) = passed.iter().map(|of| (of.class.0, of.nodes)).unzip();
        let asked = (self.cycle_of(cycle), &*classes, &*nodes);
        let answer =
            self.ask(Export::ScoreClasses, cycle, asked, exported!(classes.call_score_classes(cycle, classes, nodes)))?;
        match answer {
            Some(scores) => answers::class_scores(scores, passed.len()),
            None => Ok(ClassScores { raw: vec![0; passed.len()], normalized: vec![0; passed.len()] }),
        }
    }

    /// Calls an optional function that takes the cycle and the nodes, and may return an error.
    fn ask_nodes<T: Crossing>(
        &mut self,
        export: Export,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, (wit::Cycle, &[u32])) -> Option<Answer<T>>,
    ) -> Result<Option<T>, CallError> {
        self.ask_about(export, cycle, nodes, (), |store, interfaces, (cycle, ids, ())| {
            call(store, interfaces, (cycle, ids))
        })
    }

    /// Calls an optional function that takes the cycle, the nodes, and more, and may return an error.
    pub(super) fn ask_about<A: Crossing, T: Crossing>(
        &mut self,
        export: Export,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        more: A,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, About<'_, A>) -> Option<Answer<T>>,
    ) -> Result<Option<T>, CallError> {
        let mut ids = std::mem::take(&mut self.node_ids);
        ids.clear();
        ids.extend(nodes.iter().map(|node| node.0));
        let answer = self.ask(export, cycle, (self.cycle_of(cycle), &*ids, more), call);
        self.node_ids = ids;
        answer
    }

    /// Calls an optional function, which may return an error.
    pub(super) fn ask<A: Crossing, T: Crossing>(
        &mut self,
        export: Export,
        cycle: &Cycle<'_>,
        arguments: A,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, A) -> Option<Answer<T>>,
    ) -> Result<Option<T>, CallError> {
        let answer = self.call_in_cycle(export, cycle, arguments, call)?;
        answer.transpose().map_err(|message| CallError::Returned(export, shorten(message)))
    }

    /// Calls an optional function, with the time and the seed of this cycle for WASI.
    pub(super) fn call_in_cycle<A: Crossing, R: Crossing>(
        &mut self,
        export: Export,
        cycle: &Cycle<'_>,
        arguments: A,
        call: impl FnOnce(&mut Store<HostState>, &LoadedInterfaces, A) -> Option<wasmtime::Result<R>>,
    ) -> Result<Option<R>, CallError> {
        let gets_time = self.gets_time;
        self.store.data_mut().wasi.begin(cycle, gets_time);
        self.call_if_there(export, arguments, call)
    }

    /// Converts a cycle to the contract's type.
    pub(super) fn cycle_of(&self, cycle: &Cycle<'_>) -> wit::Cycle {
        let time = if self.gets_time { milliseconds(cycle.time) } else { 0 };
        wit::Cycle { id: cycle.id, time, seed: cycle.seed, signature: cycle.signature.0 }
    }
}

/// Returns a time in the contract's unit.
pub(super) fn milliseconds(time: Timestamp) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}
