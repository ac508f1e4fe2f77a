//! Compares queueing hints: the answers whether a pod that a plugin rejected is queued again after a change.
//!
//! The hints of plugins that rejected no node before the change are not compared, because no scheduler asks for these
//! hints.

use serde_json::Value;

use crate::answer::{Answer, Hints, Verdict};
use crate::case::{Case, Change};

/// Plugins for which Berth derives the hint from the plugin's verdict on the changed node. The corresponding plugins of
/// kube-scheduler queue the pod for any changed node.
const BY_VERDICT: [&str; 3] = ["NodeName", "NodeUnschedulable", "NodeDeclaredFeatures"];

/// A change, with the answers about a pod before and after the change.
pub struct HintQuestion<'a> {
    /// The change.
    pub change: &'a Change,
    /// The changed or removed object before the change; `None` for a new object.
    pub object_before: Option<&'a Value>,
    /// The pod.
    pub pod: &'a Value,
    /// kube-scheduler's answer about the pod before the change.
    pub before: &'a Answer,
    /// kube-scheduler's answer about the pod after the change.
    pub after: &'a Answer,
}

impl HintQuestion<'_> {
    /// Returns the differences of the plugins' hints that docs/differences.md does not describe, one per element.
    pub fn differences(&self, theirs: &Hints, ours: &Hints) -> Vec<String> {
        let differs = |(plugin, theirs): &(&str, bool)| {
            let ours = ours.get(*plugin).copied();
            ours.unwrap_or_default() != *theirs && !self.is_documented(plugin, ours)
        };
        let outcome = |again: bool| if again { "queues the pod again" } else { "lets the pod wait" };
        self.relevant(theirs)
            .filter(differs)
            .map(|(plugin, theirs)| format!("{plugin}: kube-scheduler {}, Berth {}", outcome(theirs), outcome(!theirs)))
            .collect()
    }

    /// Returns the hints of the plugins that rejected at least one node for the pod before the change.
    pub fn relevant<'a>(&'a self, hints: &'a Hints) -> impl Iterator<Item = (&'a str, bool)> {
        let rejected =
            |plugin: &str| self.before.plugins.get(plugin).is_some_and(|verdict| !verdict.rejected.is_empty());
        let all = hints.iter().map(|(plugin, again)| (plugin.as_str(), *again));
        all.filter(move |(plugin, _)| rejected(plugin))
    }

    /// Returns true if docs/differences.md describes the difference. `ours` is Berth's hint, or `None` if the
    /// change caused no event in Berth.
    fn is_documented(&self, plugin: &str, ours: Option<bool>) -> bool {
        let none = Verdict::default();
        let verdict = |answer: &'_ Answer| answer.plugins.get(plugin).unwrap_or(&none).rejected.clone();
        let (before, after) = (verdict(self.before), verdict(self.after));
        let (Change::Set(object) | Change::Remove(object)) = self.change;
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        match ours {
            // Without an event, the plugin must reject the same nodes as before, for the same reasons.
            None => before == after,
            Some(false) => {
                let still_rejected = object["kind"] == "Node" && after.contains_key(name);
                let by_verdict = BY_VERDICT.contains(&plugin) || (plugin == "NodeAffinity" && is_unreadable(self.pod));
                still_rejected && by_verdict
            }
            // The plugin accepts a node that it rejected before, or kube-scheduler's hint overlooks the change.
            Some(true) => before.keys().any(|node| !after.contains_key(node)) || self.is_overlooked_upstream(plugin),
        }
    }

    /// Returns true if kube-scheduler's hint overlooks a change that may help the pod.
    fn is_overlooked_upstream(&self, plugin: &str) -> bool {
        let Self { change, pod, .. } = self;
        let (Change::Set(object) | Change::Remove(object)) = change;
        match plugin {
            // Berth queues the pod if one of several anti-affinity terms matches, checks namespace selectors with the
            // namespaces' labels, and queues a pod without terms of its own for a new node.
            "InterPodAffinity" => {
                let (affinity, anti_affinity) = (terms(pod, "podAffinity"), terms(pod, "podAntiAffinity"));
                let removed = self.object_before.filter(|_| matches!(change, Change::Remove(_)));
                let removed_terms = removed.map(|pod| terms(pod, "podAntiAffinity")).unwrap_or_default();
                let mut all = affinity.iter().chain(&anti_affinity).chain(&removed_terms);
                let by_labels = all.any(|term| term.get("namespaceSelector").is_some());
                let without_terms = affinity.is_empty() && anti_affinity.is_empty();
                anti_affinity.len() > 1
                    || removed_terms.len() > 1
                    || by_labels
                    || object["kind"] == "Node"
                    || without_terms
            }
            // In Berth, a pod of another namespace can use the same disk.
            "VolumeRestrictions" => object["metadata"]["namespace"] != pod["metadata"]["namespace"],
            // Berth also queues the pod when a CSINode loses its limit, and when a VolumeAttachment is deleted and all
            // claims of the pod are for ephemeral volumes.
            "NodeVolumeLimits" => ["CSINode", "VolumeAttachment"].iter().any(|kind| object["kind"] == *kind),
            // A CSIDriver that no longer publishes capacities also helps pods with claims, not only pods with an inline
            // volume of the driver.
            "VolumeBinding" => object["kind"] == "CSIDriver",
            // A removed claim frees the devices that were allocated to it.
            "DynamicResources" => object["kind"] == "ResourceClaim" && matches!(change, Change::Remove(_)),
            _ => false,
        }
    }
}

