//! Applies discoveries and watch events to the cluster state, and queues the tasks that follow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::cluster::Change;
use super::super::controller::{Controller, Task};
use super::super::discovery;
use super::super::kinds::{self, Kind, Object, Served, Typed};
use super::super::leases::NodeChange;
use super::super::metadata;
use super::super::node::{KubeletState, Node};
use super::super::route::route;
use super::super::store::WatchEvent;
use super::super::watch::Watch;
use super::{DISCOVERY_PAUSE, EventLoop};

impl EventLoop {
    /// Runs discovery again. After a failure, the kinds stay as they are until the next attempt.
    pub(super) async fn rediscover(&mut self) {
        match self.store.discover().await {
            Ok(found) => {
                self.discover_at = None;
                self.take_kinds(found);
            }
            Err(error) => {
                tracing::warn!(%error, "API discovery failed; trying again");
                self.discover_at = Some(self.clock.instant() + DISCOVERY_PAUSE);
            }
        }
    }

    /// Opens watches for new kinds that are watched, and closes the watches of kinds that are no longer served. Typed
    /// kinds that are not served count as listed, without objects.
    pub(super) fn take_kinds(&mut self, found: Vec<Served>) {
        let mut kinds = (*self.kinds).clone();
        let (new, lost) = kinds.update(found);
        self.kinds = Arc::new(kinds);
        for kind in lost {
            self.watches.remove(&kind);
            let changes = self.cluster.set_unserved(kind);
            self.take_changes(changes);
        }
        for kind in new {
            if let Some(served) = self.kinds.get(kind).filter(|served| served.watched) {
                let watch = Watch::open(self.store.watch(kind, served), self.sender.clone());
                self.watches.insert(kind, watch);
            }
        }
        for (kind, _) in kinds::typed() {
            if self.kinds.get(kind).is_none() {
                let changes = self.cluster.set_unserved(kind);
                self.take_changes(changes);
            }
        }
    }

    /// Applies an event of a watch to the cluster state.
    pub(super) fn apply(&mut self, event: WatchEvent) {
        let changes = match event {
            WatchEvent::ListStarted(kind) => {
                self.cluster.begin(kind);
                Vec::new()
            }
            WatchEvent::ListFinished(kind) => self.cluster.finish(kind),
            WatchEvent::Applied(object) => self.cluster.put(object),
            WatchEvent::Deleted(object) => {
                let (kind, meta) = (object.kind(), object.meta());
                let change = self.cluster.remove(kind, &metadata::Key::of(meta), metadata::uid(meta));
                change.into_iter().collect()
            }
        };
        self.take_changes(changes);
    }

    /// Queues the tasks that follow from changes of the cluster state. Reports changed nodes to the lease task, and
    /// schedules a discovery after a change of a CustomResourceDefinition.
    pub(super) fn take_changes(&mut self, changes: Vec<Change>) {
        let now = self.clock.instant();
        for change in changes {
            if change.kind == Kind::Node {
                self.kubelet.observe(&self.cluster, &change, self.clock.timestamp());
            }
            let only = &self.options.only;
            let mut add = |task: Task| {
                if runs(only.as_ref(), task.controller) {
                    self.queue.add(task, now);
                }
            };
            route(&self.cluster, &change, &mut add);
            match change.kind {
                Kind::Node if runs(self.options.only.as_ref(), Controller::Kubelet) => self.report_node(&change),
                Kind::Other(_) if self.kinds.get(change.kind).is_some_and(discovery::is_definition) => {
                    self.discover_at = Some(now + DISCOVERY_PAUSE);
                }
                _ => {}
            }
        }
    }

    /// Reports added and removed nodes, and those whose kubelet stops or starts again, to the lease task. Sending cannot
    /// fail, because the lease task holds the receiver as long as the event loop runs.
    fn report_node(&self, change: &Change) {
        let state = |object: &Object| {
            let runs = Node::of(object).is_some_and(|node| node.kubelet() != KubeletState::Stopped);
            (metadata::uid(object.meta()).to_owned(), runs)
        };
        let before = change.before.as_ref().map(state);
        let after = self.cluster.object(change.kind, &change.key).map(state);
        if before == after {
            return;
        }
        let name = change.key.name().to_owned();
        let node_change = match after {
            Some((uid, true)) => NodeChange::Added(name, uid),
            Some((_, false)) => NodeChange::Stopped(name),
            None => NodeChange::Removed(name),
        };
        drop(self.leases.send(node_change));
    }
}

/// Returns true if this controller is among the controllers that run.
fn runs(only: Option<&BTreeSet<String>>, controller: Controller) -> bool {
    only.is_none_or(|only| only.contains(controller.name()))
}
