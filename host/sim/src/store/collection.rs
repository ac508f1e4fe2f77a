//! The objects of one kind, ordered by key, with their recent history.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

use super::chunks::Chunks;
use super::history::{Change, History, Retention, TooOld};
use super::object::Object;

/// An error of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// An object with this name exists.
    #[error("the object exists already")]
    Exists,
    /// The object was changed or deleted after it was read.
    #[error("the object was changed since it was read")]
    Stale,
}

/// The range of objects that a list covers.
#[derive(Debug, Clone, Default)]
pub struct Span {
    /// The namespace; `None` for all namespaces.
    pub namespace: Option<String>,
    /// The name of one object in the namespace; `None` for all names. Has no effect without a namespace.
    pub name: Option<String>,
    /// The key after which the range starts, for the second and later pages of a list; `None` for the first page.
    pub after: Option<String>,
    /// The maximum number of objects; 0 for no maximum.
    pub limit: usize,
}

/// The objects of a [`Span`] at one resource version.
#[derive(Debug)]
pub struct Snapshot {
    /// The resource version of the snapshot.
    pub rv: u64,
    /// The objects, ordered by key.
    pub objects: Vec<Arc<Object>>,
    /// The number of objects in the span beyond the limit.
    pub remaining: usize,
}

/// An object in the ordered set. The set compares objects by their key, so no second copy of the key is needed.
#[derive(Debug)]
struct ByKey(Arc<Object>);

impl Borrow<str> for ByKey {
    fn borrow(&self) -> &str {
        self.0.key()
    }
}
impl PartialEq for ByKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}
impl Eq for ByKey {}
impl PartialOrd for ByKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for ByKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.key().cmp(other.0.key())
    }
}

#[derive(Debug)]
struct Inner {
    objects: BTreeSet<ByKey>,
    history: History,
}

/// The objects of one kind. Readers share a lock. A writer of one object holds the lock only while it changes the set
/// and the history. Parsing, validation and serialization happen outside the lock. If another writer changes the object
/// in the meantime, the later writer gets [`WriteError::Stale`].
#[derive(Debug)]
pub struct Collection {
    inner: RwLock<Inner>,
    counter: Arc<AtomicU64>,
    newest: watch::Sender<u64>,
    ended: AtomicBool,
    chunks: Chunks,
}

impl Collection {
    /// Returns an empty collection. All collections of a server share `counter`, which numbers the writes.
    pub fn new(counter: Arc<AtomicU64>, retention: Retention) -> Self {
        let rv = counter.load(SeqCst);
        let inner = Inner { objects: BTreeSet::new(), history: History::new(rv, retention) };
        Self {
            inner: RwLock::new(inner),
            counter,
            newest: watch::Sender::new(rv),
            ended: AtomicBool::new(false),
            chunks: Chunks::default(),
        }
    }

    // Continues after a panic under the lock, because a panic cannot leave the set and the history in an inconsistent
    // state.
    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the pieces of JSON that the collection's objects share.
    pub fn chunks(&self) -> &Chunks {
        &self.chunks
    }

    /// Returns the object with this key.
    pub fn get(&self, key: &str) -> Option<Arc<Object>> {
        self.read().objects.get(key).map(|found| found.0.clone())
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.read().objects.len()
    }

    /// Returns true if the collection is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a new object.
    ///
    /// # Errors
    /// [`WriteError::Exists`] if an object with this key exists.
    pub fn create(&self, draft: Object) -> Result<Arc<Object>, WriteError> {
        let mut inner = self.write();
        if inner.objects.contains(draft.key()) {
            return Err(WriteError::Exists);
        }
        Ok(self.put(&mut inner, None, draft))
    }

    /// Replaces `current` with `draft`.
    ///
    /// # Errors
    /// [`WriteError::Stale`] if `current` is not the stored version.
    pub fn replace(&self, current: &Object, draft: Object) -> Result<Arc<Object>, WriteError> {
        let mut inner = self.write();
        let before = still_current(&inner, current)?;
        Ok(self.put(&mut inner, Some(before), draft))
    }

    fn put(&self, inner: &mut Inner, before: Option<Arc<Object>>, draft: Object) -> Arc<Object> {
        let rv = self.next_rv();
        let after = Arc::new(draft.at(rv));
        inner.objects.replace(ByKey(after.clone()));
        self.record(inner, Change { rv, before, after: Some(after.clone()) });
        after
    }

    /// Removes `current`. Returns the resource version of the removal.
    ///
    /// # Errors
    /// [`WriteError::Stale`] if `current` is not the stored version.
    pub fn remove(&self, current: &Object) -> Result<u64, WriteError> {
        let mut inner = self.write();
        let before = still_current(&inner, current)?;
        inner.objects.remove(current.key());
        let rv = self.next_rv();
        self.record(&mut inner, Change { rv, before: Some(before), after: None });
        Ok(rv)
    }

