//! Faults of a proxy: what happens to which requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::watch;

use super::request::Asked;

/// What is done instead of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every request is refused with this status.
    Refuse(StatusCode),
    /// Every request is done, and the connection breaks before the answer.
    LoseAnswer,
    /// Every request is passed on after this time.
    Slow(Duration),
    /// Every request is passed on when the fault has ended.
    Hold,
    /// No request is passed on or answered, and its connection stays open, also when the fault has ended.
    Silence,
}

/// Which requests have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// Those that bind a pod.
    Binds,
    /// Those that create or update a Lease.
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

/// The faults that a proxy has at the moment.
#[derive(Default)]
pub(super) struct Faults {
    rules: Mutex<Vec<(Which, Fault)>>,
    /// Changes when a fault ends.
    ended: watch::Sender<usize>,
}

impl Faults {
    /// From now on these requests have this fault.
    pub(super) fn begin(&self, which: Which, fault: Fault) {
        let mut rules = self.lock();
        rules.retain(|(of, _)| *of != which);
        rules.push((which, fault));
    }

    /// From now on no request has a fault.
    pub(super) fn end(&self) {
        self.lock().clear();
        self.ended.send_modify(|ended| *ended += 1);
    }

    /// The request's fault.
    pub(super) fn of(&self, asked: &Asked) -> Option<Fault> {
        self.lock().iter().find(|(which, _)| which.is(asked)).map(|(_, fault)| *fault)
    }

    /// Waits until the request is held no longer.
    pub(super) async fn until_let_go(&self, asked: &Asked) {
        let mut ended = self.ended.subscribe();
        while self.of(asked) == Some(Fault::Hold) && ended.changed().await.is_ok() {}
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Which, Fault)>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
