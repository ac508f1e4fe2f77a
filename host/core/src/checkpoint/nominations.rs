//! The state of the nominations.

use serde::{Deserialize, Serialize};

use super::error::RestoreError;
use super::events::EventState;
use super::shared::{Reading, Writing};
use crate::nominations::{Nominated, Nominations};

/// A [`Nominations`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NominationsState {
    /// Ordered by the pod's uid.
    pods: Vec<NominatedState>,
    events: Vec<EventState>,
}

/// A [`Nominated`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NominatedState {
    /// The index in the list of pods.
    pod: u32,
    node: Box<str>,
}

impl NominationsState {
    pub fn of(nominations: &Nominations, writing: &mut Writing) -> Self {
        let mut nominated: Vec<&Nominated> = nominations.pods.values().collect();
        nominated.sort_unstable_by_key(|nominated| &nominated.pod.key.uid);
        let pods = nominated
            .into_iter()
            .map(|nominated| NominatedState { pod: writing.pods.index(&nominated.pod), node: nominated.node.clone() });
        Self { pods: pods.collect(), events: EventState::all(&nominations.events, writing) }
    }

    pub fn restore(self, reading: &Reading) -> Result<Nominations, RestoreError> {
        let mut nominations = Nominations::default();
        for NominatedState { pod, node } in self.pods {
            let pod = reading.pods.get(pod)?;
            if nominations.get(&pod.key.uid).is_some() {
                return Err(RestoreError::duplicate("the nomination of pod", &pod.key.uid));
            }
            nominations.nominate(&pod, &node);
        }
        nominations.events = EventState::restore_all(self.events, reading)?;
        Ok(nominations)
    }
}
