//! The comparison of Coscheduling. Berth leads: it runs scheduling cycles, and the original is then asked about the same
//! pod and the same node. After each step, both sides must have the same pods waiting in permit.

pub mod case;
mod cycle;
pub mod draw;
mod known;
pub mod outcomes;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result};
use berth_core::model::PodKey;
use berth_core::{Event, Timestamp};
use serde_json::{Value, json};

use self::case::{GroupCase, Step};
use crate::berth::{Berth, Effects, Port};
use crate::coverage::Coverage;
use crate::oracle::{Answer, Oracle};

/// The name of the plugin.
pub const PLUGIN: &str = "Coscheduling";

/// The maximum number of cycles of one step. Pods that are rejected may come back at once.
const MAX_CYCLES: usize = 40;

/// The time that passes before each step.
const BETWEEN_STEPS: Duration = Duration::from_secs(1);

/// A case that is running on both sides.
struct Comparison<'a> {
    berth: Berth,
    oracle: &'a mut Oracle,
    coverage: &'a mut Coverage,
    /// The pods and PodGroups by kind and `namespace/name`.
    objects: BTreeMap<(String, String), Value>,
    /// The times at which PodGroups were added, changed or removed.
    group_changes: BTreeMap<String, Timestamp>,
    /// The pods that wait in permit, with their nodes.
    waiting: BTreeMap<String, String>,
    differences: Vec<String>,
}

