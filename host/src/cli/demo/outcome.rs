//! The outcome of each pod, as the API server reports it.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

use super::files::Expectation;

/// The node of a pod, or the reason that the pod has no node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The pod is bound to this node.
    Placed(String),
    /// The pod has no node; with the message of its condition PodScheduled.
    Rejected(String),
    /// The scheduler has not reported anything yet.
    Open,
}

/// The outcomes of all pods of the workload, by the label `app` (the Deployment's name) and pod name.
#[derive(Debug, Default)]
pub struct Outcomes(BTreeMap<String, BTreeMap<String, Outcome>>);

impl Outcomes {
    /// Records the current state of a pod.
    pub fn set(&mut self, pod: &Pod) {
        let (Some(app), Some(name)) = (app_of(pod), &pod.metadata.name) else { return };
        self.0.entry(app).or_default().insert(name.clone(), outcome_of(pod));
    }

    /// Returns outcomes of a Deployment's pods, for tests.
    #[cfg(test)]
    pub fn given<const N: usize>(app: &str, outcomes: [Outcome; N]) -> Self {
        let pods = outcomes.into_iter().enumerate().map(|(number, outcome)| (number.to_string(), outcome));
        Self([(app.to_owned(), pods.collect())].into())
    }

    /// Removes a deleted pod.
    pub fn remove(&mut self, pod: &Pod) {
        if let (Some(pods), Some(name)) = (app_of(pod).and_then(|app| self.0.get_mut(&app)), &pod.metadata.name) {
            pods.remove(name);
        }
    }

    /// Returns the outcomes of a Deployment's pods.
    pub fn of(&self, app: &str) -> impl Iterator<Item = &Outcome> {
        self.0.get(app).into_iter().flat_map(BTreeMap::values)
    }

    /// Returns the name of a pod that was rejected, the first in the order of the Deployments.
    pub fn first_rejected(&self) -> Option<&str> {
        let mut all = self.0.values().flatten();
        all.find(|(_, outcome)| matches!(outcome, Outcome::Rejected(_))).map(|(name, _)| name.as_str())
    }

    /// Returns the number of pods with a node, and the number of pods with a reason for having none.
    pub fn counts(&self) -> (usize, usize) {
        let all = || self.0.values().flat_map(BTreeMap::values);
        let placed = all().filter(|outcome| matches!(outcome, Outcome::Placed(_))).count();
        let rejected = all().filter(|outcome| matches!(outcome, Outcome::Rejected(_))).count();
        (placed, rejected)
    }

    /// Returns a sentence for each difference from the expected outcome.
    pub fn differences(&self, expected: &BTreeMap<String, Expectation>) -> Vec<String> {
        expected.iter().filter_map(|(app, expectation)| self.difference(app, expectation)).collect()
    }

    fn difference(&self, app: &str, expected: &Expectation) -> Option<String> {
        let placed = self.of(app).filter(|outcome| matches!(outcome, Outcome::Placed(_))).count();
        let reasons: Vec<&str> = self
            .of(app)
            .filter_map(|outcome| match outcome {
                Outcome::Rejected(why) => Some(why.as_str()),
                _ => None,
            })
            .collect();
        if placed != expected.placed || reasons.len() != expected.pending {
            return Some(format!(
                "{app}: {placed} pods placed and {} rejected; expected {} placed and {} rejected",
                reasons.len(),
                expected.placed,
                expected.pending
            ));
        }
        let other = reasons.iter().find(|why| !why.contains(&expected.because))?;
        Some(format!("{app}: rejected with {other:?}, expected to contain {:?}", expected.because))
    }
}

fn app_of(pod: &Pod) -> Option<String> {
    pod.metadata.labels.as_ref()?.get("app").cloned()
}

fn outcome_of(pod: &Pod) -> Outcome {
    if let Some(node) = pod.spec.as_ref().and_then(|spec| spec.node_name.clone()).filter(|node| !node.is_empty()) {
        return Outcome::Placed(node);
    }
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    match conditions.iter().find(|condition| condition.type_ == "PodScheduled" && condition.status == "False") {
        Some(condition) => Outcome::Rejected(condition.message.clone().unwrap_or_default()),
        None => Outcome::Open,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, node: Option<&str>, message: Option<&str>) -> Pod {
        let conditions: Vec<_> = message
            .map(|message| json!({"type": "PodScheduled", "status": "False", "message": message}))
            .into_iter()
            .collect();
        let pod = json!({
            "metadata": {"name": name, "labels": {"app": "web"}},
            "spec": {"nodeName": node, "containers": []},
            "status": {"conditions": conditions},
        });
        serde_json::from_value(pod).expect("a pod")
    }

    #[test]
    fn only_differences_from_the_expected_outcome_are_reported() {
        let mut outcomes = Outcomes::default();
        outcomes.set(&pod("a", Some("n1"), None));
        outcomes.set(&pod("b", None, Some("0/1 nodes are available: 1 Insufficient cpu.")));
        outcomes.set(&pod("c", None, None));
        assert_eq!(outcomes.counts(), (1, 1));
        let expect = |placed, pending, because: &str| {
            let expectation = Expectation { placed, pending, because: because.into() };
            outcomes.differences(&[("web".to_owned(), expectation)].into())
        };
        assert_eq!(expect(1, 1, "Insufficient cpu"), Vec::<String>::new());
        assert_eq!(expect(2, 0, ""), ["web: 1 pods placed and 1 rejected; expected 2 placed and 0 rejected"]);
        assert!(expect(1, 1, "Insufficient memory")[0].contains("1 Insufficient cpu"));
    }
}
