//! The coverage of a run: the fields of the objects in the run's cases, and the behaviors that kube-scheduler's plugin
//! showed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::answer::{Answers, Verdict};
use crate::cache_mode::CacheMode;
use crate::case::{Case, Change};
use crate::entries::{Behavior, Entry};
use crate::hints;
use crate::preemption::PreemptionResult;

/// The coverage of the cases that were drawn for one [`Entry`], without the cases of shrinking.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The number of cases.
    pub cases: usize,
    /// The number of questions. A question is about one pod and all nodes, before the first change or after one change.
    pub questions: usize,
    /// 1 for each mode of [`CacheMode::ALL`] in which a case differed, otherwise 0. A run ends with the first case that
    /// differs. The modes after the first that differs are not compared.
    pub mismatches: [usize; CacheMode::ALL.len()],
    paths: BTreeSet<String>,
    behaviors: BTreeMap<Behavior, usize>,
}

impl Coverage {
    /// Counts a case and records the paths and values of the case's fields.
    pub fn add_case(&mut self, case: &Case) {
        self.cases += 1;
        let set = case.changes.iter().filter_map(|change| match change {
            Change::Set(object) => Some(object),
            Change::Remove(_) => None,
        });
        for object in case.objects.iter().chain(set) {
            let role = match object["kind"].as_str() {
                Some("Pod") => "resident".to_owned(),
                Some(kind) => kind.to_lowercase(),
                None => "object".to_owned(),
            };
            self.add_paths(role, object);
        }
        case.pods.iter().for_each(|pod| self.add_paths("pod".to_owned(), pod));
        self.add_paths("arguments".to_owned(), &Value::Object(case.arguments.clone()));
    }

    fn add_paths(&mut self, path: String, value: &Value) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| self.add_paths(format!("{path}.{name}"), value));
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.add_paths(format!("{path}[]"), element)),
            Value::String(text) => drop(self.paths.insert(format!("{path}={text}"))),
            Value::Bool(_) | Value::Number(_) | Value::Null => drop(self.paths.insert(format!("{path}={value}"))),
        }
        self.paths.insert(path);
    }

    /// Records the behaviors that kube-scheduler's answers about a case show.
    pub fn add_answers(&mut self, case: &Case, theirs: &Answers, entry: &Entry) {
        for answer in theirs.steps.iter().flatten() {
            self.add_preemption(answer.preemption.as_ref());
            match answer.plugins.get(entry.plugin) {
                Some(verdict) => self.add_verdict(verdict, answer.nodes),
                None => self.questions += 1,
            }
        }
        hints::for_each_question(case, &theirs.steps, &theirs.hints, |_, question, hints| {
            for (_, again) in question.relevant(hints).filter(|(plugin, _)| *plugin == entry.plugin) {
                *self.behaviors.entry(if again { Behavior::Requeues } else { Behavior::KeepsWaiting }).or_default() +=
                    1;
            }
        });
        let initial_order = case.queue().map(|pod| pod["metadata"]["name"].as_str().unwrap_or_default());
        if entry.plugin == "PrioritySort" && !initial_order.eq(theirs.order.iter().map(String::as_str)) {
            *self.behaviors.entry(Behavior::Queues).or_default() += 1;
        }
    }

    fn add_verdict(&mut self, verdict: &Verdict, nodes: usize) {
        self.questions += 1;
        let raw: BTreeSet<i64> = verdict.scores.iter().flatten().map(|(_, score)| score.raw).collect();
        for (behavior, occurred) in [
            (Behavior::Filters, !verdict.rejected.is_empty() && verdict.rejected.len() < nodes),
            (Behavior::Scores, raw.len() > 1),
            (Behavior::Skips, verdict.skips),
            (Behavior::Fails, verdict.failed.is_some()),
            (Behavior::Queues, verdict.pre_enqueue_rejection.is_some()),
        ] {
            *self.behaviors.entry(behavior).or_default() += usize::from(occurred);
        }
    }

    /// Records kube-scheduler's preemption for a pod, if a node was found. `result` is `None` without preemption.
    fn add_preemption(&mut self, result: Option<&PreemptionResult>) {
        *self.behaviors.entry(Behavior::Evicts).or_default() +=
            usize::from(result.is_some_and(PreemptionResult::found_node));
    }

    /// Returns how often the plugin showed this behavior.
    pub fn occurrences(&self, behavior: Behavior) -> usize {
        self.behaviors.get(&behavior).copied().unwrap_or_default()
    }

    /// Returns how many of the entry's fields occurred in the cases.
    pub fn fields(&self, entry: &Entry) -> usize {
        entry.fields.iter().filter(|field| self.paths.contains(**field)).count()
    }

    /// Returns the entry's fields and behaviors that did not occur.
    pub fn missing(&self, entry: &Entry) -> Vec<String> {
        let fields = entry.fields.iter().filter(|field| !self.paths.contains(**field));
        let behaviors = entry.behaviors.iter().filter(|behavior| self.occurrences(**behavior) == 0);
        fields
            .map(|field| (*field).to_owned())
            .chain(behaviors.map(|behavior| format!("the behavior {behavior:?}")))
            .collect()
    }
}
