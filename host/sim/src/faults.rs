//! Faults that a real API server plays on its clients, played on demand by tests in the same process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// What happens to a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchFault {
    /// The stream ends in the middle of a line.
    CutMidLine,
    /// The stream ends between two lines, as at a timeout.
    End,
    /// An ERROR event with 410 Gone, then the end.
    Gone,
    /// A new watch is answered 200 with an empty body.
    Empty,
    /// A new watch is answered 410 as a status rather than as an event.
    GoneStatus,
}

/// What happens to a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindFault {
    /// It is answered after a while.
    Slow(Duration),
    /// It is refused with 500, and not done.
    Fail,
    /// It is refused with 409, and not done.
    Conflict,
    /// It is done, but the connection ends without an answer.
    LoseAnswer,
}

/// The faults waiting to be played.
#[derive(Debug, Default)]
pub struct Faults {
    watches: Mutex<HashMap<String, VecDeque<WatchFault>>>,
    bindings: Mutex<VecDeque<BindFault>>,
    #[expect(clippy::type_complexity, reason = "a counter and the latest fault, by kind")]
    open: Mutex<HashMap<String, watch::Sender<(u64, Option<WatchFault>)>>>,
}

impl Faults {
    /// Plays `fault` on the next watch of `plural` that is opened; more than one are played one after another.
    pub fn next_watch(&self, plural: &str, fault: WatchFault) {
        lock(&self.watches).entry(plural.to_owned()).or_default().push_back(fault);
    }

    /// Plays `fault` on every watch of `plural` that is open now.
    pub fn open_watches(&self, plural: &str, fault: WatchFault) {
        if let Some(sender) = lock(&self.open).get(plural) {
            sender.send_modify(|(number, now)| {
                *number += 1;
                *now = Some(fault);
            });
        }
    }

    /// Plays `fault` on the next binding; more than one are played one after another.
    pub fn next_binding(&self, fault: BindFault) {
        lock(&self.bindings).push_back(fault);
    }

    /// The fault that a watch being opened has to play.
    pub(super) fn take_watch(&self, plural: &str) -> Option<WatchFault> {
        lock(&self.watches).get_mut(plural)?.pop_front()
    }

    /// The fault that a binding has to play.
    pub(super) fn take_binding(&self) -> Option<BindFault> {
        lock(&self.bindings).pop_front()
    }

    /// What an open watch listens to; the number changes with each fault.
    pub(super) fn listen(&self, plural: &str) -> watch::Receiver<(u64, Option<WatchFault>)> {
        lock(&self.open).entry(plural.to_owned()).or_insert_with(|| watch::Sender::new((0, None))).subscribe()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
