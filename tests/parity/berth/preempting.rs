//! Preemption: runs a whole scheduling cycle and collects the core's actions. The pod is removed again afterwards.

use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::{Pod, PodSpec};
use berth_core::{Action, Event};

use super::{Cluster, PROFILE};
use crate::preemption::{BerthResult, NotAttempted, PreemptionResult};

impl Cluster {
    /// Returns the result of preemption for a pod. `message` says why no node fits. Preemption is not attempted without
    /// nodes, for a pod that has a node, and for a pod that pre-enqueue rejects.
    pub(super) fn preempt(&mut self, pod: &Pod, message: &str) -> Result<PreemptionResult> {
        if self.engine.core().cache().node_count() == 0 {
            return Ok(PreemptionResult::NotAttempted(NotAttempted::NoNodes));
        }
        if !pod.node_name.is_empty() {
            return Ok(PreemptionResult::NotAttempted(NotAttempted::HasNode));
        }
        let spec = PodSpec { scheduler_name: PROFILE.into(), ..PodSpec::clone(&pod.spec) };
        let pod = Arc::new(Pod { spec: Arc::new(spec), ..pod.clone() });
        let mut actions = self.step(Event::PodSet(Arc::clone(&pod)));
        let pre_enqueue_rejects = !self.engine.core().has_work();
        actions.extend(self.step(Event::Cycle));
        self.step(Event::PodRemoved(pod.key.clone()));
        if pre_enqueue_rejects {
            return Ok(PreemptionResult::NotAttempted(NotAttempted::PreEnqueueRejects));
        }
        // An existing nomination is not repeated in the actions.
        let mut result = BerthResult { node: pod.nominated_node_name.to_string(), ..BerthResult::default() };
        let mut note = None;
        for action in actions {
            match action {
                Action::Nominate { pod: of, node } if of == pod.key => result.node = node.into(),
                Action::Evict { pod, .. } => drop(result.evicted.insert(pod.name.into())),
                Action::Emit(event) => note = Some(event.note.to_string()),
                _ => {}
            }
        }
        let note = note.with_context(|| format!("pod {} was not tried", pod.key))?;
        let more = note
            .strip_prefix(message)
            .with_context(|| format!("the event has the message {note:?}, expected {message:?} first"))?;
        result.message = more.trim_start().to_owned();
        if !result.message.is_empty() {
            result.node.clear();
        }
        Ok(PreemptionResult::Berth(result))
    }
}
