//! Fault injection: tests in the same process make the server fail as a real API server fails.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// A fault of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchFault {
    /// The stream ends in the middle of a line.
    CutMidLine,
    /// The stream ends between two lines, as at a timeout.
    End,
    /// The stream sends an ERROR event with 410 Gone, then ends.
    Gone,
    /// The server answers a new watch with 200 and an empty body. An open watch ends, as with [`End`](Self::End).
    Empty,
    /// The server answers a new watch with HTTP status 410 instead of an ERROR event. An open watch gets an ERROR
    /// event, as with [`Gone`](Self::Gone).
    GoneStatus,
}

/// A fault of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindFault {
    /// The server delays the binding for this duration.
    Slow(Duration),
    /// The server answers 500 and does not bind the pod.
    Fail,
    /// The server answers 409 and does not bind the pod.
    Conflict,
    /// The server binds the pod, but the connection ends before the body of the response.
    LoseAnswer,
}

/// The queued faults.
#[derive(Debug, Default)]
pub struct Faults {
    watches: Mutex<HashMap<String, VecDeque<WatchFault>>>,
    bindings: Mutex<VecDeque<BindFault>>,
    #[expect(clippy::type_complexity, reason = "a counter and the latest fault, by kind")]
    open: Mutex<HashMap<String, watch::Sender<(u64, Option<WatchFault>)>>>,
}

impl Faults {
    /// Injects `fault` into the next new watch of the resource `plural`, such as `pods`. Further calls queue more
    /// faults, one for each new watch.
    pub fn next_watch(&self, plural: &str, fault: WatchFault) {
        lock(&self.watches).entry(plural.to_owned()).or_default().push_back(fault);
    }

    /// Injects `fault` into every open watch of the resource `plural`.
    pub fn open_watches(&self, plural: &str, fault: WatchFault) {
        if let Some(sender) = lock(&self.open).get(plural) {
            sender.send_modify(|(number, now)| {
                *number += 1;
                *now = Some(fault);
            });
        }
    }

    /// Injects `fault` into the next well-formed binding. Further calls queue more faults, one for each binding.
    pub fn next_binding(&self, fault: BindFault) {
        lock(&self.bindings).push_back(fault);
    }

    /// Takes the oldest queued fault for a new watch of the resource `plural`.
    pub(super) fn take_watch(&self, plural: &str) -> Option<WatchFault> {
        lock(&self.watches).get_mut(plural)?.pop_front()
    }

    /// Takes the oldest queued fault for a binding.
    pub(super) fn take_binding(&self) -> Option<BindFault> {
        lock(&self.bindings).pop_front()
    }

    /// Returns a receiver of the faults for open watches of the resource `plural`: the number of injected faults, and
    /// the latest fault.
    pub(super) fn listen(&self, plural: &str) -> watch::Receiver<(u64, Option<WatchFault>)> {
        lock(&self.open).entry(plural.to_owned()).or_insert_with(|| watch::Sender::new((0, None))).subscribe()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
