//! Runs the instances of a plugin under examination, calls them, and records findings.

use std::sync::Arc;

use berth_core::Timestamp;
use berth_core::cache::{Cache, NodeId, PodId};
use berth_core::facts::PodFacts;
use berth_core::grants::{Grants, Namespaces};
use berth_core::plugins::{
    Code, Cycle, Declaration, ExtensionPoints, PostFilterResult, QueueTimes, Reserved, Undone, WhatIf,
};

use super::answer::{Answer, Answers};
use super::finding::{Finding, Violation};
use super::promise::Promise;
use super::question::Question;
use super::words::Words;
use berth_core::limits::Limits;
use berth_plugin_host::CallError;
use berth_plugin_host::Export;
use berth_plugin_host::asking;
use berth_plugin_host::examine::Feeder;
use berth_plugin_host::examine::configure;
use berth_plugin_host::examine::{Resident, Stale, add_needed_grants, needed_grants};
use berth_plugin_host::{LoadCause, LoadedComponent};

/// The plugin failed so badly that the examination ends. The findings contain the reason.
#[derive(Debug)]
pub(super) struct Broken;

/// The pod and the node of a finding.
#[derive(Clone, Copy, Default)]
pub(super) struct About<'a> {
    pub question: Option<&'a Question>,
    /// The node's name, and a note for the message: the node's last change, or what the finding is about.
    pub node: Option<(&'a str, &'static str)>,
}

/// A plugin under examination.
pub(super) struct Bench<'a> {
    pub component: &'a LoadedComponent,
    pub arguments: &'a str,
    further_words: &'a [Box<str>],
    pub limits: &'a Arc<Limits>,
    pub declaration: Arc<Declaration>,
    /// The number of changes of the cluster so far.
    pub deltas: usize,
    /// The number of cycles so far.
    pub cycles: u64,
    pub findings: Vec<Finding>,
    /// What the plugin reads beside nodes and pods, and what it asked for so far.
    pub needs: Grants,
    feeder: Feeder,
}

impl<'a> Bench<'a> {
    /// Starts the examination of a component.
    ///
    /// # Errors
    /// The plugin can't be started, refuses its arguments, or returns an invalid declaration.
    pub fn new(
        component: &'a LoadedComponent,
        arguments: &'a str,
        further_words: &'a [Box<str>],
        limits: &'a Arc<Limits>,
    ) -> Result<Self, LoadCause> {
        let (_, declaration) = configure(component, arguments, limits, &Arc::default())?;
        Ok(Self {
            component,
            arguments,
            further_words,
            limits,
            needs: needed_grants(&declaration.objects),
            declaration: Arc::new(declaration),
            deltas: 0,
            cycles: 0,
            findings: Vec::new(),
            feeder: Feeder::default(),
        })
    }

    /// Returns the strings that generated objects are made of.
    pub fn words(&self) -> Words {
        Words::of(self.arguments, self.further_words).with_reads(&self.declaration)
    }

    /// Records what the plugin asks for in these answers.
    pub fn record_needs(&mut self, answers: &Answers) {
        for line in &answers.0 {
            let intents = match &line.answer {
                Answer::PostFilter(PostFilterResult::Nominate(plan)) => {
                    if !plan.evict.is_empty() {
                        self.needs.evict_pods = Some(Namespaces::All);
                    }
                    &plan.intents
                }
                Answer::PostFilter(PostFilterResult::Unschedulable { intents, .. })
                | Answer::Reserved(Ok(Reserved { intents, .. }))
                | Answer::Undone(Undone { intents, .. })
                | Answer::Intents(Some(intents)) => intents,
                _ => continue,
            };
            intents.iter().for_each(|intent| add_needed_grants(&mut self.needs, intent));
        }
    }

    /// Records a finding. Further findings with the same promise and export are only counted.
    pub fn record(&mut self, promise: Promise, export: Export, about: About<'_>, violation: Violation) {
        let known = self.findings.iter_mut().find(|finding| finding.promise == promise && finding.export == export);
        match known {
            Some(finding) => finding.repetitions += 1,
            None => self.findings.push(Finding {
                plugin: Arc::clone(&self.component.name),
                promise,
                export,
                node: about.node.map(|(name, last)| (name.into(), last)),
                pod: about.question.map(Question::pod_name),
                deltas: self.deltas,
                violation,
                repetitions: 0,
            }),
        }
    }

