//! Faults of a proxy: what happens to which requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::watch;

use super::request::Asked;

/// A fault that the proxy injects into a request instead of forwarding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Answers the request with this status.
    Refuse(StatusCode),
    /// Passes the request on, and breaks the connection before the answer.
    LoseAnswer,
    /// Passes the request on after this time.
    Slow(Duration),
    /// Passes the request on when the fault has ended.
    Hold,
    /// Neither passes the request on nor answers it. The connection stays open, also after the fault has ended.
    Silence,
}

/// The requests that have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All requests.
    All,
    /// Requests that bind a pod.
    Binds,
    /// Requests that create or update a Lease.
    LeaseWrites,
    /// Watches of this kind, a plural.
    WatchesOf(&'static str),
}

impl Which {
    fn is(self, asked: &Asked) -> bool {
        match self {
            Self::All => true,
            Self::Binds => asked.is_bind(),
            Self::LeaseWrites => asked.is_lease_write(),
            Self::WatchesOf(plural) => asked.watch && asked.plural == plural,
        }
    }
}

/// The current faults of a proxy.
#[derive(Default)]
pub(super) struct Faults {
    rules: Mutex<Vec<(Which, Fault)>>,
    /// Changes when the faults end.
    ended: watch::Sender<usize>,
}

impl Faults {
    /// Gives these requests this fault from now on.
    pub(super) fn begin(&self, which: Which, fault: Fault) {
        let mut rules = self.lock();
        rules.retain(|(of, _)| *of != which);
        rules.push((which, fault));
    }

    /// Ends all faults.
    pub(super) fn end(&self) {
        self.lock().clear();
        self.ended.send_modify(|ended| *ended += 1);
    }

    /// Returns the request's fault.
    pub(super) fn of(&self, asked: &Asked) -> Option<Fault> {
        self.lock().iter().find(|(which, _)| which.is(asked)).map(|(_, fault)| *fault)
    }

    /// Waits until the request is no longer held.
    pub(super) async fn until_let_go(&self, asked: &Asked) {
        let mut ended = self.ended.subscribe();
        while self.of(asked) == Some(Fault::Hold) && ended.changed().await.is_ok() {}
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Which, Fault)>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
