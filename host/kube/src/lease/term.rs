//! Limits the leader's writes to the time in which this process holds the Lease.

use std::fmt::{Debug, Formatter};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;

use super::clock::Clock;

/// No write is sent, and each write in progress is abandoned, this long before the end of the term.
const MARGIN: Duration = Duration::from_millis(250);

/// The time for which this process holds the Lease. The [`super::Elector`] extends it at each renewal. Bindings,
/// evictions, status patches and intents check the term immediately before the request is sent. Kubernetes Events do
/// not. The clock counts the time in which the machine is suspended. So a process that was paused for longer than the
/// Lease lasts sends none of these writes. The default is a term without an end, for a scheduler without leader
/// election.
#[derive(Clone, Default)]
pub struct LeaseTerm(Option<Arc<Shared>>);

struct Shared {
    /// Namespace and name of the Lease.
    lease: String,
    clock: Clock,
    /// The end of the term on `clock`, in nanoseconds. 0 while this process does not lead.
    ends: AtomicU64,
    refused: Counter,
}

/// The reason why a write of the leader has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// The request was not sent, because the term has not begun, has ended or is about to end.
    #[error("the request was not sent: Lease {0} has expired, so another scheduler may lead")]
    NotSent(String),
    /// The Lease ended before the answer came. The API server may have accepted the request.
    #[error("Lease {0} expired before the answer arrived")]
    RanOut(String),
    /// No answer came in time. The API server may have accepted the request.
    #[error("no answer within {} s", .0.as_millis() as f64 / 1_000.0)]
    Late(Duration),
}

impl LeaseTerm {
    /// Creates a term that has not begun. `refused` counts the requests that are not sent because the term has not
    /// begun, has ended or is about to end.
    #[must_use]
    pub fn new(lease: &str, clock: Clock, refused: Counter) -> Self {
        Self(Some(Arc::new(Shared { lease: lease.to_owned(), clock, ends: AtomicU64::new(0), refused })))
    }

    /// Sets the end of the term on the clock passed to [`LeaseTerm::new`]. `None` means that this process does not
    /// lead.
    pub fn set_end(&self, end: Option<Duration>) {
        if let Some(shared) = &self.0 {
            let nanos = end.map_or(0, |end| u64::try_from(end.as_nanos()).unwrap_or(u64::MAX));
            shared.ends.store(nanos, SeqCst);
        }
    }

    /// Returns the time until the end of the term: zero after the end, and [`Duration::MAX`] for the default term.
    #[must_use]
    pub fn left(&self) -> Duration {
        let Some(shared) = &self.0 else { return Duration::MAX };
        Duration::from_nanos(shared.ends.load(SeqCst)).saturating_sub((shared.clock)().own)
    }

    /// Sends a request of the leader and waits for its answer: at most `within`, and no longer than the term lasts.
    /// The request must be sent by polling the future. The term is checked before each poll, because a request may
    /// wait for a free connection, and the process may be paused meanwhile.
    ///
    /// # Errors
    /// The request was not sent, or has no answer.
    pub async fn send<T>(&self, within: Duration, request: impl Future<Output = T>) -> Result<T, Unanswered> {
        let Some(within) = self.time_out(within) else {
            if let Some(shared) = &self.0 {
                shared.refused.inc();
            }
            return Err(Unanswered::NotSent(self.lease()));
        };
        let mut request = pin!(request);
        let guarded = poll_fn(|context| match self.left() {
            Duration::ZERO => Poll::Ready(Err(Unanswered::RanOut(self.lease()))),
            _ => request.as_mut().poll(context).map(Ok),
        });
        tokio::time::timeout(within, guarded).await.unwrap_or(Err(Unanswered::Late(within)))
    }

    /// Returns the time limit of a request that is sent now, or `None` if no request may be sent.
    fn time_out(&self, within: Duration) -> Option<Duration> {
        let left = self.left().saturating_sub(MARGIN);
        Some(within.min(left)).filter(|within| !within.is_zero())
    }

    fn lease(&self) -> String {
        self.0.as_ref().map(|shared| shared.lease.clone()).unwrap_or_default()
    }
}

impl Debug for LeaseTerm {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LeaseTerm").field(&self.lease()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::Moment;
    use super::*;

    /// Returns a term, its clock in milliseconds, and its counter of requests that were not sent.
    fn term() -> (LeaseTerm, Arc<AtomicU64>, Counter) {
        let (clock_millis, refused) = (Arc::<AtomicU64>::default(), Counter::default());
        let read = Arc::clone(&clock_millis);
        let clock: Clock = Arc::new(move || Moment {
            own: Duration::from_millis(read.load(SeqCst)),
            wall: jiff::Timestamp::UNIX_EPOCH,
        });
        (LeaseTerm::new("kube-system/berth", clock, refused.clone()), clock_millis, refused)
    }

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn no_request_is_sent_outside_the_term() {
        let (term, clock_millis, refused) = term();
        let sent = AtomicBool::new(false);
        let send = async || term.send(LONG, async { sent.store(true, SeqCst) }).await;
        let not_sent = Err(Unanswered::NotSent("kube-system/berth".to_owned()));
        assert_eq!(send().await, not_sent, "before the Lease is held");
        term.set_end(Some(Duration::from_secs(2)));
        clock_millis.store(1_750, SeqCst);
        assert_eq!(send().await, not_sent, "too close to the end");
        clock_millis.store(2_000, SeqCst);
        assert_eq!(send().await, not_sent, "at the end");
        assert!(!sent.load(SeqCst));
        term.set_end(Some(Duration::from_secs(4)));
        assert_eq!(send().await, Ok(()), "renewed");
        term.set_end(None);
        assert_eq!(send().await, not_sent, "the Lease is lost");
        assert_eq!(refused.get(), 4);
    }

    #[tokio::test]
    async fn a_request_that_still_waits_when_the_term_ends_is_not_sent() {
        let (term, clock_millis, _) = term();
        term.set_end(Some(Duration::from_secs(2)));
        let (mut polls, mut sent) = (0, false);
        let request = poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                // Simulates a pause of the process while the request waits for a connection.
                clock_millis.store(2_000, SeqCst);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            sent = true;
            Poll::Ready(())
        });
        assert_eq!(term.send(LONG, request).await, Err(Unanswered::RanOut("kube-system/berth".to_owned())));
        assert!(!sent);
    }

    #[tokio::test]
    async fn the_time_limit_is_shorter_than_the_rest_of_the_term() {
        let (term, clock_millis, _) = term();
        term.set_end(Some(Duration::from_secs(15)));
        for (at, wanted, time_out) in [
            (5_000, 30_000, Some(9_750)),
            (5_000, 3_000, Some(3_000)),
            (14_749, 3_000, Some(1)),
            (14_750, 3_000, None),
            (20_000, 3_000, None),
        ] {
            clock_millis.store(at, SeqCst);
            let expected = time_out.map(Duration::from_millis);
            assert_eq!(term.time_out(Duration::from_millis(wanted)), expected, "{wanted} ms at {at} ms");
        }
        clock_millis.store(14_749, SeqCst);
        let answer = term.send(LONG, std::future::pending::<()>()).await;
        assert_eq!(answer, Err(Unanswered::Late(Duration::from_millis(1))));
    }

    #[tokio::test]
    async fn a_term_without_an_election_does_not_end() {
        assert_eq!(LeaseTerm::default().send(LONG, async { 1 }).await, Ok(1));
    }
}