/// Runs a case on both sides and returns the differences, one per element. The case ends with the first step that
/// differs.
///
/// # Errors
/// Returns an error if a side refuses the case, or a call of the port fails.
pub fn compare(port: &Port, oracle: &mut Oracle, case: &GroupCase, coverage: &mut Coverage) -> Result<Vec<String>> {
    let berth = port.start(&case.configuration())?;
    oracle.reset(PLUGIN, &case.arguments)?;
    let (objects, group_changes, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let differences = Vec::new();
    let mut comparison = Comparison { berth, oracle, coverage, objects, group_changes, waiting, differences };
    let first = case.objects.iter().map(|object| Step::Set(object.clone()));
    let steps: Vec<Step> = first.chain(case.steps.iter().cloned()).collect();
    for (at, step) in steps.iter().enumerate() {
        let pause = if at < case.objects.len() { Duration::ZERO } else { BETWEEN_STEPS };
        comparison.pass_time(pause)?;
        if comparison.differences.is_empty() {
            comparison.step(step).with_context(|| format!("step {step:?}"))?;
        }
        if !comparison.differences.is_empty() {
            let head = format!("in step {} of {}: {}", at + 1, steps.len(), serde_json::to_string(step)?);
            return Ok([head].into_iter().chain(comparison.differences).collect());
        }
    }
    Ok(Vec::new())
}

impl Comparison<'_> {
    fn step(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Set(object) => self.set(object),
            Step::Remove(object) => self.remove(object),
            Step::Wait(seconds) => self.pass_time(Duration::from_secs(*seconds)),
            Step::Run(failing) => self.run(*failing),
        }
    }

    fn set(&mut self, object: &Value) -> Result<()> {
        self.objects.insert(key_of(object), object.clone());
        self.note_change(object);
        let effects = self.berth.set(object)?;
        let answer = self.ask(json!({"set": object}))?;
        self.check(&effects, &answer)
    }

    /// Removes an object, if it exists.
    fn remove(&mut self, object: &Value) -> Result<()> {
        let key = key_of(object);
        let Some(object) = self.objects.remove(&key) else { return Ok(()) };
        self.note_change(&object);
        self.coverage.add("a waiting pod is removed", self.waiting.remove(&key.1).is_some());
        let effects = self.berth.remove(&object)?;
        let answer = self.ask(json!({"remove": object}))?;
        self.check(&effects, &answer)
    }

    fn note_change(&mut self, object: &Value) {
        if object["kind"] == "PodGroup" {
            self.group_changes.insert(key_of(object).1, self.berth.now());
        }
    }

    /// Lets time pass, with the timeouts on the way.
    fn pass_time(&mut self, duration: Duration) -> Result<()> {
        let end = self.berth.now().after(duration);
        while let Some(at) = self.berth.next_timeout(end) {
            self.berth.set_now(at);
            let effects = self.berth.step(Event::Tick)?;
            let timed_out = |(pod, note): (&String, &String)| {
                (self.waiting.contains_key(pod) && note.contains("rejected due to timeout")).then(|| pod.clone())
            };
            let pods: Vec<String> = effects.failed.iter().filter_map(timed_out).collect();
            self.coverage.add("a wait times out", !pods.is_empty());
            let mut answer = Answer::default();
            if !pods.is_empty() {
                answer = self.ask(json!({"unreserve": pods}))?;
                pods.iter().for_each(|pod| drop(self.waiting.remove(pod)));
            }
            self.check(&effects, &answer)?;
            if !self.differences.is_empty() {
                return Ok(());
            }
        }
        self.berth.set_now(end);
        Ok(())
    }

    /// Runs cycles while pods are active. The first bindings fail.
    fn run(&mut self, mut failing: u32) -> Result<()> {
        for _ in 0..MAX_CYCLES {
            if !self.berth.has_work() || !self.differences.is_empty() {
                break;
            }
            for (pod, node) in self.cycle()? {
                if self.differences.is_empty() {
                    self.bind(&pod, &node, failing > 0)?;
                    failing = failing.saturating_sub(1);
                }
            }
        }
        self.check_gated()
    }

    /// Ends the binding of a pod.
    fn bind(&mut self, pod: &str, node: &str, fails: bool) -> Result<()> {
        let object = self.objects.get(&("Pod".to_owned(), pod.to_owned())).context("a pod without object")?.clone();
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().into();
        let key = PodKey { namespace: text("namespace"), name: text("name"), uid: text("uid") };
        if fails {
            self.coverage.add("a binding fails", true);
            let effects = self.berth.step(Event::BindFailed(key, "the API server refuses it".to_owned()))?;
            let answer = self.ask(json!({"unreserve": [pod]}))?;
            return self.check(&effects, &answer);
        }
        let effects = self.berth.step(Event::Bound(key))?;
        self.check(&effects, &Answer::default())?;
        let mut bound = object;
        bound["spec"]["nodeName"] = node.into();
        self.set(&bound)
    }

    fn ask(&mut self, request: Value) -> Result<Answer> {
        self.oracle.ask(request, self.berth.now())
    }

    fn differ(&mut self, what: &str, theirs: impl std::fmt::Debug, ours: impl std::fmt::Debug) {
        self.differences.push(format!("{what}: the original has {theirs:?}, the port {ours:?}"));
    }

    /// Compares what happened to waiting pods, and the answers of pre-enqueue. Both sides end with the same waiting
    /// pods.
    fn check(&mut self, effects: &Effects, answer: &Answer) -> Result<()> {
        let waited = |pod: &&String| self.waiting.contains_key(*pod);
        let allowed: BTreeSet<String> = effects.bound.keys().filter(waited).cloned().collect();
        let rejected: BTreeSet<String> = effects.failed.keys().filter(waited).cloned().collect();
        if allowed != answer.allowed {
            self.differ("waiting pods that are approved", &answer.allowed, &allowed);
        }
        if !rejected.iter().eq(answer.rejected.keys()) {
            self.differ("waiting pods that are rejected", answer.rejected.keys(), &rejected);
        }
        for (pod, message) in &answer.rejected {
            if effects.failed.get(pod).is_some_and(|note| !note.contains(message.as_str())) {
                self.differ(&format!("the message of pod {pod}"), message, &effects.failed[pod]);
            }
        }
        self.coverage.add("waiting pods are approved", !allowed.is_empty());
        for message in ["optimistic rejection in PostFilter", "rejection in Unreserve"] {
            self.coverage.add(message, answer.rejected.values().any(|rejected| rejected == message));
        }
        self.waiting.retain(|pod, _| !allowed.contains(pod) && !rejected.contains(pod));
        for (pod, ours) in &effects.calls.pre_enqueue {
            if self.objects.contains_key(&("Pod".to_owned(), pod.clone())) {
                self.check_pre_enqueue(pod, ours.as_ref().map(|status| status.reasons.join(", ")))?;
            }
        }
        Ok(())
    }

    /// Compares the answer of pre-enqueue with that of the original's PreFilter. `ours` is the reason of a rejection.
    fn check_pre_enqueue(&mut self, pod: &str, ours: Option<String>) -> Result<()> {
        let theirs = self.ask(json!({"preFilter": pod}))?.pre_filter;
        let reason = known::reason(&theirs.reasons.join(", "), pod);
        self.coverage.add("pre-enqueue: too few members", reason.contains(known::TOO_FEW));
        self.coverage.add("pre-enqueue: gated members", reason.contains(known::GATED));
        let rejects = known::is_of_pre_enqueue(&reason);
        let same = match &ours {
            Some(ours) => known::reason(ours, pod) == reason || known::is_backoff(&reason),
            None => !rejects,
        };
        if !same {
            self.differ(&format!("pre-enqueue of pod {pod}"), &reason, &ours);
        }
        Ok(())
    }

    /// Checks that each gated pod is one that the original would reject in PreFilter, so that no pod was forgotten.
    fn check_gated(&mut self) -> Result<()> {
        for (pod, (_, entry)) in self.berth.queue() {
            let has_group =
                self.group_of(&pod).is_some_and(|group| self.objects.contains_key(&("PodGroup".to_owned(), group)));
            if !has_group || entry.gate.is_none_or(|gate| *gate.declaration.name != *PLUGIN) {
                continue;
            }
            let theirs = self.ask(json!({"preFilter": pod}))?.pre_filter;
            let reason = known::reason(&theirs.reasons.join(", "), &pod);
            if !known::is_of_pre_enqueue(&reason) && !known::is_backoff(&reason) {
                self.differ(&format!("pod {pod} is gated"), &theirs, "gated");
            }
        }
        Ok(())
    }
}

/// Returns the kind and `namespace/name` of an object.
fn key_of(object: &Value) -> (String, String) {
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    (text(&object["kind"]), format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"])))
}
