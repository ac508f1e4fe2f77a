//! The component's arguments, and its knowledge of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::draw::Draw;
use crate::exports::berth::scheduler::snapshot::{Change, Node};

/// The prefix of the node names that make the component hostile. No node of the trial run has this prefix, so that
/// a component passes the trial run.
const ARMING_PREFIX: &str = "hostile-";

/// `pluginConfig[].args`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Arguments {
    /// The seed of all answers.
    pub seed: u64,
    /// True if all lengths and ids are valid.
    #[serde(default)]
    pub valid: bool,
    /// The exports that are hostile; all if empty.
    #[serde(default)]
    pub points: BTreeSet<String>,
    /// True if the component is hostile from its first call on, before it knows a node.
    #[serde(default)]
    pub armed: bool,
    /// True if calls sometimes trap, take too long, or allocate too much memory.
    #[serde(default)]
    pub breaks: bool,
}

/// The state that is kept between calls.
#[derive(Debug, Default)]
pub struct Facts {
    pub arguments: Arguments,
    /// Node names by node id.
    pub nodes: BTreeMap<u32, String>,
    /// The node ids of pods on nodes, by pod id.
    pub pods: BTreeMap<u32, u32>,
    /// Memory that is allocated and never freed.
    pub allocated: Vec<Vec<u8>>,
    calls: u64,
    armed: bool,
}

impl Facts {
    /// Creates the state of a component that was just configured.
    pub fn new(arguments: Arguments) -> Self {
        Self { arguments, ..Self::default() }
    }

    /// Returns the generator of an answer, or `None` if the answer is to be harmless. `about` depends on the call's
    /// arguments, so that a new instance does not repeat the answers of the instance before it.
    pub fn draw(&mut self, export: &str, about: u64) -> Option<Draw> {
        self.calls += 1;
        let Arguments { seed, valid, points, armed, .. } = &self.arguments;
        let hostile = (*armed || self.armed) && (points.is_empty() || points.contains(export));
        let name = export.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        hostile.then(|| Draw::new(&[*seed, self.calls, name, about], *valid))
    }

    pub fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Node(Node { id, name: Some(name), .. }) => {
                    self.armed |= name.starts_with(ARMING_PREFIX);
                    self.nodes.insert(*id, name.clone());
                }
                Change::NodeRemoved(id) => drop(self.nodes.remove(id)),
                Change::ResidentPod(pod) => drop(self.pods.insert(pod.id, pod.node)),
                Change::ResidentPodRemoved(id) => drop(self.pods.remove(id)),
                _ => {}
            }
        }
    }

    /// Returns the ids of all nodes.
    pub fn node_ids(&self) -> Vec<u32> {
        self.nodes.keys().copied().collect()
    }

    /// Returns the ids of the pods on a node.
    pub fn pods_on(&self, node: u32) -> Vec<u32> {
        self.pods.iter().filter(|(_, on)| **on == node).map(|(id, _)| *id).collect()
    }
}
