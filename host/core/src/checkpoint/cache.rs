//! The state of the cache.

use serde::{Deserialize, Serialize};

use super::error::{RestoreError, check};
use super::events::EventState;
use super::objects::ObjectsState;
use super::shared::{Reading, Writing};
use super::slab::SlabState;
use crate::cache::ids::Slab;
use crate::cache::pending::PendingPod;
use crate::cache::{Cache, CachedPod, ChangeLog, ImageId, ImageState, Images, NodeId, NodeInfo, PodId, Usage};
use crate::model::HostPort;

/// A [`Cache`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CacheState {
    nodes: SlabState<NodeState>,
    pods: SlabState<PodState>,
    /// Ids of pods by the name of a node that does not exist, ordered by name.
    waiting: Vec<(Box<str>, Vec<PodId>)>,
    /// `None` if the cache does not hold pending pods.
    pending: Option<SlabState<PendingState>>,
    images: SlabState<ImageState>,
    objects: ObjectsState,
    log: ChangeLog,
    events: Vec<EventState>,
}

/// A [`NodeInfo`]. The sums and the list of ports are stored, because their order depends on the pods that were on the
/// node before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeState {
    /// The index in the list of nodes.
    node: u32,
    images: Vec<ImageId>,
    pods: Vec<PodId>,
    usage: Usage,
    used_ports: Vec<HostPort>,
}

/// A [`CachedPod`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PodState {
    /// The index in the list of pods.
    pod: u32,
    node: Option<NodeId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
}

/// A [`PendingPod`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PendingState {
    id: PodId,
    /// The index in the list of pods.
    pod: u32,
}

impl CacheState {
    pub fn of(cache: &Cache, writing: &mut Writing) -> Self {
        let mut waiting: Vec<_> = cache.waiting.iter().map(|(node, pods)| (node.clone(), pods.clone())).collect();
        waiting.sort_unstable();
        let pending_state = |pending: &PendingPod, writing: &mut Writing| PendingState {
            id: pending.id,
            pod: writing.pods.index(&pending.pod),
        };
        let pending = cache.pending.as_deref();
        Self {
            nodes: SlabState::of(&cache.nodes, |info| NodeState {
                node: writing.nodes.index(&info.node),
                images: info.images.clone(),
                pods: info.pods.clone(),
                usage: info.usage.clone(),
                used_ports: info.used_ports.clone(),
            }),
            pods: SlabState::of(&cache.pods, |cached| PodState {
                pod: writing.pods.index(&cached.pod),
                node: cached.node,
                assumed: cached.assumed,
            }),
            waiting,
            pending: pending.map(|pods| SlabState::of(pods, |pending| pending_state(pending, writing))),
            images: SlabState::of(&cache.images.states, ImageState::clone),
            objects: ObjectsState::of(&cache.objects, writing),
            log: cache.log.clone(),
            events: EventState::all(&cache.events, writing),
        }
    }

    pub fn restore(self, reading: &Reading) -> Result<Cache, RestoreError> {
        let nodes = self.nodes.restore("the node", |id, state: NodeState| {
            let node = reading.nodes.get(state.node)?;
            let NodeState { images, pods, usage, used_ports, .. } = state;
            Ok(NodeInfo { id: NodeId(id), node, images, pods, usage, used_ports })
        })?;
        let pods = self.pods.restore("the pod", |_, state: PodState| {
            Ok(CachedPod { pod: reading.pods.get(state.pod)?, node: state.node, assumed: state.assumed })
        })?;
        let pending_pod = |_, state: PendingState| Ok(PendingPod { id: state.id, pod: reading.pods.get(state.pod)? });
        let pending = self.pending.map(|pending| pending.restore("the pending pod", pending_pod)).transpose()?;
        let cache = Cache {
            nodes,
            pods,
            waiting: self.waiting.into_iter().collect(),
            pending,
            images: Images { states: self.images.restore("the image", |_, state| Ok(state))? },
            objects: self.objects.restore(reading)?,
            log: self.log,
            events: EventState::restore_all(self.events, reading)?,
        };
        check(cache.log.has_valid_positions(), || "the change log ends before its last change".to_owned())?;
        check_pods_on_nodes(&cache)?;
        check_pending_pods(&cache)?;
        check_images(&cache)?;
        Ok(cache)
    }
}

/// Checks that nodes and pods name each other, and that each other pod waits for its node.
fn check_pods_on_nodes(cache: &Cache) -> Result<(), RestoreError> {
    let mut named = vec![false; cache.pods.end()];
    let mut check_names = |pods: &[PodId], node: Option<NodeId>| {
        for id in pods {
            let is_there = cache.pod(*id).is_some_and(|cached| cached.node == node);
            let is_new = named.get_mut(id.0 as usize).is_some_and(|named| !std::mem::replace(named, true));
            check(is_there && is_new, || format!("the node of the pod with the id {} is not clear", id.0))?;
        }
        Ok(())
    };
    for info in cache.nodes() {
        check_names(&info.pods, Some(info.id))?;
    }
    for pods in cache.waiting.values() {
        check_names(pods, None)?;
    }
    let all_are_named = cache.pods().all(|(id, _)| named.get(id.0 as usize) == Some(&true));
    check(all_are_named, || "a pod is neither on a node nor waits for its node".to_owned())
}

/// Checks that each pending pod has an id that was lent to it, and that no other id is lent.
fn check_pending_pods(cache: &Cache) -> Result<(), RestoreError> {
    let lent = (0..cache.pods.end() as u32).filter(|id| cache.pods.lent(*id).is_some()).count();
    let pending = cache.pending.as_deref();
    let is_lent = |(key, pending): (u32, &PendingPod)| cache.pods.lent(pending.id.0) == Some(key);
    let are_lent = pending.is_none_or(|pods| pods.entries().all(is_lent));
    check(are_lent && lent == pending.map_or(0, Slab::len), || "the ids of the pending pods are not theirs".to_owned())
}

/// Checks that each image counts the nodes that have it.
fn check_images(cache: &Cache) -> Result<(), RestoreError> {
    let mut nodes = vec![0; cache.images.states.end()];
    for id in cache.nodes().flat_map(|info| &info.images) {
        let count = nodes.get_mut(id.0 as usize);
        *count.ok_or_else(|| RestoreError::Contradiction(format!("a node has the image {}", id.0)))? += 1;
    }
    let is_counted = |id: usize| cache.images.get(ImageId(id as u32)).map_or(0, |state| state.nodes) == nodes[id];
    check((0..nodes.len()).all(is_counted), || "an image counts other nodes than those that have it".to_owned())
}
