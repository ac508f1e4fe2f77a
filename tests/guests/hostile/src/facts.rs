//! What the component knows of its arguments and of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::draw::Draw;
use crate::exports::berth::scheduler::snapshot::{Change, Node};

/// Nodes of this prefix make the component hostile. No node of the trial run has it, so that a component passes that run.
const ARMED_BY: &str = "hostile-";

/// `pluginConfig[].args`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Arguments {
    /// All answers follow from this.
    pub seed: u64,
    /// Whether lengths and ids are valid.
    #[serde(default)]
    pub valid: bool,
    /// The exports that are hostile; all where there are none.
    #[serde(default)]
    pub points: BTreeSet<String>,
    /// Whether the component is hostile from its first call on, before it knows any node.
    #[serde(default)]
    pub armed: bool,
    /// Whether calls trap, take too long, or want too much memory now and then.
    #[serde(default)]
    pub breaks: bool,
}

/// What is kept between calls.
#[derive(Debug, Default)]
pub struct Facts {
    pub arguments: Arguments,
    /// Node ids and names.
    pub nodes: BTreeMap<u32, String>,
    /// Pod ids, and the nodes that the pods are on.
    pub pods: BTreeMap<u32, u32>,
    /// Memory that was taken and is never given back.
    pub taken: Vec<Vec<u8>>,
    calls: u64,
    armed: bool,
}

impl Facts {
    /// A component that was just configured.
    pub fn new(arguments: Arguments) -> Self {
        Self { arguments, ..Self::default() }
    }

    /// The generator of an answer, or `None` where the answer is to be a harmless one. `about` is what the call is about, so that a
    /// new instance does not repeat the answers of the one before.
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
                    self.armed |= name.starts_with(ARMED_BY);
                    self.nodes.insert(*id, name.clone());
                }
                Change::NodeRemoved(id) => drop(self.nodes.remove(id)),
                Change::ResidentPod(pod) => drop(self.pods.insert(pod.id, pod.node)),
                Change::ResidentPodRemoved(id) => drop(self.pods.remove(id)),
                _ => {}
            }
        }
    }

    /// The ids of all nodes.
    pub fn node_ids(&self) -> Vec<u32> {
        self.nodes.keys().copied().collect()
    }

    /// The ids of the pods on a node.
    pub fn pods_on(&self, node: u32) -> Vec<u32> {
        self.pods.iter().filter(|(_, on)| **on == node).map(|(id, _)| *id).collect()
    }
}
