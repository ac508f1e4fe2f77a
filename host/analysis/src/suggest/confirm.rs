//! Asks the plugins about changed pods and on a changed copy of the cluster. The number of questions is bounded.

use std::sync::Arc;

use berth_core::cache::{Cache, NodeId};
use berth_core::model::{Node, Pod};
use berth_core::profile::Profile;
use serde_json::Value;

use super::change::{Change, ChangeKind, ObjectRef, PatchOperation, patched};
use super::shortage::Shortage;
use super::suggestion::Suggestion;
use crate::names::{counted, name_of};
use crate::sandbox::Sandbox;

/// The number of changed copies that an explanation asks at most.
pub const MOST_CONFIRMATIONS: usize = 64;

/// The number of nodes that a suggestion names.
const EXAMPLES: usize = 5;

/// The nodes that a changed pod fits on, at least one.
pub(crate) type Fit = Vec<NodeId>;

/// Asks whether a pod fits after a change.
pub(crate) struct Confirmer<'s> {
    sandbox: &'s mut Sandbox,
    /// The plugins to ask.
    profile: Profile,
    /// The pod, as the API server sends it, without a node.
    pub object: Value,
    /// The pod in the core's model.
    pub pod: Arc<Pod>,
    /// Only this node counts, if one is given.
    node: Option<NodeId>,
    /// The number of questions so far.
    pub asked: usize,
    limit: usize,
    /// A question was not asked because of the limit.
    pub is_limited: bool,
    /// The resources that nodes lack, as far as questions confirmed it.
    pub shortages: Vec<Shortage>,
    /// The labels that no node has, with the similar labels that nodes have, as a sentence.
    pub labels: Option<String>,
}

impl<'s> Confirmer<'s> {
    /// Creates a confirmer that asks these plugins at most `limit` times.
    pub fn new(
        sandbox: &'s mut Sandbox,
        profile: &Profile,
        object: Value,
        pod: Arc<Pod>,
        node: Option<NodeId>,
        limit: usize,
    ) -> Self {
        // All nodes that fit are of interest. Scores stay, because a plugin that fails at a score fails the attempt.
        let profile = Profile { percentage_of_nodes_to_score: None, ..profile.clone() };
        let (asked, is_limited, shortages, labels) = (0, false, Vec::new(), None);
        Self { sandbox, profile, object, pod, node, asked, limit, is_limited, shortages, labels }
    }

    /// Returns the cluster.
    pub fn cache(&self) -> &Cache {
        self.sandbox.core().cache()
    }

    /// Returns the sandbox.
    pub fn sandbox(&self) -> &Sandbox {
        self.sandbox
    }

    /// Returns the field of the pod at this JSON pointer.
    pub fn field(&self, pointer: &str) -> Option<&Value> {
        self.object.pointer(pointer)
    }

    /// Returns the pod after a patch, or `None` if the patch does not apply or the result is no valid pod.
    pub fn changed(&self, patch: &[PatchOperation]) -> Option<Arc<Pod>> {
        self.sandbox.read_pod(&patched(&self.object, patch)?).ok()
    }

    /// Returns the nodes that the pod fits on after a patch, or `None` if the patched pod
    /// can't be read, fits on no node, or is one pod more than the limit allows.
    pub fn fits(&mut self, patch: &[PatchOperation]) -> Option<Fit> {
        let pod = self.changed(patch)?;
        self.ask(&pod)
    }

    /// Returns the nodes that the pod fits on after a change of a node.
    pub fn fits_with_node(&mut self, node: Arc<Node>) -> Option<Fit> {
        self.fits_after(|sandbox| sandbox.set_node(node))
    }

    /// Returns the nodes that the pod fits on after the deletion of another pod.
    pub fn fits_without(&mut self, other: &Pod) -> Option<Fit> {
        self.fits_after(|sandbox| sandbox.remove_pod(&other.key))
    }

    fn fits_after(&mut self, change: impl FnOnce(&mut Sandbox)) -> Option<Fit> {
        let (before, pod) = (self.sandbox.position(), Arc::clone(&self.pod));
        change(self.sandbox);
        let fit = self.ask(&pod);
        self.sandbox.revert_to(before);
        fit
    }

    fn ask(&mut self, pod: &Arc<Pod>) -> Option<Fit> {
        if self.asked >= self.limit {
            self.is_limited = true;
            return None;
        }
        self.asked += 1;
        let mut nodes = self.sandbox.fits_with(pod, &self.profile)?.ok()?;
        if let Some(only) = self.node {
            nodes.retain(|node| *node == only);
        }
        nodes.sort_unstable();
        (!nodes.is_empty()).then_some(nodes)
    }

    /// Returns the suggestion of a patch of the pod, if the pod fits after the patch.
    pub fn confirmed(
        &mut self,
        kind: ChangeKind,
        plugin: &str,
        patch: Vec<PatchOperation>,
        text: impl FnOnce(&Fit) -> String,
    ) -> Option<Suggestion> {
        let fit = self.fits(&patch)?;
        let text = text(&fit);
        Some(self.suggestion(self.change(kind, patch), plugin, text, &fit))
    }

    /// Returns a change of the pod.
    pub fn change(&self, kind: ChangeKind, patch: Vec<PatchOperation>) -> Change {
        let object = ObjectRef::pod(&self.pod.key.namespace, &self.pod.key.name);
        Change::patch(kind, object, Some(&self.object), patch)
    }

    /// Returns the suggestion of a change after which these nodes fit.
    pub fn suggestion(&self, change: Change, plugin: &str, text: String, fit: &Fit) -> Suggestion {
        let examples = fit.iter().take(EXAMPLES).map(|node| name_of(self.cache(), *node)).collect();
        Suggestion { change, plugin: plugin.to_owned(), text, nodes: fit.len(), examples }
    }

    /// Returns the nodes with these ids.
    pub fn nodes<'a>(&'a self, fit: &'a Fit) -> impl Iterator<Item = &'a Arc<Node>> {
        fit.iter().filter_map(|node| self.cache().node(*node)).map(|info| &info.node)
    }
}

/// Returns `then N nodes fit`, the second half of a sentence.
pub(crate) fn then_fit(fit: &Fit) -> String {
    format!("then {} {}", counted(fit.len(), "node"), if fit.len() == 1 { "fits" } else { "fit" })
}
