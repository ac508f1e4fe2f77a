//! Leader election as a state machine. The state machine makes one attempt after the other to acquire or renew the
//! Lease.
//!
//! The state machine has no clock and does no I/O. [`Election::next`] returns what to do, [`Election::answer`] takes
//! the result of a request, and each call gets the current time. The times in the record are only informative: expiry
//! is measured from when *this* process saw the record change. So the candidates' clocks may differ.

use std::time::Duration;

use jiff::Timestamp;

use super::record::Record;
use berth_config::{JITTER, Timing};

/// The leader treats the Lease as expired earlier, by 1/20 of the Lease's duration. The clock of another candidate may
/// therefore be 5 % faster than the leader's.
const DRIFT_MARGIN: u32 = 20;

/// The current time on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Time on the local clock, since a fixed moment before this process began. The local clock never goes back, and
    /// continues while the machine is suspended.
    pub own: Duration,
    /// Wall time, for the record.
    pub wall: Timestamp,
}

/// A request to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read the Lease.
    Read,
    /// Create the Lease with this record.
    Create(Record),
    /// Replace the record, if the Lease has not changed since this candidate last read or wrote it.
    Update(Record),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The Lease exists and holds this record.
    Found(Record),
    /// The Lease does not exist.
    NotFound,
    /// The write succeeded.
    Written,
    /// The request was refused or got no answer. The text is the reason.
    Failed(String),
}

/// The next action of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send the request, and call [`Election::answer`] within `within`.
    Send {
        /// The request.
        request: Request,
        /// The time limit for the answer.
        within: Duration,
    },
    /// Wait this long.
    Wait(Duration),
    /// Stop leading at once. Another candidate may lead from now on.
    Stop(Loss),
}

/// The reason why a leader lost the Lease.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// Another candidate holds the Lease.
    #[error("{0} holds it now")]
    Taken(String),
    /// The Lease was not renewed in time.
    #[error("it could not be renewed in time ({0})")]
    Expired(String),
}

/// One candidate in the election.
#[derive(Debug)]
pub struct Election {
    identity: String,
    timing: Timing,
    /// The record as this process last read or wrote it, and the time on the own clock at which this process last saw
    /// the record change.
    observed: Option<(Record, Duration)>,
    /// Set while this candidate leads.
    term: Option<Term>,
    doing: Doing,
    /// The error of the last attempt.
    failure: Option<String>,
}

/// The times of a leader.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// The time on the own clock when the last successful write was sent. The other candidates can't have seen that
    /// write earlier.
    renewed: Duration,
    /// The time on the own clock of the first attempt to renew after the last successful write.
    renewing_since: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Doing {
    RestingUntil(Duration),
    Reading,
    /// A write, sent at `sent` on the own clock. `unread`: the candidate renews without reading the Lease first. If
    /// this write fails, the next request is a read.
    Writing {
        record: Record,
        sent: Duration,
        unread: bool,
    },
    Stopped(Loss),
}

impl Election {
    /// Creates a candidate. No other candidate may have the same identity.
    #[must_use]
    pub fn new(identity: &str, timing: Timing) -> Self {
        Self {
            identity: identity.to_owned(),
            timing,
            observed: None,
            term: None,
            doing: Doing::RestingUntil(Duration::ZERO),
            failure: None,
        }
    }

