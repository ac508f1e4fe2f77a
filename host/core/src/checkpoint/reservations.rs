//! The state of the reservations.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::EntryState;
use super::error::RestoreError;
use super::shared::{Reading, Writing};
use crate::model::ObjectKey;
use crate::scheduler::reservation::{Reservation, Stage};
use crate::scheduler::reservations::Reservations;
use crate::time::Timestamp;

/// A [`Reservation`], without the parts that only the decision record needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReservationState {
    entry: EntryState,
    /// The index in the list of pods.
    pod: u32,
    node: Box<str>,
    began: Timestamp,
    cycle: u64,
    reserved: Vec<(Arc<str>, Arc<[u8]>)>,
    skipping: Vec<Arc<str>>,
    assumed: Vec<ObjectKey>,
    pre_bound: Vec<Arc<str>>,
    was_nominated: bool,
    nominated: bool,
    stage: Stage,
}

/// Returns copies of the reservations, without the parts that only the decision record needs.
pub(super) fn copies(reservations: &Reservations) -> Vec<Reservation> {
    let copy = |reservation: &Reservation| Reservation {
        entry: reservation.entry.clone(),
        pod: Arc::clone(&reservation.pod),
        node: reservation.node.clone(),
        began: reservation.began,
        cycle: reservation.cycle,
        reserved: reservation.reserved.clone(),
        skipping: reservation.skipping.clone(),
        assumed: reservation.assumed.clone(),
        pre_bound: reservation.pre_bound.clone(),
        was_nominated: reservation.was_nominated,
        nominated: reservation.nominated,
        stage: reservation.stage.clone(),
        record: None,
        ended_waits: Vec::new(),
    };
    reservations.all().map(copy).collect()
}

impl ReservationState {
    fn of(reservation: Reservation, writing: &mut Writing) -> Self {
        let Reservation { entry, pod, node, began, cycle, reserved, skipping, assumed, pre_bound, .. } = reservation;
        let Reservation { was_nominated, nominated, stage, .. } = reservation;
        let (entry, pod) = (EntryState::of(&entry, writing), writing.pods.index(&pod));
        Self { entry, pod, node, began, cycle, reserved, skipping, assumed, pre_bound, was_nominated, nominated, stage }
    }

    /// Returns the states of these reservations, ordered by the pod's uid.
    pub fn all(mut reservations: Vec<Reservation>, writing: &mut Writing) -> Vec<Self> {
        reservations.sort_unstable_by(|one, other| one.pod.key.uid.cmp(&other.pod.key.uid));
        reservations.into_iter().map(|reservation| Self::of(reservation, writing)).collect()
    }

    /// Returns the index of the pod as it is without a node.
    pub fn pending(&self) -> u32 {
        self.entry.pod()
    }

    fn restore(self, reading: &Reading) -> Result<Reservation, RestoreError> {
        Ok(Reservation {
            entry: self.entry.restore(reading)?,
            pod: reading.pods.get(self.pod)?,
            node: self.node,
            began: self.began,
            cycle: self.cycle,
            reserved: self.reserved,
            skipping: self.skipping,
            assumed: self.assumed,
            pre_bound: self.pre_bound,
            was_nominated: self.was_nominated,
            nominated: self.nominated,
            stage: self.stage,
            record: None,
            ended_waits: Vec::new(),
        })
    }

    pub fn restore_all(states: Vec<Self>, reading: &Reading) -> Result<Reservations, RestoreError> {
        let mut reservations = Reservations::default();
        for state in states {
            let reservation = state.restore(reading)?;
            let uid = &reservation.pod.key.uid;
            if reservations.get(uid).is_some() {
                return Err(RestoreError::duplicate("the reservation of pod", uid));
            }
            reservations.put(reservation);
        }
        Ok(reservations)
    }
}
