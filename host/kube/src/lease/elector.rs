//! Drives an [`Election`] with a clock and an API client, and publishes whether this process leads.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::watch;
use tracing::{info, warn};

use super::announce::Announcer;
use super::clock::{Clock, system};
use super::election::{Answer, Election, Loss, Moment, Next, Request};
use super::location::Locate;
use super::lock::Lock;
use super::term::LeaseTerm;
use berth_config::{LeaderElection, LeaderElectionError};

/// The number of attempts to give up the Lease. The last renewal may still be on its way to the API server when the
/// leader stops. If the API server executes that renewal between the read and the update of an attempt, it refuses the
/// update as a conflict.
const RELEASE_ATTEMPTS: u32 = 3;

/// A candidate, from its first attempt to the end of the process.
pub struct Elector {
    lease: String,
    lock: Lock,
    announcer: Announcer,
    election: Election,
    /// The time limit of a request during the release, when no deadline applies.
    patience: Duration,
    clock: Clock,
    term: LeaseTerm,
    leads: watch::Sender<bool>,
    /// The state in the last log line: whether this process led, and the error of its last attempt. An unchanged state
    /// is not logged again.
    last_logged: Option<(bool, Option<String>)>,
}

/// The leader lost the Lease. Another process may now write in its place, so this process must end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("leadership is lost: Lease {lease}: {loss}; ending, as another scheduler may place pods from now on")]
pub struct Lost {
    /// Namespace and name of the Lease.
    pub lease: String,
    /// The reason.
    pub loss: Loss,
}

impl Elector {
    /// Creates a candidate for the Lease. Sends no request.
    ///
    /// # Errors
    /// The settings contradict each other.
    pub fn new(client: Client, options: &LeaderElection) -> Result<Self, LeaderElectionError> {
        Self::with_clock(client, options, system(), Counter::default())
    }

    /// Creates a candidate with this clock. `refused` counts the leader's writes that are not sent because
    /// [`Elector::term`] has ended or ends too soon.
    ///
    /// # Errors
    /// As [`Elector::new`].
    pub fn with_clock(
        client: Client,
        options: &LeaderElection,
        clock: Clock,
        refused: Counter,
    ) -> Result<Self, LeaderElectionError> {
        options.check()?;
        let LeaderElection { namespace, name, timing, .. } = options;
        // The uuid distinguishes two processes on one host.
        let identity = format!("{}_{}", crate::host::name(), uuid::Uuid::new_v4());
        let lease = format!("{namespace}/{name}");
        Ok(Self {
            term: LeaseTerm::new(&lease, Arc::clone(&clock), refused),
            clock,
            lease,
            lock: Lock::new(client.clone(), namespace, name),
            announcer: Announcer::new(client, &identity),
            election: Election::new(&identity, *timing),
            patience: timing.renew_deadline / 2,
            leads: watch::Sender::new(false),
            last_logged: None,
        })
    }

    /// Writes the location of this process's HTTPS server into the Lease while this process leads. `locate` is called
    /// before each write.
    pub fn announce_server(&mut self, locate: Locate) {
        self.lock.set_locate(locate);
    }

    /// Returns the term, which limits the leader's writes.
    #[must_use]
    pub fn term(&self) -> LeaseTerm {
        self.term.clone()
    }

    /// Returns a receiver for whether this process leads.
    #[must_use]
    pub fn leads(&self) -> watch::Receiver<bool> {
        self.leads.subscribe()
    }

    /// Acquires the Lease, then renews the Lease. Returns when the Lease is lost. The future may be dropped and `run`
    /// called again.
    pub async fn run(&mut self) -> Lost {
        loop {
            match self.election.next(self.now(), fastrand::f64()) {
                Next::Wait(wait) => tokio::time::sleep(wait).await,
                Next::Send { request, within } => {
                    let answer = self.lock.send(request, within).await;
                    self.election.answer(answer, self.now());
                    self.term.set_end(self.election.leads_until());
                    self.report();
                }
                Next::Stop(loss) => {
                    self.term.set_end(None);
                    self.leads.send_replace(false);
                    return Lost { lease: self.lease.clone(), loss };
                }
            }
        }
    }

    /// Gives up the Lease if this process holds it (client-go's `ReleaseOnCancel`), so that another candidate need not
    /// wait until the Lease expires. Call this after the last write of the leader.
    pub async fn release(mut self) {
        self.term.set_end(None);
        let mut released = self.try_release().await;
        for _ in 1..RELEASE_ATTEMPTS {
            if released.is_err() {
                released = self.try_release().await;
            }
        }
        let lease = &self.lease;
        match released {
            Ok(true) => info!(%lease, "the Lease is released"),
            Ok(false) => return,
            Err(error) => {
                return warn!(%lease, %error, "releasing the Lease failed; it expires by itself");
            }
        }
        let Self { announcer, lock, .. } = self;
        announcer.announce(lock.lease().clone(), "stopped leading").await;
    }

    /// Reads the Lease, and gives it up if this process holds it. Returns whether this process held it.
    async fn try_release(&mut self) -> Result<bool, String> {
        let release = match self.lock.send(Request::Read, self.patience).await {
            Answer::Found(found) => self.election.release(&found, self.now()),
            Answer::Failed(error) => return Err(error),
            Answer::NotFound | Answer::Written => None,
        };
        let Some(record) = release else { return Ok(false) };
        match self.lock.send(Request::Update(record), self.patience).await {
            Answer::Failed(error) => Err(error),
            _ => Ok(true),
        }
    }

    fn now(&self) -> Moment {
        (self.clock)()
    }

    fn report(&mut self) {
        let leads = self.election.leads();
        let changed = self.leads.send_if_modified(|before| std::mem::replace(before, leads) != leads);
        if changed && leads {
            // Announce in a task, so that the renewal does not wait for the event.
            tokio::spawn(self.announcer.clone().announce(self.lock.lease().clone(), "became leader"));
        }
        let lease = &self.lease;
        let state = (leads, self.election.failure().map(str::to_owned));
        if self.last_logged.as_ref() == Some(&state) {
            return;
        }
        match &state {
            (true, None) => info!(%lease, "leading: this process holds the Lease"),
            (true, Some(error)) => info!(%lease, %error, "renewing the Lease failed; trying again"),
            (false, Some(reason)) => info!(%lease, %reason, "standing by for the Lease"),
            (false, None) => return,
        }
        self.last_logged = Some(state);
    }
}

#[cfg(test)]
#[path = "elector_test.rs"]
mod tests;
