//! The election as a state machine: one attempt after the other to get or keep the Lease.
//!
//! It knows no clock and does no I/O. [`Election::next`] says what to do; what was sent is answered with
//! [`Election::answer`]. Times are told with every call: the record's times are for people, and when it expires is
//! measured from when *this* process saw it change, so that clocks that differ harm nobody.

use std::time::Duration;

use jiff::Timestamp;

use super::record::Record;
use berth_config::{JITTER, Timing};

/// The holder counts on the Lease for this part of its duration less than the others do: enough for two clocks of which
/// one is 5 % faster than the other.
const DRIFT_MARGIN: u32 = 20;

/// A time, by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Since any moment before this process began; never goes back, and goes on while the machine is suspended.
    pub own: Duration,
    /// What people call it, for the record.
    pub wall: Timestamp,
}

/// What is asked of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Read the Lease.
    Read,
    /// Create it.
    Create(Record),
    /// Replace what it says, if it is still as it was read or written last.
    Update(Record),
}

/// What the API server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The Lease says this.
    Found(Record),
    /// There is none.
    NotFound,
    /// It was written.
    Written,
    /// It was refused, or no answer came; the reason, for people.
    Failed(String),
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send this, and no later than `within` from now, answer.
    Send {
        /// What to send.
        request: Request,
        /// How long to wait for the answer.
        within: Duration,
    },
    /// Do nothing for so long.
    Wait(Duration),
    /// Stop at once: another one may lead from now on.
    Stop(Loss),
}

/// Why a leader is none any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// Somebody else holds the Lease.
    #[error("{0} holds it now")]
    Taken(String),
    /// It could not be renewed in time.
    #[error("it could not be renewed in time ({0})")]
    Expired(String),
}

/// One candidate.
#[derive(Debug)]
pub struct Election {
    identity: String,
    timing: Timing,
    /// The record as it was last seen or written, and when.
    observed: Option<(Record, Duration)>,
    /// Whether it leads, and by when it must have renewed to go on doing so.
    term: Option<Term>,
    doing: Doing,
    /// Of the last attempt.
    failure: Option<String>,
}

/// A leader's time.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// When the write that was last taken was sent: the others can't have seen it earlier.
    renewed: Duration,
    /// When the attempts to renew began that have not succeeded yet.
    renewing_since: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Doing {
    RestingUntil(Duration),
    Reading,
    /// Sent then. A leader renews without reading first, and reads if that fails.
    Writing {
        record: Record,
        sent: Duration,
        unread: bool,
    },
    Stopped(Loss),
}

impl Election {
    /// A candidate of this identity, which no other may have.
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

    /// Whether it leads.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.term.is_some()
    }

    /// Until when it leads, by its own clock, unless it renews before: the other candidates wait so long at least. `None` if it does
    /// not lead.
    #[must_use]
    pub fn leads_until(&self) -> Option<Duration> {
        // The others read the duration from the Lease, which holds whole seconds.
        let lasts = Duration::from_secs(self.timing.lease_duration.as_secs());
        self.term.map(|term| term.renewed + lasts - lasts / DRIFT_MARGIN)
    }

    /// Why the last attempt to get or keep the Lease failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What to do now. `chance` is a random number of 0 to 1.
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

    /// Who waits for another's Lease comes at a time of chance.
    fn rest(&self, rest: Duration, now: Moment, chance: f64) -> Duration {
        match self.deadline() {
            Some(deadline) => rest.min(deadline.saturating_sub(now.own)),
            None => rest + self.timing.retry_period.mul_f64(JITTER * chance.clamp(0.0, 1.0)),
        }
    }

    /// Takes the answer to what was sent.
    pub fn answer(&mut self, answer: Answer, now: Moment) {
        let failure = match (std::mem::replace(&mut self.doing, Doing::Reading), answer) {
            (Doing::Writing { record, sent, .. }, Answer::Written) => return self.written(record, sent, now),
            (Doing::Reading, Answer::Found(record)) => return self.found(record, now),
            (Doing::Reading, Answer::NotFound) => {
                self.observed = None;
                return self.write(self.fresh(0, now), false, now);
            }
            // On to reading what it says.
            (Doing::Writing { unread: true, .. }, _) => return,
            (stopped @ Doing::Stopped(_), _) => {
                self.doing = stopped;
                return;
            }
            (_, Answer::Failed(why)) => why,
            (_, Answer::NotFound) => "the Lease was deleted".to_owned(),
            (_, Answer::Found(_) | Answer::Written) => "an answer to another question".to_owned(),
        };
        self.fail(failure, now);
    }

    /// What to write to give the Lease up, given what it says.
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

    /// By when a leader must have renewed. client-go counts from the first attempt that failed; the second bound is ours,
    /// for a write whose answer took long: the others count from when it was taken.
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
        // client-go's kube-scheduler sets its client's timeout so: two requests fit into a deadline.
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
            // client-go goes on until its deadline; but this other one takes itself for the leader already.
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
