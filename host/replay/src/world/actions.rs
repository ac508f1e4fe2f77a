//! Executes the core's actions.

use std::sync::Arc;

use berth_core::intent::Intent;
use berth_core::model::{ObjectKind, ObjectReads, Pod, PodKey};
use berth_core::{Action, Event};

use super::World;
use crate::history::PodIndex;
use crate::reads::{Known, is_covered};

impl World<'_> {
    /// Executes an action. Every request succeeds at once.
    pub(super) fn execute(&mut self, action: Action) {
        match action {
            // No extender is asked, so no extender binds.
            Action::Bind { pod, node } | Action::BindByExtender { pod, node, .. } => {
                let index = self.index(&pod);
                self.events.push_back(Event::Bound(pod));
                if let Some(index) = index {
                    self.bind(index, &node);
                }
            }
            Action::ExecuteIntents { pod, step, intents } => {
                self.execute_intents(intents);
                self.events.push_back(Event::IntentsExecuted(pod, step));
            }
            Action::CancelIntents { step, undo, .. } => {
                self.events.retain(|event| !matches!(event, Event::IntentsExecuted(_, done) if *done == step));
                self.execute_intents(undo);
            }
            Action::Change(intents) => self.execute_intents(intents),
            Action::Nominate { pod, node } => self.nominate(&pod, node),
            Action::Evict { pod, .. } => {
                if let Some(index) = self.index(&pod) {
                    self.evict(index);
                }
            }
            Action::SetUnscheduled { pod, message, .. } => {
                let known = self.index(&pod).and_then(|index| self.pods[index].as_mut());
                known.into_iter().for_each(|known| known.message = Some(Arc::clone(&message)));
            }
            Action::Watch(reads) => self.watch(reads),
            Action::StopWatching(kind) => self.events.push_back(Event::WatchStopped(kind)),
            Action::Warn { plugin, message } => self.course.warns(&plugin, &message),
            // Kubernetes events have no influence.
            Action::Emit(_) => {}
        }
    }

    pub(super) fn index(&self, pod: &PodKey) -> Option<PodIndex> {
        self.by_uid.get(&pod.uid).copied()
    }

    fn execute_intents(&mut self, intents: Vec<Intent>) {
        intents.into_iter().for_each(|intent| self.execute_intent(intent));
    }

    fn nominate(&mut self, pod: &PodKey, node: Box<str>) {
        let Some(known) = self.index(pod).and_then(|index| self.pods[index].as_mut()) else { return };
        if known.bound.is_some() {
            return;
        }
        known.pod = Arc::new(Pod { nominated_node_name: node, ..Pod::clone(&known.pod) });
        self.events.push_back(Event::PodSet(Arc::clone(&known.pod)));
    }

    /// Sends all pods or all nodes again, because plugins name other fields than before.
    fn send_again(&mut self, kind: &ObjectKind) {
        if *kind == ObjectKind::pod() {
            let pods = self.pods.iter().flatten().map(|known| Event::PodSet(Arc::clone(&known.pod)));
            self.events.extend(pods);
        } else {
            let nodes = self.nodes.values().map(|node| Event::NodeSet(Arc::clone(node)));
            self.events.extend(nodes);
        }
    }

    /// Lists the objects of a kind.
    fn watch(&mut self, reads: ObjectReads) {
        let known = self.history.kinds.get(&reads.kind);
        match known {
            Some(Known::Listed(has)) if self.reads_all || is_covered(&reads.fields, &has.fields) => {}
            Some(Known::Refused(why)) => {
                let refused = Event::ObjectsRefused(Arc::clone(&reads.kind), Arc::clone(why));
                return self.events.push_back(refused);
            }
            // The capture lacks the kind. The plugin that reads it is told that the list is not complete.
            _ => return,
        }
        if reads.kind.is_pod_or_node() {
            self.named.set(&reads);
            self.send_again(&reads.kind);
        } else {
            let of_kind = self.objects.values().filter(|object| object.key.kind == reads.kind);
            let shown: Vec<Event> = of_kind.filter_map(|object| self.shown(object)).map(Event::ObjectSet).collect();
            self.events.extend(shown);
        }
        self.events.push_back(Event::ObjectsListed(reads));
    }
}
