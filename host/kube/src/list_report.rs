//! Tells the core whether the objects of a kind are listed with the fields that plugins read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::kube::Error as ClientError;
use berth_core::Event;
use berth_core::model::{ObjectKind, ObjectReads};
use tokio::sync::mpsc::UnboundedSender;

use super::cluster_event::{self, ClusterEvent, ResourceVersion};
use super::list::ListError;

/// How long discovery and lists of a kind may fail before the plugins that read the kind are refused. Until then, the
/// plugin loader waits, so all other plugins wait too.
pub(super) const REFUSE_AFTER: Duration = Duration::from_secs(10);

/// The state of the lists of one kind, as the core knows it.
pub(super) struct ListReport {
    reads: ObjectReads,
    /// The core knows that the kind can't be listed.
    refused: bool,
    /// The time of the first failed list or discovery since the last successful list.
    pub(super) failing: Option<Instant>,
    events: UnboundedSender<ClusterEvent>,
}

impl ListReport {
    pub(super) fn new(kind: Arc<ObjectKind>, events: UnboundedSender<ClusterEvent>) -> Self {
        let reads = ObjectReads { kind, ..ObjectReads::default() };
        Self { reads, refused: false, failing: None, events }
    }

    /// Returns the kind with the fields that plugins read.
    pub(super) fn reads(&self) -> &ObjectReads {
        &self.reads
    }

    /// Begins lists with these fields.
    pub(super) fn read(&mut self, reads: ObjectReads) {
        self.reads = reads;
        (self.refused, self.failing) = (false, None);
    }

    /// Sends [`Event::WatchStopped`]: no plugin reads the kind any more.
    pub(super) fn stopped(&mut self) {
        (self.refused, self.failing) = (false, None);
        self.send(Event::WatchStopped(Arc::clone(&self.reads.kind)));
    }

    /// Sends [`Event::ObjectsListed`]: the list at this resourceVersion is complete.
    pub(super) fn listed(&mut self, version: ResourceVersion) {
        (self.refused, self.failing) = (false, None);
        cluster_event::send(&self.events, Event::ObjectsListed(self.reads.clone()), version);
    }

    /// Records a failed list. If the API server forbids it, sends [`Event::ObjectsRefused`] at once.
    pub(super) fn not_listed(&mut self, error: &ListError) {
        match error {
            ListError::Client(ClientError::Api(status)) if status.code == 403 => {
                self.refuse(&format!("{}. Give the scheduler's role `list` and `watch` on it", status.message));
            }
            other => self.failed(&other.to_string(), Instant::now()),
        }
    }

    /// Records a failed list or discovery. After [`REFUSE_AFTER`], sends [`Event::ObjectsRefused`]: the plugin loader
    /// then refuses the plugins that read the kind and continues without them.
    pub(super) fn failed(&mut self, why: &str, now: Instant) {
        let since = *self.failing.get_or_insert(now);
        if now.saturating_duration_since(since) >= REFUSE_AFTER {
            self.refuse(&format!(
                "every attempt failed for {} s or longer, the last one with: {why}",
                REFUSE_AFTER.as_secs()
            ));
        }
    }

    /// Tells the core that the kind can't be listed. Does so once until the next successful list, [`Self::read`] or
    /// [`Self::stopped`].
    fn refuse(&mut self, why: &str) {
        if !std::mem::replace(&mut self.refused, true) {
            self.send(Event::ObjectsRefused(Arc::clone(&self.reads.kind), why.into()));
        }
    }

    fn send(&self, event: Event) {
        // The receiver is gone only when the scheduler is ending.
        let _ = self.events.send(event.into());
    }
}
