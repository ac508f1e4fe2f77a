//! Counts a Job's finished pods, each exactly once.

use std::collections::BTreeSet;

use super::super::kinds::Kind;
use super::super::metadata;
use super::super::pod::Pod;
use super::super::write::Write;
use super::indexes::{self, Indexes};
use super::{Run, TRACKING};

/// The counts of a Job's finished pods, for its status.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of succeeded pods without the tracking finalizer. For an indexed Job, the number of completed
    /// indexes.
    pub counted_succeeded: i32,
    /// The number of failed pods without the tracking finalizer, including pods that no longer exist.
    pub counted_failed: i32,
    /// The UIDs of succeeded pods that still have the tracking finalizer. An indexed Job uses `indexes` instead.
    pub uncounted_succeeded: BTreeSet<String>,
    /// The UIDs of failed pods that still have the tracking finalizer.
    pub uncounted_failed: BTreeSet<String>,
    /// The completed indexes; empty for a Job without indexes.
    pub indexes: Indexes,
}

impl Tally {
    /// Computes the counts from the stored status and the pods that finished after the last status write.
    pub fn of(run: &Run<'_>) -> Self {
        let status = &run.status;
        let listed = status.uncounted_terminated_pods.clone().unwrap_or_default();
        let mut tally = Tally {
            counted_succeeded: status.succeeded.unwrap_or(0),
            counted_failed: status.failed.unwrap_or(0),
            ..Tally::default()
        };
        let tracked_uids: BTreeSet<&str> =
            run.pods.iter().filter(|pod| tracked(pod)).map(|pod| metadata::uid(&pod.metadata)).collect();
        for (uids, counted, kept) in [
            (listed.succeeded, &mut tally.counted_succeeded, &mut tally.uncounted_succeeded),
            (listed.failed, &mut tally.counted_failed, &mut tally.uncounted_failed),
        ] {
            for uid in uids.unwrap_or_default() {
                if tracked_uids.contains(uid.as_str()) {
                    kept.insert(uid);
                } else {
                    *counted += 1;
                }
            }
        }
        let ended = run.pods.iter().filter(|pod| tracked(pod) && pod.terminal());
        let (succeeded, failed): (Vec<&Pod>, Vec<&Pod>) = ended.copied().partition(|pod| pod.phase() == "Succeeded");
        let uid = |pod: &Pod| metadata::uid(&pod.metadata).to_owned();
        tally.uncounted_failed.extend(failed.into_iter().map(uid));
        if run.indexed() {
            let limit = run.spec.completions.unwrap_or(0);
            tally.indexes = Indexes::parse(status.completed_indexes.as_deref().unwrap_or_default(), limit);
            tally.indexes.extend(Indexes::of_pods(&succeeded));
            tally.counted_succeeded = tally.indexes.len();
        } else {
            tally.uncounted_succeeded.extend(succeeded.into_iter().map(uid));
        }
        tally
    }

    /// Returns the total number of successes.
    pub fn succeeded(&self) -> i32 {
        self.counted_succeeded.saturating_add(i32::try_from(self.uncounted_succeeded.len()).unwrap_or(i32::MAX))
    }

    /// Returns the total number of failures.
    pub fn failed(&self) -> i32 {
        self.counted_failed.saturating_add(i32::try_from(self.uncounted_failed.len()).unwrap_or(i32::MAX))
    }

    /// Returns true if no UID of a pod is left in the sets of uncounted pods.
    pub fn settled(&self) -> bool {
        self.uncounted_succeeded.is_empty() && self.uncounted_failed.is_empty()
    }

    /// Returns the writes that remove the finalizers of the pods that the stored status accounts for.
    pub fn releases(&self, run: &Run<'_>) -> Vec<Write> {
        let listed = run.status.uncounted_terminated_pods.clone().unwrap_or_default();
        let written: BTreeSet<String> = listed.succeeded.into_iter().chain(listed.failed).flatten().collect();
        let limit = run.spec.completions.unwrap_or(0);
        let done = Indexes::parse(run.status.completed_indexes.as_deref().unwrap_or_default(), limit);
        let accounted = |pod: &Pod| {
            let by_index = pod.phase() == "Succeeded" && indexes::of(pod).is_some_and(|index| done.has(index));
            written.contains(metadata::uid(&pod.metadata)) || (run.indexed() && by_index)
        };
        let released = run.pods.iter().filter(|pod| tracked(pod) && pod.terminal() && accounted(pod));
        released.map(|pod| Write::release(Kind::Pod, &pod.metadata, TRACKING)).collect()
    }
}

fn tracked(pod: &Pod) -> bool {
    metadata::has_finalizer(&pod.metadata, TRACKING)
}
