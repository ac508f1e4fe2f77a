//! A whole scheduling cycle, of which nothing is left: what the core wants done to make room for a pod.

use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::{Pod, PodSpec};
use berth_core::{Action, Event};

use super::{Cluster, NOW, PROFILE};
use crate::room::{Made, NotAsked, Room};

impl Cluster {
    /// `message` says why the pod fits nowhere. Nobody is asked where there are no nodes, and for a pod that no scheduler would
    /// try: one that has a node, or is held back.
    pub(super) fn make_room(&mut self, pod: &Pod, message: &str) -> Result<Room> {
        if self.core.cache().node_count() == 0 {
            return Ok(Room::NotAsked(NotAsked::NoNodes));
        }
        if !pod.node_name.is_empty() {
            return Ok(Room::NotAsked(NotAsked::HasNode));
        }
        let spec = PodSpec { scheduler_name: PROFILE.into(), ..PodSpec::clone(&pod.spec) };
        let pod = Arc::new(Pod { spec: Arc::new(spec), ..pod.clone() });
        let mut actions = self.core.step(Event::PodSet(Arc::clone(&pod)), NOW, &mut self.guests);
        let is_held = !self.core.has_work();
        actions.extend(self.core.step(Event::Cycle, NOW, &mut self.guests));
        self.core.step(Event::PodRemoved(pod.key.clone()), NOW, &mut self.guests);
        if is_held {
            return Ok(Room::NotAsked(NotAsked::Held));
        }
        // What is promised already is not promised again.
        let mut room = Made { node: pod.nominated_node_name.to_string(), ..Made::default() };
        let mut told = None;
        for action in actions {
            match action {
                Action::Nominate { pod: of, node } if of == pod.key => room.node = node.into(),
                Action::Evict { pod, .. } => drop(room.evicted.insert(pod.name.into())),
                Action::Emit(event) => told = Some(event.note.to_string()),
                _ => {}
            }
        }
        let told = told.with_context(|| format!("pod {} was not tried", pod.key))?;
        let more = told.strip_prefix(message).with_context(|| format!("said {message:?} first, then {told:?}"))?;
        room.message = more.trim_start().to_owned();
        if !room.message.is_empty() {
            room.node.clear();
        }
        Ok(Room::Made(room))
    }
}
