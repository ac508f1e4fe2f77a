//! Writes `events.k8s.io/v1` Events, which `kubectl describe pod` shows.
//!
//! Events wait in a bounded queue and never delay scheduling. When the queue is full, a new event is dropped. Dropped
//! events and failed writes are counted.

mod record;
mod series;

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::kube::Client;
use berth_clock::Clock;
use berth_core::action::PodEvent;
use http::{Method, StatusCode};
use tracing::{debug, warn};

use self::record::{Record, Reporter};
use self::series::SeriesCache;
use super::known::KnownPods;
use super::lanes::Lanes;
use super::rest::{self, Call, CallError, JSON, STRATEGIC_MERGE};

const DEADLINE: Duration = Duration::from_secs(30);
const ATTEMPTS: u32 = 6;
/// The capacity of the queue, in events. An event takes about a kilobyte.
const CAPACITY: usize = 16_384;
/// The interval between reviews of the event series.
const REVIEW: Duration = Duration::from_secs(60);

/// Writes events.
pub(super) struct Recorder {
    client: Client,
    known: Arc<KnownPods>,
    clock: Arc<dyn Clock>,
    reporter: Reporter,
    series: Mutex<SeriesCache>,
    lanes: Lanes<Box<str>, Record>,
    dropped: AtomicU64,
}

impl Recorder {
    /// Creates a recorder. `host` distinguishes the instances of one scheduler.
    pub(super) fn new(client: Client, known: Arc<KnownPods>, host: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            client,
            known,
            clock,
            reporter: Reporter::new(host),
            series: Mutex::default(),
            lanes: Lanes::new(CAPACITY),
            dropped: AtomicU64::new(0),
        }
    }

    /// Queues the event for writing, or increments the count of its series if the event repeats an earlier one.
    pub(super) fn emit(&self, event: PodEvent) {
        let resource_version = self.known.resource_version(&event.pod);
        let record = self.series().observe(event, resource_version, self.clock.timestamp());
        if let Some(record) = record {
            self.queue(record);
        }
    }

    fn series(&self) -> MutexGuard<'_, SeriesCache> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self, record: Record) {
        if !self.lanes.push(record.name.clone(), record) {
            self.count_dropped(&format_args!("more than {CAPACITY} events are waiting"));
        }
    }

    /// Counts an event that is dropped or whose write failed. Logs a warning at each count that is a power of two.
    fn count_dropped(&self, reason: &dyn Display) {
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        if dropped.is_power_of_two() {
            warn!(dropped, %reason, "an event was dropped");
        }
    }

    /// Returns the number of writes that were dropped or failed.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Writes queued events until the future is dropped. Several calls can run at once.
    pub(super) async fn work(&self) {
        loop {
            let (name, record) = self.lanes.next().await;
            Box::pin(self.write(&record)).await;
            self.lanes.done(&name);
        }
    }

    /// Queues the due counts of repeated events every [`REVIEW`], until the future is dropped.
    pub(super) async fn review(&self) {
        let mut tick = tokio::time::interval(REVIEW);
        loop {
            tick.tick().await;
            let records = self.series().review(self.clock.timestamp());
            records.into_iter().for_each(|record| self.queue(record));
        }
    }

    /// Queues the counts that are not written yet and waits until the queue is empty.
    pub(super) async fn flush(&self) {
        let records = self.series().finish();
        records.into_iter().for_each(|record| self.queue(record));
        self.lanes.idle().await;
    }

    /// Returns the number of events that are not written yet.
    pub(super) fn open(&self) -> usize {
        self.lanes.open()
    }

    async fn write(&self, record: &Record) {
        let written = match record.series {
            None => self.create(record).await,
            Some(_) => match self.patch(record).await {
                // The API server keeps an event for an hour. The first event of the series may have expired or may
                // never have been written.
                Err(e) if e.is(StatusCode::NOT_FOUND) => self.create(record).await,
                result => result,
            },
        };
        match written {
            // An event of this name exists: an earlier attempt to create it succeeded, but the answer was lost.
            Err(e) if e.is(StatusCode::CONFLICT) => {
                debug!(object = %record.name, error = %e, "the event exists already")
            }
            Err(e) => {
                let (object, reason) = (&record.name, record.event.reason);
                debug!(%object, %reason, error = %e, "writing an event failed; giving up");
                self.count_dropped(&e);
            }
            Ok(()) => {}
        }
    }

    async fn create(&self, record: &Record) -> Result<(), CallError> {
        let namespace = &record.event.pod.namespace;
        let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
        self.call(Method::POST, path, record.to_json(&self.reporter), JSON).await
    }

    async fn patch(&self, record: &Record) -> Result<(), CallError> {
        let namespace = &record.event.pod.namespace;
        let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events/{}", record.name);
        self.call(Method::PATCH, path, record.to_series_patch(), STRATEGIC_MERGE).await
    }

    async fn call(
        &self,
        method: Method,
        path: String,
        body: serde_json::Result<Vec<u8>>,
        content_type: &'static str,
    ) -> Result<(), CallError> {
        let body = body.map_err(|e| CallError::NoAnswer(e.to_string()))?.into();
        let call = Call { method, path, body, content_type };
        rest::send_again(&self.client, call, DEADLINE, ATTEMPTS).await.map(drop)
    }
}
