//! The election in time: waits, sends, and tells whether this process leads.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use prometheus_client::metrics::counter::Counter;
use tokio::sync::watch;
use tracing::{info, warn};

use super::announce::Announcer;
use super::clock::{Clock, system};
use super::election::{Answer, Election, Loss, Moment, Next, Request};
use super::lock::Lock;
use super::term::LeaseTerm;
use berth_config::{LeaderElection, LeaderElectionError};

/// A candidate, from the first attempt to the end of the process.
pub struct Elector {
    lease: String,
    lock: Lock,
    announcer: Announcer,
    election: Election,
    /// How long a request may take at the end, when no deadline is left to keep.
    patience: Duration,
    clock: Clock,
    term: LeaseTerm,
    leads: watch::Sender<bool>,
    /// What was said last: said once.
    said: Option<String>,
}

/// The leader is none any more. Whatever it still wants to write may be another one's to write: the process has to end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("leadership is lost: Lease {lease}: {loss}; ending, as another scheduler may place pods from now on")]
pub struct Lost {
    /// Namespace and name.
    pub lease: String,
    /// Why.
    pub loss: Loss,
}

impl Elector {
    /// A candidate for the Lease. Nothing is sent yet.
    ///
    /// # Errors
    /// The settings contradict each other.
    pub fn new(client: Client, options: &LeaderElection) -> Result<Self, LeaderElectionError> {
        Self::with_clock(client, options, system(), Counter::default())
    }

    /// A candidate with this clock. `refused` counts the requests that [`Elector::term`] keeps from being sent.
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
        // Two processes on one host differ by the uuid.
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
            said: None,
        })
    }

    /// Until when this process may write as the leader.
    #[must_use]
    pub fn term(&self) -> LeaseTerm {
        self.term.clone()
    }

    /// Whether this process leads, as it changes.
    #[must_use]
    pub fn leads(&self) -> watch::Receiver<bool> {
        self.leads.subscribe()
    }

    /// Tries to get the Lease, then keeps it; returns when it is lost. May be dropped and called again.
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

    /// Gives the Lease up if it is held (`ReleaseOnCancel`): another one need not wait until it expires. To be called when
    /// nothing is written any more.
    pub async fn release(mut self) {
        self.term.set_end(None);
        let release = match self.lock.send(Request::Read, self.patience).await {
            Answer::Found(found) => self.election.release(&found, self.now()),
            Answer::Failed(why) => return warn!("Lease {} is left to expire: {why}", self.lease),
            Answer::NotFound | Answer::Written => None,
        };
        let Some(record) = release else { return };
        match self.lock.send(Request::Update(record), self.patience).await {
            Answer::Failed(why) => return warn!("Lease {} is left to expire: {why}", self.lease),
            _ => info!("Lease {} is released", self.lease),
        }
        let Self { announcer, lock, .. } = self;
        announcer.announce(lock.lease().clone(), "stopped leading").await;
    }

    fn now(&self) -> Moment {
        (self.clock)()
    }

    fn report(&mut self) {
        let leads = self.election.leads();
        let changed = self.leads.send_if_modified(|before| std::mem::replace(before, leads) != leads);
        if changed && leads {
            // Beside: what is to be renewed does not wait for it.
            tokio::spawn(self.announcer.clone().announce(self.lock.lease().clone(), "became leader"));
        }
        let lease = &self.lease;
        let sentence = match (leads, self.election.failure()) {
            (true, None) => format!("leading: this process holds Lease {lease}"),
            (true, Some(why)) => format!("Lease {lease} could not be renewed: {why}; trying again"),
            (false, Some(why)) => format!("standing by for Lease {lease}: {why}"),
            (false, None) => return,
        };
        if self.said.as_ref() != Some(&sentence) {
            info!("{sentence}");
            self.said = Some(sentence);
        }
    }
}
