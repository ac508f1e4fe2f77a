//! Cluster events that the state holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::RestoreError;
use super::shared::{Reading, Writing};
use crate::cluster_event::{ClusterEvent, EventActions, Subject};
use crate::facts::{NodeFacts, PodFacts};
use crate::model::ObjectKind;

/// A [`ClusterEvent`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventState {
    subject: SubjectState,
    actions: EventActions,
    facts: NodeFacts,
    up_to_priority: Option<i32>,
}

/// A [`Subject`]. The numbers are indexes in the lists of nodes, pods and objects.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum SubjectState {
    Node { before: Option<u32>, after: Option<u32> },
    Pod { before: Option<u32>, after: Option<u32> },
    PendingPod { before: Option<u32>, after: Option<u32>, changed: PodFacts },
    Object { kind: Arc<ObjectKind>, before: Option<u32>, after: Option<u32> },
}

impl EventState {
    pub fn of(event: &ClusterEvent, writing: &mut Writing) -> Self {
        let Writing { pods, nodes, objects, .. } = writing;
        let subject = match &event.subject {
            Subject::Node { before, after } => SubjectState::Node {
                before: nodes.index_of_option(before.as_ref()),
                after: nodes.index_of_option(after.as_ref()),
            },
            Subject::Pod { before, after } => SubjectState::Pod {
                before: pods.index_of_option(before.as_ref()),
                after: pods.index_of_option(after.as_ref()),
            },
            Subject::PendingPod { before, after, changed } => SubjectState::PendingPod {
                before: pods.index_of_option(before.as_ref()),
                after: pods.index_of_option(after.as_ref()),
                changed: *changed,
            },
            Subject::Object { kind, before, after } => SubjectState::Object {
                kind: Arc::clone(kind),
                before: objects.index_of_option(before.as_ref()),
                after: objects.index_of_option(after.as_ref()),
            },
        };
        let ClusterEvent { actions, facts, up_to_priority, .. } = *event;
        Self { subject, actions, facts, up_to_priority }
    }

    pub fn all<'a>(events: impl IntoIterator<Item = &'a ClusterEvent>, writing: &mut Writing) -> Vec<Self> {
        events.into_iter().map(|event| Self::of(event, writing)).collect()
    }

    pub fn restore(self, reading: &Reading) -> Result<ClusterEvent, RestoreError> {
        let Reading { pods, nodes, objects, .. } = reading;
        let subject = match self.subject {
            SubjectState::Node { before, after } => {
                Subject::Node { before: nodes.get_option(before)?, after: nodes.get_option(after)? }
            }
            SubjectState::Pod { before, after } => {
                Subject::Pod { before: pods.get_option(before)?, after: pods.get_option(after)? }
            }
            SubjectState::PendingPod { before, after, changed } => {
                Subject::PendingPod { before: pods.get_option(before)?, after: pods.get_option(after)?, changed }
            }
            SubjectState::Object { kind, before, after } => {
                Subject::Object { kind, before: objects.get_option(before)?, after: objects.get_option(after)? }
            }
        };
        let Self { actions, facts, up_to_priority, .. } = self;
        Ok(ClusterEvent { subject, actions, facts, up_to_priority })
    }

    pub fn restore_all(events: Vec<Self>, reading: &Reading) -> Result<Vec<ClusterEvent>, RestoreError> {
        events.into_iter().map(|event| event.restore(reading)).collect()
    }
}
