//! Asks one build of a plugin about an attempt.

use std::sync::Arc;
use std::time::Duration;

use berth_conformance::Answer;
use berth_core::cache::NodeId;
use berth_core::cycle::{normalize_by_host, plugin_seed};
use berth_core::plugins::{Cycle, ExtensionPoints, Normalization, PodSignatureId, PreScoreResult};
use berth_plugin_host::examine::{Feeder, Resident, configure, thread_cpu_time};
use berth_plugin_host::{CallError, Export, LoadCause, LoadError, LoadedComponent, asking};

use super::attempt::RecordedAttempt;
use super::error::CallsError;
use crate::reads;

/// The function of an answer, and the node for an answer about a node.
pub(super) type Key = (Export, Option<NodeId>);

/// A call with its number of nodes, if it is about nodes, and its time.
pub(super) type Call = (Export, Option<usize>, Duration);

/// A build that is being asked, in an instance that has the cluster before the attempt.
pub(super) struct Asked<'a> {
    resident: Resident,
    cycle: Cycle<'a>,
    /// A call failed. The scheduling cycle ends then, so that no further call is made.
    failed: bool,
    /// The plugin skips the pod.
    skips: bool,
    /// The answers, in the order of the calls.
    pub answers: Vec<(Key, Answer)>,
    /// The calls, with their CPU times.
    pub calls: Vec<Call>,
    /// The CPU time to send the cluster.
    pub sync: Duration,
}

impl<'a> Asked<'a> {
    /// Starts an instance of the build, and sends it the cluster.
    ///
    /// # Errors
    /// The build refuses the arguments, reads what the capture lacks, or fails while it receives the cluster.
    pub fn start(component: &LoadedComponent, attempt: &'a RecordedAttempt) -> Result<Self, CallsError> {
        let about = |cause: LoadCause| LoadError::new(&component.source, cause);
        let (instance, declaration) =
            configure(component, &attempt.arguments, attempt.components.limits(), &Arc::default()).map_err(about)?;
        reads::check([&declaration], &reads::known_kinds(attempt.cache.objects()))?;
        let signature = PodSignatureId(0);
        let cycle = Cycle {
            id: attempt.cycle,
            time: attempt.at,
            seed: plugin_seed(attempt.seed, attempt.cycle, &component.name),
            signature,
            pod: &attempt.pod,
            cache: &attempt.cache,
        };
        let fill = || {
            let mut resident = Resident::fill(instance, Arc::new(declaration), &attempt.cache, &mut Feeder::default())?;
            resident.hold(signature, &attempt.pod)?;
            Ok(resident)
        };
        let (resident, sync) = timed(fill);
        let resident = resident.map_err(|error: CallError| about(error.into()))?;
        Ok(Self { resident, cycle, failed: false, skips: false, answers: Vec::new(), calls: Vec::new(), sync })
    }

