//! The recent changes of one collection, limited by number and bytes. Watches read the changes. A list at an older
//! resource version is the current state with the later changes undone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::Object;

/// The limits of the history that a collection keeps.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// The maximum number of changes.
    pub changes: usize,
    /// The maximum number of bytes of superseded objects. The newest change is kept whatever its size.
    pub bytes: usize,
}

impl Default for Retention {
    fn default() -> Self {
        // A relist of 100,000 pods takes seconds, in which about ten thousand of the pods can change.
        Self { changes: 50_000, bytes: 32 << 20 }
    }
}

/// One write: the object before and after the write.
#[derive(Debug, Clone)]
pub struct Change {
    /// The resource version of the write.
    pub rv: u64,
    /// The object before the write; `None` for a creation.
    pub before: Option<Arc<Object>>,
    /// The object after the write; `None` for a deletion.
    pub after: Option<Arc<Object>>,
}

/// The error that the requested resource version is older than the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {asked} ({oldest})")]
pub struct TooOld {
    /// The requested resource version.
    pub asked: u64,
    /// The oldest resource version that can still be served.
    pub oldest: u64,
}

/// A ring buffer of changes, ordered by resource version.
#[derive(Debug)]
pub(super) struct History {
    ring: VecDeque<Arc<Change>>,
    bytes: usize,
    /// The history does not contain the changes up to this resource version.
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

    /// Forgets all changes, like a compaction. A request for a resource version below `rv` fails from now on.
    pub(super) fn forget(&mut self, rv: u64) {
        self.ring.clear();
        self.bytes = 0;
        self.floor = rv;
    }

    /// Returns up to `most` changes after `rv`, oldest first.
    pub(super) fn since(&self, rv: u64, most: usize) -> Result<Vec<Arc<Change>>, TooOld> {
        let start = self.position(rv)?;
        Ok(self.ring.iter().skip(start).take(most).cloned().collect())
    }

    /// Returns, for each key that changed after `rv`, the object at `rv`, or `None` if the object did not exist then.
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

/// Returns the bytes that only this change keeps in memory: the superseded object.
fn weight(change: &Change) -> usize {
    change.before.as_ref().map_or(0, |object| object.size())
}
