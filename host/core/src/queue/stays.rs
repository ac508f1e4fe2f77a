//! The time that a pod spent in each sub-queue since its last attempt, and what moved it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::incoming::{Cause, SubQueue};
use crate::time::Timestamp;

/// The stays of a pod in the sub-queues since the end of its last attempt, or since it was first seen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stays {
    /// The start of the present stay.
    pub since: Timestamp,
    /// The milliseconds of the earlier stays, by sub-queue.
    pub millis: [u32; SubQueue::ALL.len()],
    /// The first cause that moved the pod, other than the end of a backoff.
    pub moved_by: Option<Cause>,
    /// The plugin whose pre-enqueue gated the pod last.
    pub gated_by: Option<Arc<str>>,
}

impl Stays {
    /// Begins a stay. `cause` is `None` if the pod only moves within its sub-queue.
    pub fn begin(&mut self, cause: Option<Cause>, now: Timestamp) {
        self.since = now;
        match cause {
            None | Some(Cause::BackoffComplete | Cause::PopFromBackoff) if self.moved_by.is_some() => {}
            // The return from an attempt moves the pod only if no later event does.
            Some(cause) if matches!(self.moved_by, None | Some(Cause::AttemptFailed)) => self.moved_by = Some(cause),
            _ => {}
        }
    }

    /// Ends a stay in this sub-queue.
    pub fn end(&mut self, sub_queue: SubQueue, now: Timestamp) {
        let stay = u32::try_from(now.0.saturating_sub(self.since.0)).unwrap_or(u32::MAX);
        let millis = &mut self.millis[sub_queue as usize];
        *millis = millis.saturating_add(stay);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_that_moved_the_pod_is_kept_and_the_times_add_up() {
        let mut stays = Stays::default();
        stays.begin(Some(Cause::AttemptFailed), Timestamp(10));
        stays.end(SubQueue::Unschedulable, Timestamp(30));
        stays.begin(Some(Cause::PluginsChanged), Timestamp(30));
        stays.end(SubQueue::Backoff, Timestamp(40));
        stays.begin(Some(Cause::BackoffComplete), Timestamp(40));
        stays.end(SubQueue::Active, Timestamp(41));
        stays.begin(None, Timestamp(41));
        stays.end(SubQueue::Active, Timestamp(42));
        assert_eq!(stays.moved_by, Some(Cause::PluginsChanged));
        assert_eq!(stays.millis, [2, 10, 20, 0]);
    }

    #[test]
    fn without_an_event_the_end_of_the_backoff_moves_the_pod() {
        let mut stays = Stays::default();
        stays.begin(Some(Cause::AttemptFailed), Timestamp(0));
        stays.begin(Some(Cause::BackoffComplete), Timestamp(0));
        assert_eq!(stays.moved_by, Some(Cause::AttemptFailed));
    }
}