    /// Creates an instance and sends it the current cluster.
    pub fn fill(&mut self, cache: &Cache) -> Result<Resident, Broken> {
        let started = configure(self.component, self.arguments, self.limits, &Arc::default());
        let (instance, declaration) = started.map_err(|cause| {
            let message = cause.to_string();
            self.record_breakdown(&CallError::Trapped(Export::Start, message))
        })?;
        if declaration != *self.declaration {
            self.record(Promise::Rebuilt, Export::Configure, About::default(), Violation::OtherDeclaration);
            return Err(Broken);
        }
        let filled = Resident::fill(instance, Arc::clone(&self.declaration), cache, &mut self.feeder);
        filled.map_err(|error| self.record_breakdown(&error))
    }

    /// Sends an instance the changes. An instance that is too far behind is replaced, as a scheduler does.
    pub fn catch_up(&mut self, resident: &mut Resident, cache: &Cache) -> Result<(), Broken> {
        match resident.catch_up(cache, &mut self.feeder) {
            Ok(()) => Ok(()),
            Err(Stale::Behind) => {
                *resident = self.fill(cache)?;
                Ok(())
            }
            Err(Stale::Call(error)) => Err(self.record_breakdown(&error)),
        }
    }

    /// Sends a pod to an instance.
    pub fn hold(&mut self, resident: &mut Resident, question: &Question) -> Result<(), Broken> {
        resident.hold(question.signature, &question.pod).map_err(|error| self.record_breakdown(&error))
    }

    /// Calls the plugin at the extension points from pre-enqueue to normalize, and returns the answers. Records answers
    /// of a wrong length and scores that are out of range. Does not call skip, classify, hints and post-bind.
    pub fn ask(
        &mut self,
        resident: &mut Resident,
        question: &Question,
        cache: &Cache,
        nodes: &[NodeId],
    ) -> Result<Answers, Broken> {
        let (about, cycle) = (About { question: Some(question), node: None }, question.cycle(cache));
        let mut answers = Answers::default();
        self.cycles += 1;
        self.hold(resident, question)?;
        self.ask_queue(resident, &cycle, about, &mut answers)?;
        match asking::filtered(resident, &cycle, nodes) {
            Ok(filtered) => answers.add_filtered(filtered),
            Err(error) => answers.add(error.export(), self.failed(error, about)?),
        }
        // The node with the smallest name, so that the choice does not depend on the order of nodes.
        let infos = nodes.iter().filter_map(|node| cache.node(*node));
        if let Some(info) = infos.min_by_key(|info| &info.node.name) {
            match asking::binding_answers(resident, &cycle, info) {
                Ok(given) => given.into_iter().for_each(|given| answers.add_binding_answers(given)),
                Err(error) => answers.add(error.export(), self.failed(error, about)?),
            }
        }
        self.ask_post_filter(resident, &cycle, nodes, about, &mut answers)?;
        match asking::scored(resident, &cycle, nodes) {
            Ok(scored) => {
                let normalization = self.declaration.normalization;
                if let Some(bad) = scored.as_ref().and_then(|scored| scored.out_of_range(normalization)) {
                    let node = cache.node(nodes[bad.at]).map(|info| (&*info.node.name, "its score"));
                    let violation = Violation::OutOfRange { score: bad.score, rule: bad.rule };
                    self.record(Promise::Range, Export::Score, About { node, ..about }, violation);
                }
                answers.add_scored(scored);
            }
            Err(error) => answers.add(error.export(), self.failed(error, about)?),
        }
        Ok(answers)
    }

    /// Calls pre-enqueue and sort-key.
    fn ask_queue(
        &mut self,
        resident: &mut Resident,
        cycle: &Cycle<'_>,
        about: About<'_>,
        answers: &mut Answers,
    ) -> Result<(), Broken> {
        let points = self.declaration.points;
        if points.contains(ExtensionPoints::PRE_ENQUEUE) {
            let answer = resident.instance().pre_enqueue(cycle).map(Answer::PreEnqueue);
            answers.add(Export::PreEnqueue, answer.or_else(|error| self.failed(error, about))?);
        }
        if points.contains(ExtensionPoints::QUEUE_SORT) {
            let key = self.ask_sort_key(resident, cycle, about)?;
            answers.add(Export::SortKey, key);
        }
        Ok(())
    }

    /// Calls sort-key, for a pod that was queued some time before the cycle.
    pub fn ask_sort_key(
        &mut self,
        resident: &mut Resident,
        cycle: &Cycle<'_>,
        about: About<'_>,
    ) -> Result<Answer, Broken> {
        let before = |seconds: u64| Timestamp(cycle.time.0.saturating_sub(1_000 * seconds));
        let times = QueueTimes { first_queued: before(90), queued: before(20) };
        let key = resident.instance().sort_key(cycle, times).map(Answer::SortKey);
        key.or_else(|error| self.failed(error, about))
    }

