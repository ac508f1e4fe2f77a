//! All reservations, and the deadlines of the waiting ones.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::reservation::Reservation;
use crate::queue::QueuedPod;
use crate::time::Timestamp;

/// Reservations of pods whose binding is not yet known to have succeeded. Callers take a reservation out and put it
/// back to change its stage, because `deadlines` depends on the stage.
#[derive(Debug, Default)]
pub(crate) struct Reservations {
    /// By the pod's uid.
    by_uid: HashMap<Box<str>, Reservation>,
    /// Deadlines of the pods that wait for permit plugins.
    deadlines: BTreeSet<(Timestamp, Box<str>)>,
}

impl Reservations {
    pub fn len(&self) -> usize {
        self.by_uid.len()
    }

    pub fn waiting_len(&self) -> usize {
        self.deadlines.len()
    }

    pub fn put(&mut self, reservation: Reservation) {
        let uid = reservation.pod.key.uid.clone();
        if let Some(deadline) = reservation.deadline() {
            self.deadlines.insert((deadline, uid.clone()));
        }
        self.by_uid.insert(uid, reservation);
    }

    pub fn take(&mut self, uid: &str) -> Option<Reservation> {
        let reservation = self.by_uid.remove(uid)?;
        if let Some(deadline) = reservation.deadline() {
            self.deadlines.remove(&(deadline, uid.into()));
        }
        Some(reservation)
    }

    /// Takes the reservation out if `is_right` returns true for it.
    pub fn take_if(&mut self, uid: &str, is_right: impl FnOnce(&Reservation) -> bool) -> Option<Reservation> {
        is_right(self.by_uid.get(uid)?).then(|| self.take(uid)).flatten()
    }

    /// Returns all reservations, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = &Reservation> {
        self.by_uid.values()
    }

    pub fn get(&self, uid: &str) -> Option<&Reservation> {
        self.by_uid.get(uid)
    }

    /// Returns the queue entry of the pod's reservation, so that the caller can update the pod.
    pub fn entry_mut(&mut self, uid: &str) -> Option<&mut QueuedPod> {
        self.by_uid.get_mut(uid).map(|reservation| &mut reservation.entry)
    }

    /// Returns the earliest deadline of a waiting pod.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Takes out the reservation with the earliest deadline, if that deadline has passed.
    pub fn take_overdue(&mut self, now: Timestamp) -> Option<Reservation> {
        let (_, uid) = self.deadlines.first().filter(|(deadline, _)| *deadline <= now)?;
        let uid = uid.clone();
        self.take(&uid)
    }

    /// Returns the uids of the pods that wait for permit plugins.
    pub fn waiting(&self) -> Vec<Box<str>> {
        self.deadlines.iter().map(|(_, uid)| uid.clone()).collect()
    }
}
