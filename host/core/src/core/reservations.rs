//! All reservations, and when the first of those ends that wait.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::reservation::Reservation;
use crate::queue::QueuedPod;
use crate::time::Timestamp;

/// Pods with a node chosen whose binding is not known to be done. Changed by taking out and putting back.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    /// By uid.
    by_uid: HashMap<Box<str>, Reservation>,
    /// Of those that wait for permission.
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

    /// Takes it out if it is as it has to be.
    pub fn take_if(&mut self, uid: &str, is_right: impl FnOnce(&Reservation) -> bool) -> Option<Reservation> {
        is_right(self.by_uid.get(uid)?).then(|| self.take(uid)).flatten()
    }

    /// For a change of what the queue knows of the pod; not of what it waits for.
    pub fn entry_mut(&mut self, uid: &str) -> Option<&mut QueuedPod> {
        self.by_uid.get_mut(uid).map(|reservation| &mut reservation.entry)
    }

    /// When the next one has waited too long.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Takes out the first of those that have waited too long.
    pub fn take_overdue(&mut self, now: Timestamp) -> Option<Reservation> {
        let (_, uid) = self.deadlines.first().filter(|(deadline, _)| *deadline <= now)?;
        let uid = uid.clone();
        self.take(&uid)
    }

    /// The uids of those that wait.
    pub fn waiting(&self) -> Vec<Box<str>> {
        self.deadlines.iter().map(|(_, uid)| uid.clone()).collect()
    }
}