    /// Calls post-filter as if the pod fits no node. One node in five is unresolvable.
    fn ask_post_filter(
        &mut self,
        resident: &mut Resident,
        cycle: &Cycle<'_>,
        nodes: &[NodeId],
        about: About<'_>,
        answers: &mut Answers,
    ) -> Result<(), Broken> {
        if !self.declaration.points.contains(ExtensionPoints::POST_FILTER) {
            return Ok(());
        }
        let code = |node: &NodeId| match node.0 % 5 {
            0 => Code::UnschedulableAndUnresolvable,
            _ => Code::Unschedulable,
        };
        let codes: Vec<Code> = nodes.iter().map(code).collect();
        // The leaving pods depend on the pod's nominated node. A plugin that does not declare this fact gets none, so
        // that its answer depends on declared facts only.
        let reads_nomination = self.declaration.pod.facts.contains(PodFacts::NOMINATED_NODE);
        let leaving = if reads_nomination { leaving(cycle) } else { Vec::new() };
        let mut what_if = |cases: &[WhatIf]| Ok(asking::fits_beside_one_pod(cycle.cache, cases));
        let answer =
            resident.instance().post_filter(cycle, nodes, &codes, &leaving, &mut what_if).map(Answer::PostFilter);
        answers.add(Export::PostFilter, answer.or_else(|error| self.failed(error, about))?);
        Ok(())
    }

    /// Calls pre-filter and pre-score alone, in an empty cluster.
    pub fn ask_pre_filter_and_pre_score(
        &mut self,
        resident: &mut Resident,
        question: &Question,
        empty: &Cache,
    ) -> Result<Answers, Broken> {
        let (about, cycle) = (About { question: Some(question), node: None }, question.cycle(empty));
        let mut answers = Answers::default();
        self.hold(resident, question)?;
        let answer = resident.instance().pre_filter(&cycle).map(Answer::PreFilter);
        answers.add(Export::PreFilter, answer.or_else(|error| self.failed(error, about))?);
        if self.declaration.points.contains(ExtensionPoints::SCORE) {
            let answer = asking::pre_score(resident, &cycle, &[]).map(Answer::PreScore);
            answers.add(Export::PreScore, answer.or_else(|error| self.failed(error, about))?);
        }
        Ok(answers)
    }

    /// Calls filter or score alone. Returns the answer for each node, or `None` if the call fails: an error belongs to
    /// the whole call, so no node has an answer to compare.
    pub fn ask_alone(
        &mut self,
        export: Export,
        resident: &mut Resident,
        question: &Question,
        cache: &Cache,
        nodes: &[NodeId],
    ) -> Result<Option<Vec<Answer>>, Broken> {
        let cycle = question.cycle(cache);
        self.hold(resident, question)?;
        let answers = match export {
            Export::Filter => asking::verdicts(resident, &cycle, nodes)
                .map(|verdicts| verdicts.into_iter().map(Answer::Verdict).collect()),
            _ => resident.instance().score(&cycle, nodes).map(|scores| scores.into_iter().map(Answer::Score).collect()),
        };
        match answers {
            Ok(answers) => Ok(Some(answers)),
            Err(error) => self.failed(error, About { question: Some(question), node: None }).map(|_| None),
        }
    }

    /// Handles a failed call. A trap or an exceeded limit is recorded and ends the examination. An invalid answer is
    /// recorded too. An invalid answer or an error that the plugin returned becomes the answer of the call.
    pub fn failed(&mut self, error: CallError, about: About<'_>) -> Result<Answer, Broken> {
        match &error {
            CallError::OverLimit(..) | CallError::Trapped(..) => {
                self.record(Promise::Answers, error.export(), about, Violation::Failed(error));
                return Err(Broken);
            }
            CallError::BadAnswer(..) => {
                self.record(Promise::Lengths, error.export(), about, Violation::Failed(error.clone()));
            }
            CallError::Returned(..) | CallError::NotGranted(..) => {}
        }
        Ok(Answer::Failed(error))
    }

    fn record_breakdown(&mut self, error: &CallError) -> Broken {
        self.record(Promise::Answers, error.export(), About::default(), Violation::Failed(error.clone()));
        Broken
    }
}

/// Returns the pods on the pod's nominated node that are being deleted, as if each had been evicted.
fn leaving(cycle: &Cycle<'_>) -> Vec<PodId> {
    let node = cycle.cache.node_id(&cycle.pod.nominated_node_name).and_then(|id| cycle.cache.node(id));
    let leaves = |id: &PodId| cycle.cache.pod(*id).is_some_and(|known| known.pod.deleting);
    node.map(|info| info.pods.iter().copied().filter(leaves).collect()).unwrap_or_default()
}
