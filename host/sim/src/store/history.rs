//! The recent changes of one collection, bounded by number and bytes: what watches read, and what an older state is
//! reconstructed from.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::Object;

/// How much a collection remembers of its past.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// Changes kept at most.
    pub changes: usize,
    /// Bytes of superseded objects kept at most; the newest change is kept whatever its size.
    pub bytes: usize,
}

impl Default for Retention {
    fn default() -> Self {
        // A relist of 100,000 pods lasts seconds, in which some ten thousand of them may change.
        Self { changes: 50_000, bytes: 96 << 20 }
    }
}

/// One write: the object before and after it.
#[derive(Debug, Clone)]
pub struct Change {
    /// The resource version of the write.
    pub rv: u64,
    /// The object before; none when the write created it.
    pub before: Option<Arc<Object>>,
    /// The object after; none when the write deleted it.
    pub after: Option<Arc<Object>>,
}

/// The resource version asked for is older than what is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {asked} ({oldest})")]
pub struct TooOld {
    /// What was asked for.
    pub asked: u64,
    /// The oldest resource version that can still be served.
    pub oldest: u64,
}

/// A ring of changes in the order of their resource versions.
#[derive(Debug)]
pub(super) struct History {
    ring: VecDeque<Arc<Change>>,
    bytes: usize,
    /// Changes up to this resource version are forgotten.
    floor: u64,
    retention: Retention,
}

impl History {
    pub(super) fn new(floor: u64, retention: Retention) -> Self {
        Self { ring: VecDeque::new(), bytes: 0, floor, retention }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.bytes += weight(&change);
        self.ring.push_back(Arc::new(change));
        while self.ring.len() > 1 && (self.ring.len() > self.retention.changes || self.bytes > self.retention.bytes) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(change) = self.ring.pop_front() {
            self.bytes -= weight(&change);
            self.floor = change.rv;
        }
    }

    /// Forgets all changes, as a compaction does: whoever asks for a resource version below `rv` starts over.
    pub(super) fn forget(&mut self, rv: u64) {
        self.ring.clear();
        self.bytes = 0;
        self.floor = rv;
    }

    /// Up to `most` changes after `rv`, oldest first.
    pub(super) fn since(&self, rv: u64, most: usize) -> Result<Vec<Arc<Change>>, TooOld> {
        let start = self.position(rv)?;
        Ok(self.ring.iter().skip(start).take(most).cloned().collect())
    }

    /// For each key changed after `rv`, the object as it was at `rv`.
    pub(super) fn undo_to(&self, rv: u64) -> Result<BTreeMap<String, Option<Arc<Object>>>, TooOld> {
        let start = self.position(rv)?;
        let mut undone = BTreeMap::new();
        for change in self.ring.iter().skip(start) {
            if let Some(object) = change.before.as_ref().or(change.after.as_ref()) {
                undone.entry(object.key().to_owned()).or_insert_with(|| change.before.clone());
            }
        }
        Ok(undone)
    }

    fn position(&self, rv: u64) -> Result<usize, TooOld> {
        if rv < self.floor {
            return Err(TooOld { asked: rv, oldest: self.floor });
        }
        Ok(self.ring.partition_point(|change| change.rv <= rv))
    }
}

/// What a change alone keeps in memory: the superseded version.
fn weight(change: &Change) -> usize {
    change.before.as_ref().map_or(0, |object| object.size())
}
