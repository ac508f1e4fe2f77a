//! A record of the nodes that pods have had, and of what events say about them. It shows whether a pod was ever
//! placed twice.
//!
//! The API server refuses to bind a pod that already has a node. For this reason, the scheduler's events count as
//! well: a scheduler that takes a refused or second binding for a success reports that it has placed the pod again,
//! or on another node.

use std::collections::{BTreeMap, HashMap};

/// The observed changes of all pods so far.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The node of every pod that ever had one, by uid.
    nodes: HashMap<String, String>,
    /// The content of the events about each pod, by uid.
    told: BTreeMap<String, Said>,
    /// Descriptions of pods that changed their node.
    moved: Vec<String>,
}

/// The content of the events about one pod.
#[derive(Debug, Default)]
struct Said {
    pod: String,
    /// The node, and the number of times that the event occurred, by the event's name.
    events: BTreeMap<String, (String, i32)>,
}

impl History {
    /// Records that the pod exists, with this node or without one.
    pub(crate) fn pod(&mut self, pod: &str, uid: &str, node: Option<&str>) {
        if let Some(before) = self.nodes.get(uid).filter(|before| Some(before.as_str()) != node) {
            self.moved.push(format!("pod {pod} was on node {before} and then on {node:?}"));
        }
        if let Some(node) = node {
            self.nodes.insert(uid.to_owned(), node.to_owned());
        }
    }

    /// Records that an event says, this many times, that the pod was placed on this node.
    pub(crate) fn told(&mut self, pod: &str, uid: &str, event: &str, node: &str, times: i32) {
        let said = self.told.entry(uid.to_owned()).or_default();
        pod.clone_into(&mut said.pod);
        said.events.insert(event.to_owned(), (node.to_owned(), times));
    }

    /// Returns the node of every pod that ever had one, by uid.
    pub(crate) fn nodes(&self) -> &HashMap<String, String> {
        &self.nodes
    }

    /// Returns a description of each violation.
    pub(crate) fn wrongs(&self) -> Vec<String> {
        let mut wrongs = self.moved.clone();
        for (uid, Said { pod, events }) in &self.told {
            let times: i32 = events.values().map(|(_, times)| times).sum();
            if times > 1 {
                let nodes: Vec<&str> = events.values().map(|(node, _)| node.as_str()).collect();
                wrongs.push(format!("pod {pod} is said to be placed {times} times, on {nodes:?}"));
            }
            let on = self.nodes.get(uid);
            for (node, _) in events.values().filter(|(node, _)| on.is_some_and(|on| on != node)) {
                wrongs.push(format!("pod {pod} is said to be on node {node} and is on {on:?}"));
            }
        }
        wrongs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(node: &str) -> History {
        let mut history = History::default();
        history.pod("p", "u", None);
        history.pod("p", "u", Some(node));
        history.told("p", "u", "p.1", node, 1);
        history
    }

    #[test]
    fn a_good_history_passes() {
        let mut history = placed("n");
        // The same pod is seen again, and another pod with the same name.
        history.pod("p", "u", Some("n"));
        history.told("p", "u", "p.1", "n", 1);
        history.pod("p", "v", Some("m"));
        history.told("p", "v", "p.2", "m", 1);
        assert_eq!(history.wrongs(), Vec::<String>::new());
    }

    #[test]
    fn a_pod_that_moves_is_found() {
        let mut history = placed("n");
        history.pod("p", "u", Some("m"));
        assert!(history.wrongs().iter().any(|wrong| wrong.contains("was on node n and then on Some(\"m\")")));
        let mut history = placed("n");
        history.pod("p", "u", None);
        assert_eq!(history.wrongs(), ["pod p was on node n and then on None"]);
    }

    #[test]
    fn a_pod_that_is_placed_twice_on_one_node_is_found() {
        let mut history = placed("n");
        history.told("p", "u", "p.2", "n", 1);
        assert_eq!(history.wrongs(), [r#"pod p is said to be placed 2 times, on ["n", "n"]"#]);
        let mut history = placed("n");
        history.told("p", "u", "p.1", "n", 2);
        assert_eq!(history.wrongs().len(), 1, "{:?}", history.wrongs());
    }

    #[test]
    fn a_pod_that_is_said_to_be_elsewhere_is_found() {
        let mut history = History::default();
        history.told("p", "u", "p.1", "m", 1);
        history.pod("p", "u", Some("n"));
        assert_eq!(history.wrongs(), [r#"pod p is said to be on node m and is on Some("n")"#]);
    }
}
