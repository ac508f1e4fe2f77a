//! Collects the items to send to an instance: each node, pod and image once, however often it changed.

use berth_core::cache::{Cache, Change, ImageId, NodeId, PodId};
use berth_core::facts::{ClusterFacts, NodeFacts};

use super::Reads;

/// An item to send. Its current state is in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// These facts of the node changed. With the name among them, the node is new.
    Node(NodeId, NodeFacts),
    NodeRemoved(NodeId),
    Pod(PodId),
    PodRemoved(PodId),
    PendingPod(PodId),
    PendingPodRemoved(PodId),
    Image(ImageId),
    ImageRemoved(ImageId),
    NodeCount,
}

/// A set of marked items, in arrays indexed by id. Between uses, no item is marked, and the arrays keep their memory.
#[derive(Default)]
pub(super) struct Pending {
    facts: Vec<Option<NodeFacts>>,
    nodes: Vec<NodeId>,
    marked_pods: Vec<bool>,
    pods: Vec<PodId>,
    marked_pending_pods: Vec<bool>,
    pending_pods: Vec<PodId>,
    marked_images: Vec<bool>,
    images: Vec<ImageId>,
    node_count: bool,
    items: Vec<Item>,
}

impl Pending {
    /// Marks everything that the plugin reads.
    pub fn everything(&mut self, cache: &Cache, reads: &Reads) {
        if !reads.node.is_empty() {
            cache.nodes().for_each(|info| self.mark_node(info.id, NodeFacts::all()));
        }
        if reads.node.facts.contains(NodeFacts::PODS) {
            cache.pods().filter(|(_, pod)| pod.node.is_some()).for_each(|(id, _)| self.mark_pod(id));
        }
        if reads.pending.is_some() {
            cache.pending_pods().for_each(|(id, _)| self.mark_pending_pod(id));
        }
        if reads.cluster.contains(ClusterFacts::IMAGES) {
            cache.images().iter().for_each(|(id, _)| self.mark_image(id));
        }
        self.node_count = reads.cluster.contains(ClusterFacts::NODE_COUNT);
    }

    /// Marks the items that the plugin reads and these changes affect.
    pub fn collect(&mut self, changes: impl Iterator<Item = Change>, reads: &Reads) {
        let relevant = reads.node.touching().difference(NodeFacts::PODS);
        for change in changes {
            match change {
                Change::Node(id, facts) if !reads.node.is_empty() => {
                    // The name never changes, so it marks a new node, even if the plugin does not read names.
                    let touched = facts & (relevant | NodeFacts::NAME);
                    if !touched.is_empty() {
                        self.mark_node(id, touched);
                    }
                }
                Change::NodeRemoved(id) if !reads.node.is_empty() => self.mark_node(id, NodeFacts::empty()),
                Change::Pod(id) | Change::PodRemoved(id) if reads.node.facts.contains(NodeFacts::PODS) => {
                    self.mark_pod(id)
                }
                Change::PendingPod(id) | Change::PendingPodRemoved(id) if reads.pending.is_some() => {
                    self.mark_pending_pod(id);
                }
                Change::Image(id) | Change::ImageRemoved(id) if reads.cluster.contains(ClusterFacts::IMAGES) => {
                    self.mark_image(id);
                }
                Change::NodeCount => self.node_count |= reads.cluster.contains(ClusterFacts::NODE_COUNT),
                _ => {}
            }
        }
    }

    /// Returns the marked items, images before the nodes that have them, and clears the marks.
    pub fn take_items(&mut self, cache: &Cache) -> &[Item] {
        self.items.clear();
        let mut gone = Vec::new();
        for id in self.images.drain(..) {
            self.marked_images[id.0 as usize] = false;
            match cache.images().get(id) {
                Some(_) => self.items.push(Item::Image(id)),
                None => gone.push(Item::ImageRemoved(id)),
            }
        }
        for id in self.nodes.drain(..) {
            let facts = self.facts[id.0 as usize].take().unwrap_or_default();
            match cache.node(id) {
                Some(_) => self.items.push(Item::Node(id, facts)),
                // The node was added and removed, and the instance never received it.
                None if facts.contains(NodeFacts::NAME) => {}
                None => self.items.push(Item::NodeRemoved(id)),
            }
        }
        for id in self.pods.drain(..) {
            self.marked_pods[id.0 as usize] = false;
            let placed = cache.pod(id).is_some_and(|pod| pod.node.is_some());
            self.items.push(if placed { Item::Pod(id) } else { Item::PodRemoved(id) });
        }
        for id in self.pending_pods.drain(..) {
            self.marked_pending_pods[id.0 as usize] = false;
            let is_pending = cache.pending_pod(id).is_some();
            self.items.push(if is_pending { Item::PendingPod(id) } else { Item::PendingPodRemoved(id) });
        }
        self.items.append(&mut gone);
        if std::mem::take(&mut self.node_count) {
            self.items.push(Item::NodeCount);
        }
        &self.items
    }

    fn mark_node(&mut self, id: NodeId, facts: NodeFacts) {
        let mark = entry(&mut self.facts, id.0);
        if mark.is_none() {
            self.nodes.push(id);
        }
        *mark.get_or_insert_default() |= facts;
    }

    fn mark_pod(&mut self, id: PodId) {
        if !std::mem::replace(entry(&mut self.marked_pods, id.0), true) {
            self.pods.push(id);
        }
    }

    fn mark_pending_pod(&mut self, id: PodId) {
        if !std::mem::replace(entry(&mut self.marked_pending_pods, id.0), true) {
            self.pending_pods.push(id);
        }
    }

    fn mark_image(&mut self, id: ImageId) {
        if !std::mem::replace(entry(&mut self.marked_images, id.0), true) {
            self.images.push(id);
        }
    }
}

/// Returns the entry of an id. Extends the array if needed.
fn entry<T: Default + Clone>(array: &mut Vec<T>, id: u32) -> &mut T {
    let at = id as usize;
    if at >= array.len() {
        array.resize(at + 1, T::default());
    }
    &mut array[at]
}
