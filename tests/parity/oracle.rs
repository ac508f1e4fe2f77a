//! kube-scheduler's side of the comparison: the program in tests/controlplane/cmd/oracle. The program reads one case
//! per line and writes one line with all answers about the case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use berth_tests::comparison::LineProcess;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Hints;
use crate::answer::{Answer, Answers, Cycle, Score, Status, Verdict, left_out};
use crate::case::{Case, PROFILE};
use crate::preemption::{PreemptionResult, UpstreamResult};

/// A running process of the oracle program. Dropping this value ends the process.
pub struct Oracle(LineProcess);

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    steps: Vec<Vec<PodAnswer>>,
    #[serde(default)]
    hints: Vec<Vec<Hints>>,
    #[serde(default)]
    order: Vec<String>,
    #[serde(default)]
    error: String,
}

#[derive(Deserialize)]
struct PodAnswer {
    plugins: BTreeMap<String, PluginAnswer>,
    cycle: CycleAnswer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PluginAnswer {
    pre_enqueue: Option<Status>,
    pre_filter: Option<PreFilter>,
    #[serde(default)]
    filter: BTreeMap<String, Status>,
    pre_score: Option<Status>,
    scores: Option<BTreeMap<String, Score>>,
    score_error: Option<Status>,
}

#[derive(Deserialize)]
struct PreFilter {
    #[serde(flatten)]
    status: Status,
    nodes: Option<BTreeSet<String>>,
}

#[derive(Deserialize)]
struct CycleAnswer {
    #[serde(default)]
    message: String,
    #[serde(default)]
    failed: bool,
    #[serde(default, rename = "room")]
    preemption: Option<UpstreamResult>,
    #[serde(default)]
    totals: BTreeMap<String, i64>,
    nodes: BTreeSet<String>,
}

impl Oracle {
    /// Returns the path of the program, if `PARITY_ORACLE` is set.
    pub fn program() -> Option<PathBuf> {
        std::env::var_os("PARITY_ORACLE").map(PathBuf::from)
    }

    /// Starts the program.
    ///
    /// # Errors
    /// Returns an error if the program can't be started.
    pub fn start(program: &Path) -> Result<Self> {
        Ok(Self(LineProcess::start(program)?))
    }

    /// Returns kube-scheduler's answers about the case.
    ///
    /// # Errors
    /// Returns an error if the program refuses the case as invalid for kube-scheduler, ends, or sends an answer that
    /// can't be read.
    pub fn ask(&mut self, case: &Case) -> Result<Answers> {
        let pods: Vec<Value> = case.pods.iter().map(with_profile).collect();
        let question = json!({
            "configuration": case.configuration(),
            "objects": case.objects,
            "pods": pods,
            "queue": case.queue().map(with_profile).collect::<Vec<_>>(),
            "changes": case.changes,
        });
        let line: Line = self.0.ask(&question)?;
        if !line.error.is_empty() {
            bail!("kube-scheduler refuses the case: {}", line.error);
        }
        let steps = line.steps.into_iter().map(|pods| pods.into_iter().map(Answer::from).collect());
        Ok(Answers { steps: steps.collect(), hints: line.hints, order: line.order })
    }
}

fn with_profile(pod: &Value) -> Value {
    let mut pod = pod.clone();
    pod["spec"]["schedulerName"] = PROFILE.into();
    pod
}

impl From<PodAnswer> for Answer {
    fn from(mut answer: PodAnswer) -> Self {
        let preemption = answer.cycle.preemption.take().map(PreemptionResult::Upstream);
        let (nodes, count) = (&answer.cycle.nodes, answer.cycle.nodes.len());
        let plugins = answer.plugins.into_iter().map(|(name, answer)| (name, answer.verdict(nodes))).collect();
        let cycle = match answer.cycle {
            CycleAnswer { failed: true, .. } => Cycle::Failed,
            CycleAnswer { message, totals, .. } if message.is_empty() => Cycle::Fits(totals),
            CycleAnswer { message, .. } => Cycle::FitsNowhere(message),
        };
        Self { plugins, cycle, preemption, nodes: count }
    }
}

impl PluginAnswer {
    fn verdict(self, nodes: &BTreeSet<String>) -> Verdict {
        let failed = |status: &Status| (status.code == "Error").then(|| status.reasons.join(", "));
        let pre_enqueue_rejection = self.pre_enqueue.filter(|status| status.code != "Success");
        let mut verdict =
            Verdict { pre_enqueue_rejection, rejected: self.filter, scores: self.scores, ..Verdict::default() };
        if let Some(PreFilter { status, nodes: narrowed }) = &self.pre_filter {
            verdict.failed = failed(status);
            match status.code.as_str() {
                "Success" => {
                    let out = |node: &&String| narrowed.as_ref().is_some_and(|narrowed| !narrowed.contains(*node));
                    verdict.rejected.extend(nodes.iter().filter(out).map(|node| (node.clone(), left_out())));
                }
                "Skip" => verdict.skips = true,
                _ => verdict.rejected = nodes.iter().map(|node| (node.clone(), status.clone())).collect(),
            }
        }
        let scoring = [self.pre_score, self.score_error];
        let failures = verdict.rejected.values().chain(scoring.iter().flatten());
        verdict.failed = verdict.failed.or_else(|| failures.filter_map(failed).next());
        verdict
    }
}
