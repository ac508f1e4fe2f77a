//! The answers of extenders as data: recorded while they are given, and given again in a replay.

use std::collections::VecDeque;

use berth_core::extenders::{Extender, Extenders, Filtered, Scores, Victims};
use berth_core::model::{Pod, PodKey};
use serde::{Deserialize, Serialize};

/// An answer of an extender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExtenderAnswer {
    /// The answer of [`Extenders::filter`].
    Filter(Result<Filtered, String>),
    /// The answers of [`Extenders::prioritize`].
    Prioritize(Vec<Result<Scores, String>>),
    /// The answer of [`Extenders::process_preemption`].
    ProcessPreemption(Result<Vec<Victims<Box<str>>>, String>),
}

/// Passes questions to extenders, and records the answers.
pub struct RecordingExtenders<'a> {
    inner: &'a mut dyn Extenders,
    /// The answers, in order.
    pub answers: Vec<ExtenderAnswer>,
}

impl<'a> RecordingExtenders<'a> {
    /// Records the answers of these extenders.
    #[must_use]
    pub fn new(inner: &'a mut dyn Extenders) -> Self {
        Self { inner, answers: Vec::new() }
    }
}

impl Extenders for RecordingExtenders<'_> {
    fn list(&self) -> &[Extender] {
        self.inner.list()
    }

    fn filter(&mut self, extender: usize, pod: &Pod, nodes: &[&str]) -> Result<Filtered, String> {
        let answer = self.inner.filter(extender, pod, nodes);
        self.answers.push(ExtenderAnswer::Filter(answer.clone()));
        answer
    }

    fn prioritize(&mut self, extenders: &[usize], pod: &Pod, nodes: &[&str]) -> Vec<Result<Scores, String>> {
        let answers = self.inner.prioritize(extenders, pod, nodes);
        self.answers.push(ExtenderAnswer::Prioritize(answers.clone()));
        answers
    }

    fn process_preemption(
        &mut self,
        extender: usize,
        pod: &Pod,
        candidates: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        let answer = self.inner.process_preemption(extender, pod, candidates);
        self.answers.push(ExtenderAnswer::ProcessPreemption(answer.clone()));
        answer
    }

    fn ignored(&mut self, extender: usize, pod: &Pod, error: &str) {
        self.inner.ignored(extender, pod, error);
    }
}

/// Extenders that give recorded answers.
#[derive(Clone, Debug, Default)]
pub struct ReplayedExtenders {
    list: Vec<Extender>,
    answers: VecDeque<ExtenderAnswer>,
}

impl ReplayedExtenders {
    /// Creates these extenders, without answers.
    #[must_use]
    pub fn new(list: Vec<Extender>) -> Self {
        Self { list, answers: VecDeque::new() }
    }

    /// Sets the answers of the next step, and drops those of the step before that nobody asked for.
    pub fn set_answers(&mut self, answers: Vec<ExtenderAnswer>) {
        self.answers = answers.into();
    }
}

/// The error about a question that was not asked when the capture was made.
const NOT_RECORDED: &str = "the capture has no answer to this question";

impl Extenders for ReplayedExtenders {
    fn list(&self) -> &[Extender] {
        &self.list
    }

    fn filter(&mut self, _: usize, _: &Pod, _: &[&str]) -> Result<Filtered, String> {
        match self.answers.pop_front() {
            Some(ExtenderAnswer::Filter(answer)) => answer,
            _ => Err(NOT_RECORDED.to_owned()),
        }
    }

    fn prioritize(&mut self, extenders: &[usize], _: &Pod, _: &[&str]) -> Vec<Result<Scores, String>> {
        match self.answers.pop_front() {
            Some(ExtenderAnswer::Prioritize(answers)) if answers.len() == extenders.len() => answers,
            _ => extenders.iter().map(|_| Err(NOT_RECORDED.to_owned())).collect(),
        }
    }

    fn process_preemption(
        &mut self,
        _: usize,
        _: &Pod,
        _: &[Victims<PodKey>],
    ) -> Result<Vec<Victims<Box<str>>>, String> {
        match self.answers.pop_front() {
            Some(ExtenderAnswer::ProcessPreemption(answer)) => answer,
            _ => Err(NOT_RECORDED.to_owned()),
        }
    }

    fn ignored(&mut self, _: usize, _: &Pod, _: &str) {}
}
