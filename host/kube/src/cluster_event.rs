//! The events that a shell sends.

use std::num::NonZeroU64;

use berth_core::Event;
use tokio::sync::mpsc::UnboundedSender;

/// The number of a change. Of two changes, the later one has the higher number, also if they are of different kinds.
/// Source: `metadata.resourceVersion`. `None` if that is missing or not a number.
pub type ResourceVersion = Option<NonZeroU64>;

/// An event of the cluster.
#[derive(Clone, Debug)]
pub struct ClusterEvent {
    /// The event.
    pub event: Event,
    /// The change or the list that the event reports. `None` if the event comes from no watch and no list.
    pub version: ResourceVersion,
}

impl From<Event> for ClusterEvent {
    fn from(event: Event) -> Self {
        Self { event, version: None }
    }
}

/// Sends an event that an informer read.
pub(super) fn send(events: &UnboundedSender<ClusterEvent>, event: Event, version: ResourceVersion) {
    // The receiver is gone only when the scheduler is ending.
    let _ = events.send(ClusterEvent { event, version });
}

/// Reads `metadata.resourceVersion`.
pub(super) fn parse(version: &str) -> ResourceVersion {
    version.parse().ok()
}