    fn next_rv(&self) -> u64 {
        self.counter.fetch_add(1, SeqCst) + 1
    }

    fn record(&self, inner: &mut Inner, change: Change) {
        let rv = change.rv;
        inner.history.push(change);
        self.newest.send_replace(rv);
    }

    /// Returns the current resource version. Every later change of this collection has a higher version.
    pub fn rv(&self) -> u64 {
        let _inner = self.read();
        self.counter.load(SeqCst)
    }

    /// Returns the objects of `span`: the current ones, or those at resource version `at`.
    ///
    /// # Errors
    /// [`TooOld`] if the history does not reach back to `at`.
    pub fn snapshot(&self, span: &Span, at: Option<u64>) -> Result<Snapshot, TooOld> {
        let inner = self.read();
        let now = self.counter.load(SeqCst);
        let undone = match at {
            Some(rv) if rv < now => inner.history.undo_to(rv)?,
            _ => BTreeMap::new(),
        };
        let rv = at.unwrap_or(now);
        let (low, high) = bounds(span);
        let range = inner.objects.range::<str, _>((as_str(&low), as_str(&high)));
        let mut snapshot = Snapshot { rv, objects: Vec::new(), remaining: 0 };
        if undone.is_empty() {
            snapshot.fill(range.map(|found| &found.0), span.limit);
        } else {
            let mut objects: BTreeMap<&str, &Arc<Object>> = range.map(|found| (found.0.key(), &found.0)).collect();
            for (key, before) in undone.range::<str, _>((as_str(&low), as_str(&high))) {
                match before {
                    Some(object) => objects.insert(key, object),
                    None => objects.remove(key.as_str()),
                };
            }
            snapshot.fill(objects.into_values(), span.limit);
        }
        Ok(snapshot)
    }

    /// Returns up to `most` changes after resource version `rv`, oldest first, and the resource version up to which
    /// the result is complete.
    ///
    /// # Errors
    /// [`TooOld`] if the history does not reach back to `rv`.
    pub fn changes_since(&self, rv: u64, most: usize) -> Result<(Vec<Arc<Change>>, u64), TooOld> {
        let inner = self.read();
        let changes = inner.history.since(rv, most)?;
        let known = match changes.last() {
            Some(last) if changes.len() == most => last.rv,
            _ => self.counter.load(SeqCst).max(rv),
        };
        Ok((changes, known))
    }

    /// Returns a receiver that wakes at every change, at a compaction, and at the end of the collection.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Removes all objects, with one change for each object.
    pub fn clear(&self) {
        let mut inner = self.write();
        while let Some(ByKey(before)) = inner.objects.pop_first() {
            let rv = self.next_rv();
            self.record(&mut inner, Change { rv, before: Some(before), after: None });
        }
    }

    /// Marks the collection as ended and wakes the receivers, so that its watches end. Does not prevent later writes.
    pub fn end(&self) {
        self.ended.store(true, SeqCst);
        self.newest.send_modify(|_| {});
    }

    /// Returns true after [`end`](Self::end).
    pub fn has_ended(&self) -> bool {
        self.ended.load(SeqCst)
    }

    /// Forgets the history, like a compaction of etcd: a watch or a list page that continues from a resource version
    /// before this call gets 410.
    pub fn compact(&self) {
        let mut inner = self.write();
        let rv = self.counter.load(SeqCst);
        inner.history.forget(rv);
        self.newest.send_replace(rv);
    }
}

impl Snapshot {
    fn fill<'a>(&mut self, objects: impl Iterator<Item = &'a Arc<Object>>, limit: usize) {
        for object in objects {
            if limit > 0 && self.objects.len() == limit {
                self.remaining += 1;
            } else {
                self.objects.push(object.clone());
            }
        }
    }
}

fn still_current(inner: &Inner, current: &Object) -> Result<Arc<Object>, WriteError> {
    match inner.objects.get(current.key()) {
        Some(found) if found.0.rv() == current.rv() => Ok(found.0.clone()),
        _ => Err(WriteError::Stale),
    }
}

/// Returns the range of keys of a span. The keys of a namespace start with `NAMESPACE/` and end before `NAMESPACE0`,
/// because `0` is the character after `/`.
fn bounds(span: &Span) -> (Bound<String>, Bound<String>) {
    let (first, last) = match (&span.namespace, &span.name) {
        (Some(namespace), Some(name)) => {
            let key = super::key(namespace, name);
            (Bound::Included(key.clone()), Bound::Included(key))
        }
        (Some(namespace), None) => (Bound::Included(format!("{namespace}/")), Bound::Excluded(format!("{namespace}0"))),
        (None, _) => (Bound::Unbounded, Bound::Unbounded),
    };
    match &span.after {
        // A forged continue token can name a key outside the namespace. The start of a range must not be after its
        // end.
        Some(after) => match &last {
            Bound::Included(end) | Bound::Excluded(end) if after >= end => {
                (Bound::Excluded(end.clone()), Bound::Included(end.clone()))
            }
            _ => match &first {
                Bound::Included(start) if after < start => (first, last),
                _ => (Bound::Excluded(after.clone()), last),
            },
        },
        None => (first, last),
    }
}