    /// Calls pre-enqueue, skip, pre-filter and filter, as far as the build exports them. Returns the nodes that it accepts.
    pub fn filter(&mut self, nodes: &[NodeId]) -> Vec<NodeId> {
        let cycle = self.cycle;
        let points = self.resident.declaration().points;
        if points.contains(ExtensionPoints::PRE_ENQUEUE) {
            let answer = self.call(Export::PreEnqueue, None, |resident| resident.instance().pre_enqueue(&cycle));
            answer.into_iter().for_each(|answer| self.answer(Export::PreEnqueue, Answer::PreEnqueue(answer)));
        }
        if points.contains(ExtensionPoints::SKIP)
            && let Some(skips) = self.call(Export::Skip, None, |resident| resident.instance().skip(&cycle))
        {
            self.skips = skips;
            self.answer(Export::Skip, Answer::Skip(skips));
        }
        if self.failed {
            return Vec::new();
        }
        if self.skips {
            // A plugin that skips the pod accepts every node.
            if points.intersects(ExtensionPoints::PRE_FILTER | ExtensionPoints::FILTER) {
                let fits = |node: &NodeId| ((Export::Filter, Some(*node)), Answer::Verdict(None));
                self.answers.extend(nodes.iter().map(fits));
            }
            return nodes.to_vec();
        }
        let before = thread_cpu_time();
        let filtered = asking::filtered(&mut self.resident, &cycle, nodes);
        let time = thread_cpu_time().saturating_sub(before);
        let exports = |point| points.contains(point);
        let export = if exports(ExtensionPoints::FILTER) { Export::Filter } else { Export::PreFilter };
        if exports(ExtensionPoints::PRE_FILTER) || exports(ExtensionPoints::FILTER) {
            self.calls.push((export, Some(nodes.len()), time));
        }
        let filtered = match filtered {
            Ok(filtered) => filtered,
            Err(error) => {
                self.fail(error);
                return Vec::new();
            }
        };
        if exports(ExtensionPoints::PRE_FILTER) {
            self.answer(Export::PreFilter, Answer::PreFilter(filtered.pre_filter));
        }
        let verdicts = nodes.iter().zip(filtered.rejected);
        let mut accepted = Vec::new();
        for (node, rejected) in verdicts {
            if rejected.is_none() {
                accepted.push(*node);
            }
            if exports(ExtensionPoints::PRE_FILTER) || exports(ExtensionPoints::FILTER) {
                self.answers.push(((Export::Filter, Some(*node)), Answer::Verdict(rejected)));
            }
        }
        accepted
    }

    /// Calls pre-score, score and normalize for these nodes, as far as the build exports them.
    pub fn score(&mut self, nodes: &[NodeId]) {
        let cycle = self.cycle;
        let declaration = Arc::clone(self.resident.declaration());
        let points = declaration.points;
        if nodes.is_empty() || self.failed || self.skips || !points.contains(ExtensionPoints::SCORE) {
            return;
        }
        if points.contains(ExtensionPoints::PRE_SCORE) {
            let ask = |resident: &mut Resident| asking::pre_score(resident, &cycle, nodes);
            let Some(answer) = self.call(Export::PreScore, Some(nodes.len()), ask) else { return };
            self.answer(Export::PreScore, Answer::PreScore(answer));
            if answer == PreScoreResult::Skip {
                return;
            }
        }
        let ask = |resident: &mut Resident| resident.instance().score(&cycle, nodes);
        let Some(raw) = self.call(Export::Score, Some(nodes.len()), ask) else { return };
        self.scores(Export::Score, nodes, &raw);
        let mut normalized = raw.clone();
        if declaration.normalization == Normalization::Custom {
            let ask = |resident: &mut Resident| resident.instance().normalize(&cycle, nodes, &raw);
            let Some(own) = self.call(Export::Normalize, Some(nodes.len()), ask) else { return };
            normalized = own;
        } else {
            normalize_by_host(declaration.normalization, &mut normalized);
        }
        self.scores(Export::Normalize, nodes, &normalized);
    }

    /// Returns the memory of the instance in bytes.
    pub fn memory(&self) -> usize {
        self.resident.memory()
    }

    fn scores(&mut self, export: Export, nodes: &[NodeId], scores: &[i64]) {
        let scores = nodes.iter().zip(scores);
        self.answers.extend(scores.map(|(node, score)| ((export, Some(*node)), Answer::Score(*score))));
    }

    fn answer(&mut self, export: Export, answer: Answer) {
        self.answers.push(((export, None), answer));
    }

    fn fail(&mut self, error: CallError) {
        self.failed = true;
        self.answer(error.export(), Answer::Failed(error));
    }

    /// Makes a call. Returns `None` if the call fails, or if an earlier one failed.
    fn call<T>(
        &mut self,
        export: Export,
        nodes: Option<usize>,
        ask: impl FnOnce(&mut Resident) -> Result<T, CallError>,
    ) -> Option<T> {
        if self.failed {
            return None;
        }
        let (answer, time) = timed(|| ask(&mut self.resident));
        self.calls.push((export, nodes, time));
        answer.map_err(|error| self.fail(error)).ok()
    }
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let before = thread_cpu_time();
    let result = run();
    (result, thread_cpu_time().saturating_sub(before))
}
