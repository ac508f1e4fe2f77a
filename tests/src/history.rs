//! A record of the nodes that pods have had, and of the events `Scheduled` about these pods. The record shows whether a
//! pod was ever placed twice.
//!
//! The API server refuses to bind a pod that already has a node. For this reason, the scheduler's events count as
//! well: a scheduler that mistakes a refused or second binding for a success reports that it has placed the pod
//! again, or on another node.

use std::collections::{BTreeMap, HashMap};

/// The observed changes of all pods so far.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The node of every pod that ever had a node, by the pod's uid.
    nodes: HashMap<String, String>,
    /// The content of the events about each pod, by the pod's uid.
    events: BTreeMap<String, PodEvents>,
    /// Descriptions of pods that changed their node.
    moved: Vec<String>,
}

/// The content of the events about one pod.
#[derive(Debug, Default)]
struct PodEvents {
    pod: String,
    /// The node, and the number of times that the event occurred, by the event's name.
    events: BTreeMap<String, (String, i32)>,
}

impl History {
    /// Records that the pod exists, with this node or without one.
    pub(crate) fn record_pod(&mut self, pod: &str, uid: &str, node: Option<&str>) {
        if let Some(before) = self.nodes.get(uid).filter(|before| Some(before.as_str()) != node) {
            self.moved.push(format!("pod {pod} was on node {before} and then on {node:?}"));
        }
        if let Some(node) = node {
            self.nodes.insert(uid.to_owned(), node.to_owned());
        }
    }

    /// Records that an event reports, this many times, that the pod was placed on this node.
    pub(crate) fn record_event(&mut self, pod: &str, uid: &str, event: &str, node: &str, times: i32) {
        let recorded = self.events.entry(uid.to_owned()).or_default();
        pod.clone_into(&mut recorded.pod);
        recorded.events.insert(event.to_owned(), (node.to_owned(), times));
    }

    /// Returns the node of every pod that ever had a node, by the pod's uid.
    pub(crate) fn nodes(&self) -> &HashMap<String, String> {
        &self.nodes
    }

    /// Returns a description of each violation: a pod changed its node, events report more than one placement of a pod,
    /// or an event reports another node than the pod has.
    pub(crate) fn violations(&self) -> Vec<String> {
        let mut violations = self.moved.clone();
        for (uid, PodEvents { pod, events }) in &self.events {
            let times: i32 = events.values().map(|(_, times)| times).sum();
            if times > 1 {
                let nodes: Vec<&str> = events.values().map(|(node, _)| node.as_str()).collect();
                violations
                    .push(format!("events report that pod {pod} was placed {times} times, on the nodes {nodes:?}"));
            }
            let on = self.nodes.get(uid);
            for (node, _) in events.values().filter(|(node, _)| on.is_some_and(|on| on != node)) {
                violations.push(format!("an event reports that pod {pod} is on node {node}, but it is on {on:?}"));
            }
        }
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(node: &str) -> History {
        let mut history = History::default();
        history.record_pod("p", "u", None);
        history.record_pod("p", "u", Some(node));
        history.record_event("p", "u", "p.1", node, 1);
        history
    }

    #[test]
    fn a_valid_history_has_no_violations() {
        let mut history = placed("n");
        // The same pod is seen again, and another pod with the same name.
        history.record_pod("p", "u", Some("n"));
        history.record_event("p", "u", "p.1", "n", 1);
        history.record_pod("p", "v", Some("m"));
        history.record_event("p", "v", "p.2", "m", 1);
        assert_eq!(history.violations(), Vec::<String>::new());
    }

    #[test]
    fn a_pod_that_changes_its_node_is_a_violation() {
        let mut history = placed("n");
        history.record_pod("p", "u", Some("m"));
        assert!(history.violations().iter().any(|wrong| wrong.contains("was on node n and then on Some(\"m\")")));
        let mut history = placed("n");
        history.record_pod("p", "u", None);
        assert_eq!(history.violations(), ["pod p was on node n and then on None"]);
    }

    #[test]
    fn a_second_scheduled_event_is_a_violation() {
        let mut history = placed("n");
        history.record_event("p", "u", "p.2", "n", 1);
        assert_eq!(history.violations(), [r#"events report that pod p was placed 2 times, on the nodes ["n", "n"]"#]);
        let mut history = placed("n");
        history.record_event("p", "u", "p.1", "n", 2);
        assert_eq!(history.violations().len(), 1, "{:?}", history.violations());
    }

    #[test]
    fn an_event_with_another_node_is_a_violation() {
        let mut history = History::default();
        history.record_event("p", "u", "p.1", "m", 1);
        history.record_pod("p", "u", Some("n"));
        assert_eq!(history.violations(), [r#"an event reports that pod p is on node m, but it is on Some("n")"#]);
    }
}