    /// Returns whether this candidate leads.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.term.is_some()
    }

    /// Returns the time on the own clock until which this candidate leads without renewing. The other candidates wait
    /// at least that long. Returns `None` if this candidate does not lead.
    #[must_use]
    pub fn leads_until(&self) -> Option<Duration> {
        // The other candidates read the duration from the Lease, which holds whole seconds.
        let lasts = Duration::from_secs(self.timing.lease_duration.as_secs());
        self.term.map(|term| term.renewed + lasts - lasts / DRIFT_MARGIN)
    }

    /// Returns the reason why the last attempt failed, or `None` if no attempt failed since the last successful write.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns the next action. `chance`, a random number from 0 to 1, selects the random part of a wait.
    pub fn next(&mut self, now: Moment, chance: f64) -> Next {
        if let Some(deadline) = self.deadline()
            && deadline <= now.own
        {
            let why = self.failure.take().unwrap_or_else(|| "no attempt was made in time".to_owned());
            self.stop(Loss::Expired(why));
        }
        match &self.doing {
            Doing::Stopped(loss) => Next::Stop(loss.clone()),
            Doing::RestingUntil(until) if *until > now.own => Next::Wait(self.rest(*until - now.own, now, chance)),
            Doing::RestingUntil(_) => {
                self.begin_attempt(now);
                self.send(now)
            }
            Doing::Reading | Doing::Writing { .. } => self.send(now),
        }
    }

    /// Returns how long to wait. A leader waits at most until its deadline. A candidate that does not lead adds a
    /// random delay.
    fn rest(&self, rest: Duration, now: Moment, chance: f64) -> Duration {
        match self.deadline() {
            Some(deadline) => rest.min(deadline.saturating_sub(now.own)),
            None => rest + self.timing.retry_period.mul_f64(JITTER * chance.clamp(0.0, 1.0)),
        }
    }

    /// Takes the answer to the last request.
    pub fn answer(&mut self, answer: Answer, now: Moment) {
        let failure = match (std::mem::replace(&mut self.doing, Doing::Reading), answer) {
            (Doing::Writing { record, sent, .. }, Answer::Written) => return self.written(record, sent, now),
            (Doing::Reading, Answer::Found(record)) => return self.found(record, now),
            (Doing::Reading, Answer::NotFound) => {
                self.observed = None;
                return self.write(self.fresh(0, now), false, now);
            }
            // The renewal without a read failed, so read the Lease next.
            (Doing::Writing { unread: true, .. }, _) => return,
            (stopped @ Doing::Stopped(_), _) => {
                self.doing = stopped;
                return;
            }
            (_, Answer::Failed(why)) => why,
            (_, Answer::NotFound) => "the Lease was deleted".to_owned(),
            (_, Answer::Found(_) | Answer::Written) => "the answer does not match the request".to_owned(),
        };
        self.fail(failure, now);
    }

    /// Returns the record that gives up the Lease, or `None` if another candidate holds it. `found` is the current
    /// record.
    #[must_use]
    pub fn release(&self, found: &Record, now: Moment) -> Option<Record> {
        (found.holder == self.identity).then(|| Record {
            holder: String::new(),
            duration_seconds: 1,
            acquired: Some(now.wall),
            renewed: Some(now.wall),
            transitions: found.transitions,
        })
    }

    /// Returns the time by which a leader must have renewed. As in client-go, this is `renew_deadline` after the first
    /// attempt since the last renewal. The second bound, `leads_until`, is Berth's own: it covers a write whose answer
    /// was slow, because the other candidates count from when the write took effect.
    fn deadline(&self) -> Option<Duration> {
        let last = self.leads_until()?;
        let Term { renewing_since, .. } = self.term?;
        Some(renewing_since.map_or(last, |since| last.min(since + self.timing.renew_deadline)))
    }

    fn begin_attempt(&mut self, now: Moment) {
        if let Some(term) = &mut self.term {
            term.renewing_since.get_or_insert(now.own);
        }
        match &self.observed {
            Some((record, seen)) if record.holder == self.identity && now.own < *seen + record.duration() => {
                let renewed = Record { acquired: record.acquired, ..self.fresh(record.transitions, now) };
                self.write(renewed, true, now);
            }
            _ => self.doing = Doing::Reading,
        }
    }

    fn send(&mut self, now: Moment) -> Next {
        let request = match &mut self.doing {
            Doing::Writing { record, sent, .. } => {
                *sent = now.own;
                match self.observed {
                    Some(_) => Request::Update(record.clone()),
                    None => Request::Create(record.clone()),
                }
            }
            _ => Request::Read,
        };
        // Two requests fit into a renew deadline. kube-scheduler's client for leader election has the same time-out.
        let within = self.timing.renew_deadline / 2;
        let left = self.deadline().map_or(within, |deadline| deadline.saturating_sub(now.own));
        Next::Send { request, within: within.min(left) }
    }

    fn found(&mut self, record: Record, now: Moment) {
        let since = match self.observed.take() {
            Some((before, since)) if before == record => since,
            _ => now.own,
        };
        let expired = now.own >= since + record.duration();
        self.observed = Some((record.clone(), since));
        if record.holder == self.identity {
            let renewed = Record { acquired: record.acquired, ..self.fresh(record.transitions, now) };
            return self.write(renewed, false, now);
        }
        if record.holder.is_empty() || expired {
            return self.write(self.fresh(record.transitions.saturating_add(1), now), false, now);
        }
        if self.leads() {
            // client-go continues until its deadline. Berth stops, because the other candidate already considers itself
            // the leader.
            return self.stop(Loss::Taken(record.holder));
        }
        self.fail(format!("{} holds it", record.holder), now);
    }

    fn fresh(&self, transitions: i32, now: Moment) -> Record {
        Record {
            holder: self.identity.clone(),
            duration_seconds: self.timing.lease_seconds(),
            acquired: Some(now.wall),
            renewed: Some(now.wall),
            transitions,
        }
    }

    fn write(&mut self, record: Record, unread: bool, now: Moment) {
        self.doing = Doing::Writing { record, sent: now.own, unread };
    }

    fn written(&mut self, record: Record, sent: Duration, now: Moment) {
        self.observed = Some((record, now.own));
        self.term = Some(Term { renewed: sent, renewing_since: None });
        self.failure = None;
        self.doing = Doing::RestingUntil(now.own + self.timing.retry_period);
    }

    fn fail(&mut self, why: String, now: Moment) {
        self.failure = Some(why);
        self.doing = Doing::RestingUntil(now.own + self.timing.retry_period);
    }

    fn stop(&mut self, loss: Loss) {
        self.term = None;
        self.doing = Doing::Stopped(loss);
    }
}

#[cfg(test)]
#[path = "election_test.rs"]
mod tests;

#[cfg(test)]
#[path = "election_simulation.rs"]
mod simulation;
