//! The faults of a proxy, and the requests that have them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::watch;

use super::request::RequestInfo;

/// A fault that the proxy injects into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Answers the request with this status, without passing the request on.
    Refuse(StatusCode),
    /// Passes the request on, and breaks the connection before the answer.
    LoseAnswer,
    /// Passes the request on after this time.
    Slow(Duration),
    /// Keeps the request, and passes it on when the fault has ended.
    Hold,
    /// Neither passes the request on nor answers it. The connection stays open, also after the fault has ended.
    Silence,
}

/// The requests that have a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestSelector {
    /// All requests.
    All,
    /// Requests that bind a pod.
    Binds,
    /// Requests that create or update a Lease.
    LeaseWrites,
    /// Watches of this kind, given as in the URI: `pods`.
    WatchesOf(&'static str),
}

impl RequestSelector {
    fn selects(self, request: &RequestInfo) -> bool {
        match self {
            Self::All => true,
            Self::Binds => request.is_bind(),
            Self::LeaseWrites => request.is_lease_write(),
            Self::WatchesOf(plural) => request.watch && request.plural == plural,
        }
    }
}

/// The current faults of a proxy.
#[derive(Default)]
pub(super) struct Faults {
    rules: Mutex<Vec<(RequestSelector, Fault)>>,
    /// Changes when the faults end.
    ended: watch::Sender<usize>,
}

impl Faults {
    /// Gives these requests this fault from now on.
    pub(super) fn begin(&self, selector: RequestSelector, fault: Fault) {
        let mut rules = self.lock();
        rules.retain(|(other, _)| *other != selector);
        rules.push((selector, fault));
    }

    /// Ends all faults.
    pub(super) fn end(&self) {
        self.lock().clear();
        self.ended.send_modify(|ended| *ended += 1);
    }

    /// Returns the current fault of the request, if any.
    pub(super) fn fault_of(&self, request: &RequestInfo) -> Option<Fault> {
        self.lock().iter().find(|(selector, _)| selector.selects(request)).map(|(_, fault)| *fault)
    }

    /// Waits until the request is no longer held.
    pub(super) async fn until_released(&self, request: &RequestInfo) {
        let mut ended = self.ended.subscribe();
        while self.fault_of(request) == Some(Fault::Hold) && ended.changed().await.is_ok() {}
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(RequestSelector, Fault)>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