fn as_str(bound: &Bound<String>) -> Bound<&str> {
    match bound {
        Bound::Included(text) => Bound::Included(text),
        Bound::Excluded(text) => Bound::Excluded(text),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selectors::Selectable;
    use serde_json::json;

    fn pod(namespace: &str, name: &str, node: &str) -> Object {
        let value = json!({"metadata": {"name": name, "namespace": namespace}, "spec": {"nodeName": node}});
        Object::new(value, &[Selectable::text("spec.nodeName")])
    }

    fn pods() -> Collection {
        let pods = Collection::new(Arc::default(), Retention { changes: 6, bytes: 1 << 20 });
        for (namespace, name) in [("a", "1"), ("a", "2"), ("a-b", "1"), ("b", "1")] {
            pods.create(pod(namespace, name, "")).unwrap();
        }
        pods
    }

    fn keys(snapshot: &Snapshot) -> Vec<&str> {
        snapshot.objects.iter().map(|object| object.key()).collect()
    }

    #[test]
    fn a_stale_write_changes_nothing() {
        let pods = pods();
        let old = pods.get("a/1").unwrap();
        assert_eq!(pods.create(pod("a", "1", "")).unwrap_err(), WriteError::Exists);
        let new = pods.replace(&old, pod("a", "1", "n")).unwrap();
        assert_eq!(pods.replace(&old, pod("a", "1", "m")).unwrap_err(), WriteError::Stale);
        assert_eq!(pods.remove(&old).unwrap_err(), WriteError::Stale);
        assert_eq!(pods.get("a/1").unwrap().field(0), "n");
        assert_eq!(pods.remove(&new), Ok(6));
        assert_eq!(pods.replace(&new, pod("a", "1", "n")).unwrap_err(), WriteError::Stale);
    }

    #[test]
    fn spans_follow_namespaces_and_pages() {
        let pods = pods();
        let list = |namespace: Option<&str>, after: Option<&str>, limit| {
            let span =
                Span { namespace: namespace.map(Into::into), after: after.map(Into::into), limit, ..Span::default() };
            let snapshot = pods.snapshot(&span, None).unwrap();
            (keys(&snapshot).join(" "), snapshot.remaining)
        };
        assert_eq!(list(None, None, 0), ("a-b/1 a/1 a/2 b/1".into(), 0));
        assert_eq!(list(Some("a"), None, 0), ("a/1 a/2".into(), 0));
        assert_eq!(list(Some("a"), None, 1), ("a/1".into(), 1));
        assert_eq!(list(Some("a"), Some("a/1"), 1), ("a/2".into(), 0));
        assert_eq!(list(Some("a"), Some("b/1"), 0), (String::new(), 0));
        assert_eq!(list(Some("a"), Some("0"), 0), ("a/1 a/2".into(), 0));
        let one = Span { namespace: Some("a".into()), name: Some("2".into()), ..Span::default() };
        assert_eq!(keys(&pods.snapshot(&one, None).unwrap()), ["a/2"]);
    }

    #[test]
    fn old_states_are_reconstructed_until_compaction() {
        let pods = pods();
        let then = pods.rv();
        pods.remove(&pods.get("a/2").unwrap()).unwrap();
        pods.create(pod("a", "0", "")).unwrap();
        let current = pods.get("b/1").unwrap();
        pods.replace(&current, pod("b", "1", "n")).unwrap();
        let past = pods.snapshot(&Span::default(), Some(then)).unwrap();
        assert_eq!(keys(&past), ["a-b/1", "a/1", "a/2", "b/1"]);
        assert_eq!(past.objects[3].field(0), "");
        assert_eq!(keys(&pods.snapshot(&Span::default(), None).unwrap()), ["a-b/1", "a/0", "a/1", "b/1"]);
        assert_eq!(pods.changes_since(then, 10).unwrap().0.len(), 3);
        // The history keeps six of seven changes, so the first change is forgotten.
        assert_eq!(pods.changes_since(0, 10).unwrap_err(), TooOld { asked: 0, oldest: 1 });
        pods.compact();
        assert_eq!(pods.snapshot(&Span::default(), Some(then)).unwrap_err(), TooOld { asked: then, oldest: 7 });
        assert!(pods.changes_since(pods.rv(), 10).unwrap().0.is_empty());
    }
}