/// Returns true if a term of the pod's required node affinity can't be parsed. No node matches such a term, but
/// kube-scheduler queues the pod again for any changed node.
fn is_unreadable(pod: &Value) -> bool {
    let required = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let list = |of: &Value, field: &str| of[field].as_array().cloned().unwrap_or_default();
    let expressions = list(required, "nodeSelectorTerms");
    expressions.iter().flat_map(|term| list(term, "matchExpressions")).any(|requirement| {
        let compares = requirement["operator"] == "Gt" || requirement["operator"] == "Lt";
        let is_number = |value: &Value| value.as_str().is_some_and(|text| text.parse::<i64>().is_ok());
        compares && !list(&requirement, "values").iter().all(is_number)
    })
}

/// Returns the terms of a pod's required affinity or anti-affinity to other pods.
fn terms(pod: &Value, kind: &str) -> Vec<Value> {
    let terms = &pod["spec"]["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"];
    terms.as_array().cloned().unwrap_or_default()
}

/// Returns all differences between the hints about a case, one per element. `steps` are kube-scheduler's answers,
/// before the first change and after each change.
pub fn differences(case: &Case, steps: &[Vec<Answer>], theirs: &[Vec<Hints>], ours: &[Vec<Hints>]) -> Vec<String> {
    let mut lines = Vec::new();
    for_each_question(case, steps, theirs, |at, question, theirs| {
        let none = Hints::new();
        let ours = ours.get(at.0).and_then(|pods| pods.get(at.1)).unwrap_or(&none);
        let of_pod = question.differences(theirs, ours).into_iter();
        lines.extend(of_pod.map(|line| format!("after {} changes, pod p{}: {line}", at.0 + 1, at.1)));
    });
    lines
}

/// Calls `visit` for each change and pod, with their indices into `changes` and `pods` of the case, the question, and
/// kube-scheduler's hints.
pub fn for_each_question(
    case: &Case,
    steps: &[Vec<Answer>],
    theirs: &[Vec<Hints>],
    mut visit: impl FnMut((usize, usize), &HintQuestion<'_>, &Hints),
) {
    for (at, (change, hints)) in case.changes.iter().zip(theirs).enumerate() {
        let object_before = case.before(at);
        for (number, (pod, hints)) in case.pods.iter().zip(hints).enumerate() {
            let answer = |step: usize| steps.get(step).and_then(|pods| pods.get(number));
            if let (Some(before), Some(after)) = (answer(at), answer(at + 1)) {
                visit((at, number), &HintQuestion { change, object_before, pod, before, after }, hints);
            }
        }
    }
}
