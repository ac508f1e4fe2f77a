//! Objects of the kinds other than Node and Pod that plugins read, and the state of the list of each kind. `v1 Pod` and
//! `v1 Node` are such a kind without objects while plugins name fields of them: the cache holds the fields in the pods
//! and nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assumed::{Assumptions, VisibleObject};
use super::ids::{KindId, ObjectId};
use super::log::{Change, ChangeLog};
use super::register::{Keyed, Register};
use crate::model::object::{Object, ObjectKey, ObjectKind, ObjectReads};

/// An object in the cache.
#[derive(Clone, Debug)]
pub struct CachedObject {
    /// The id of the kind in the object's key.
    pub kind: KindId,
    /// The object from the API server, or its assumed version.
    pub object: Arc<Object>,
    /// The object is an assumed version ([`crate::intent::Intent::Assume`]).
    pub assumed: bool,
}

impl Keyed for CachedObject {
    type Key = ObjectKey;

    fn key(&self) -> &ObjectKey {
        &self.object.key
    }
}

/// Whether the cache holds the objects that a plugin wants to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of these objects are in the cache, with all wanted fields.
    Complete,
    /// At least one kind was not listed yet with all wanted fields.
    Underway,
    /// The API server refuses to list this kind, for this reason, and no earlier list has all wanted fields.
    Refused(Arc<ObjectKind>, Arc<str>),
}

/// All objects of the kinds that plugins read.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub(crate) known: Register<CachedObject>,
    pub(crate) kinds: Vec<KnownKind>,
    pub(crate) assumed: Assumptions,
}

/// An object before and after a change. At least one of the two is `Some`.
pub(super) type ObjectChange = (Option<Arc<Object>>, Option<Arc<Object>>);

/// The state of a kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownKind {
    pub kind: Arc<ObjectKind>,
    /// The fields that plugins read; `None` if no plugin reads the kind.
    wanted: Option<BTreeSet<Box<str>>>,
    /// The fields with which the last complete list was made; `None` before the first list.
    listed: Option<BTreeSet<Box<str>>>,
    refused: Option<Arc<str>>,
    /// A plugin has read the kind before, and no plugin reads the kind now.
    dropped: bool,
    /// The number of watches of the kind that are stopping. Until all have stopped, events of the kind are ignored,
    /// because they come from these watches.
    stopping: u32,
}

impl Objects {
    /// Returns all objects, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &CachedObject)> {
        self.known.entries().map(|(id, object)| (ObjectId(id), object))
    }

    /// Returns the object with this id.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<&CachedObject> {
        self.known.get(id.0)
    }

    /// Returns the object with this key.
    #[must_use]
    pub fn by_key(&self, key: &ObjectKey) -> Option<&CachedObject> {
        self.known.get(self.known.find(key)?)
    }

    /// Returns the id of a kind.
    #[must_use]
    pub fn kind_id(&self, kind: &ObjectKind) -> Option<KindId> {
        self.kinds.iter().position(|known| *known.kind == *kind).map(|at| KindId(at as u16))
    }

    /// Returns all fields of a kind that any plugin reads, or `None` if no plugin reads the kind.
    #[must_use]
    pub fn fields(&self, kind: KindId) -> Option<&BTreeSet<Box<str>>> {
        self.kinds.get(usize::from(kind.0))?.wanted.as_ref()
    }

    /// Returns the kinds that plugins read, each with the state of its objects.
    pub fn kinds(&self) -> impl Iterator<Item = (KindId, &ObjectKind, Coverage)> {
        let numbered = self.kinds.iter().enumerate();
        numbered
            .filter_map(|(at, known)| Some((KindId(at as u16), &*known.kind, known.coverage(known.wanted.as_ref()?))))
    }

    /// Returns whether the cache holds everything that `reads` names.
    #[must_use]
    pub fn coverage(&self, reads: &[ObjectReads]) -> Coverage {
        let mut coverage = Coverage::Complete;
        for read in reads {
            let known = self.kind_id(&read.kind).map(|id| &self.kinds[usize::from(id.0)]);
            match known.map_or(Coverage::Underway, |known| known.coverage(&read.fields)) {
                Coverage::Complete => {}
                Coverage::Underway => coverage = Coverage::Underway,
                refused @ Coverage::Refused(..) => return refused,
            }
        }
        coverage
    }

    /// Registers kinds that plugins want to read. Returns the kinds that have to be listed because they or some of
    /// their fields were not read before, each with all fields that plugins read.
    pub(super) fn want(&mut self, reads: Vec<ObjectReads>) -> Vec<ObjectReads> {
        let mut grown = Vec::new();
        for ObjectReads { kind, fields } in reads {
            let at = usize::from(self.intern(&kind).0);
            let known = &mut self.kinds[at];
            if known.wanted.as_ref().is_some_and(|wanted| fields.is_subset(wanted)) {
                continue;
            }
            known.dropped = false;
            let wanted = known.wanted.get_or_insert_default();
            wanted.extend(fields);
            grown.push(ObjectReads { kind: Arc::clone(&known.kind), fields: wanted.clone() });
        }
        grown
    }

    /// Forgets the wanted kinds that are not in `read`, with their objects and all assumptions about them. Returns the
    /// dropped kinds. The removal of the objects causes no event, because it can help no pod.
    pub(super) fn keep_kinds(&mut self, read: &[&ObjectKind], log: &mut ChangeLog) -> Vec<Arc<ObjectKind>> {
        let mut dropped = Vec::new();
        for known in self.kinds.iter_mut().filter(|known| known.wanted.is_some() && !read.contains(&&*known.kind)) {
            (known.wanted, known.listed, known.refused) = (None, None, None);
            known.dropped = true;
            known.stopping += 1;
            dropped.push(Arc::clone(&known.kind));
        }
        for kind in &dropped {
            self.assumed.forget(kind);
            let of_kind = self.known.entries().filter(|(_, cached)| cached.object.key.kind == *kind);
            let keys: Vec<ObjectKey> = of_kind.map(|(_, cached)| cached.object.key.clone()).collect();
            keys.iter().for_each(|key| self.hide(key, log));
        }
        dropped
    }

    /// Notes that one of the stopping watches of the kind has stopped.
    pub(super) fn watch_stopped(&mut self, kind: &ObjectKind) {
        if let Some(known) = self.kinds.iter_mut().find(|known| *known.kind == *kind) {
            known.stopping = known.stopping.saturating_sub(1);
        }
    }

    /// Returns true if events of the kind belong to a watch that is stopping.
    fn is_stopping(&self, kind: &ObjectKind) -> bool {
        self.kinds.iter().any(|known| *known.kind == *kind && known.stopping > 0)
    }

    /// Marks the list of the kind as complete with these fields. Returns the objects that changed because their
    /// assumption ended.
    pub(super) fn listed(&mut self, reads: ObjectReads, log: &mut ChangeLog) -> Vec<ObjectChange> {
        if self.is_stopping(&reads.kind) {
            return Vec::new();
        }
        let kind = Arc::clone(&reads.kind);
        self.is_listed(reads);
        let shown = self.assumed.listed(&kind);
        shown.into_iter().filter_map(|(key, shown)| self.show(&key, shown, log)).collect()
    }

    fn is_listed(&mut self, reads: ObjectReads) {
        let at = usize::from(self.intern(&reads.kind).0);
        let known = &mut self.kinds[at];
        known.refused = None;
        known.listed = Some(reads.fields);
    }

    /// Marks the kind as refused by the API server.
    pub(super) fn refused(&mut self, kind: &Arc<ObjectKind>, why: Arc<str>) {
        if self.is_stopping(kind) {
            return;
        }
        let at = usize::from(self.intern(kind).0);
        self.kinds[at].refused = Some(why);
    }

    /// Adds or updates an object. An object with the same name and another uid is a new object. Returns the change, if
    /// the version that readers see changed.
    pub(super) fn set(&mut self, object: Arc<Object>, log: &mut ChangeLog) -> Option<ObjectChange> {
        if self.is_stopping(&object.key.kind) {
            return None;
        }
        let key = object.key.clone();
        let shown = self.assumed.reported(&key, Some(object));
        self.show(&key, shown, log)
    }

    /// Removes an object. Returns the change, if the version that readers see changed.
    pub(super) fn remove(&mut self, key: &ObjectKey, log: &mut ChangeLog) -> Option<ObjectChange> {
        if self.is_stopping(&key.kind) {
            return None;
        }
        let shown = self.assumed.reported(key, None);
        self.show(key, shown, log)
    }

    /// Assumes a version of the object for the pod with this uid. An object without a uid stands for the object with
    /// its name. Objects of a kind that no plugin reads are not assumed, and neither are pods and nodes.
    pub(super) fn assume(&mut self, object: Arc<Object>, by: &str, log: &mut ChangeLog) -> Option<ObjectChange> {
        let kind = self.kind_id(&object.key.kind)?;
        if self.kinds[usize::from(kind.0)].dropped || object.key.kind.is_pod_or_node() {
            return None;
        }
        let (key, known) = (object.key.clone(), self.by_key(&object.key).map(|cached| Arc::clone(&cached.object)));
        let uid = known.as_ref().map_or_else(|| object.uid.clone(), |known| known.uid.clone());
        if !object.uid.is_empty() && object.uid != uid {
            // The assumption is about an object that does not exist any more.
            return None;
        }
        let object = Arc::new(Object { uid, ..Object::clone(&object) });
        if known.as_ref() == Some(&object) {
            return None;
        }
        let shown = self.assumed.assume(object, by, known);
        self.show(&key, shown, log)
    }

    /// Ends the assumption of the object for the pod with this uid.
    pub(super) fn take_back(&mut self, key: &ObjectKey, by: &str, log: &mut ChangeLog) -> Option<ObjectChange> {
        let shown = self.assumed.take_back(key, by)?;
        self.show(key, shown, log)
    }

    /// Keeps the assumption of the object for a bound pod, until the informer reports a change of an assumed field or a
    /// complete list of the kind.
    pub(super) fn keep(&mut self, key: &ObjectKey, by: &str) {
        self.assumed.keep(key, by);
    }

    /// Returns whether no object is assumed.
    #[must_use]
    pub fn are_as_the_server_has_them(&self) -> bool {
        self.assumed.is_empty()
    }

    fn show(&mut self, key: &ObjectKey, shown: VisibleObject, log: &mut ChangeLog) -> Option<ObjectChange> {
        let before = self.by_key(key).map(|cached| (Arc::clone(&cached.object), cached.assumed));
        let Some(object) = shown.object else {
            let (before, _) = before?;
            self.hide(key, log);
            return Some((Some(before), None));
        };
        let cached = CachedObject { kind: self.intern(&key.kind), object, assumed: shown.assumed };
        let after = Some(Arc::clone(&cached.object));
        match before {
            Some((before, assumed)) if before.uid == cached.object.uid => {
                let same = before == cached.object;
                if !same || assumed != cached.assumed {
                    self.replace(key, cached, log);
                }
                (!same).then_some((Some(before), after))
            }
            before => {
                self.hide(key, log);
                self.insert(cached, log);
                Some((before.map(|(before, _)| before), after))
            }
        }
    }

    fn replace(&mut self, key: &ObjectKey, cached: CachedObject, log: &mut ChangeLog) {
        if let Some((id, known)) = self.known.find(key).and_then(|id| Some((id, self.known.get_mut(id)?))) {
            log.push(Change::Object(ObjectId(id), cached.kind));
            *known = cached;
        }
    }

    fn insert(&mut self, cached: CachedObject, log: &mut ChangeLog) {
        let kind = cached.kind;
        let id = self.known.insert(cached);
        log.push(Change::Object(ObjectId(id), kind));
    }

    fn hide(&mut self, key: &ObjectKey, log: &mut ChangeLog) {
        if let Some((id, known)) = self.known.find(key).and_then(|id| Some((id, self.known.retire(id)?))) {
            log.push(Change::ObjectRemoved(ObjectId(id), known.kind));
        }
    }

    /// Frees a retired id for a new object. Called after the change log has dropped the removal.
    pub(super) fn free(&mut self, id: ObjectId) {
        self.known.free(id.0);
    }

    fn intern(&mut self, kind: &Arc<ObjectKind>) -> KindId {
        self.kind_id(kind).unwrap_or_else(|| {
            let kind = Arc::clone(kind);
            let known = KnownKind { kind, wanted: None, listed: None, refused: None, dropped: false, stopping: 0 };
            self.kinds.push(known);
            KindId((self.kinds.len() - 1) as u16)
        })
    }
}

impl KnownKind {
    fn coverage(&self, fields: &BTreeSet<Box<str>>) -> Coverage {
        if self.listed.as_ref().is_some_and(|listed| fields.is_subset(listed)) {
            return Coverage::Complete;
        }
        match &self.refused {
            Some(why) => Coverage::Refused(Arc::clone(&self.kind), Arc::clone(why)),
            None => Coverage::Underway,
        }
    }
}

#[cfg(test)]
#[path = "objects_test.rs"]
mod tests;
