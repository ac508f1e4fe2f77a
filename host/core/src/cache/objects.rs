//! Objects of further kinds, and how far each kind is known.

use std::collections::BTreeSet;
use std::sync::Arc;

use hashbrown::HashMap;

use super::ids::Slab;
use super::log::{Change, ChangeLog};
use crate::model::object::{Object, ObjectKey, ObjectKind, ObjectReads};

/// An object for as long as it exists (`object-id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A kind that somebody reads, or once did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KindId(pub u16);

/// An object in the cache.
#[derive(Clone, Debug)]
pub struct CachedObject {
    /// Of its key's kind.
    pub kind: KindId,
    /// As the API server has it, or is assumed to have it soon.
    pub object: Arc<Object>,
    /// It is not so yet ([`crate::intent::Intent::Assume`]).
    pub assumed: bool,
}

/// How far the objects are known that somebody wants to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of them are in the cache.
    Complete,
    /// They are being listed.
    Underway,
    /// The API server doesn't let this kind be listed, for this reason.
    Refused(Arc<ObjectKind>, Arc<str>),
}

/// All objects of all kinds that plugins read.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    slab: Slab<CachedObject>,
    by_key: HashMap<ObjectKey, ObjectId>,
    kinds: Vec<KnownKind>,
}

/// What is wanted and known of a kind.
#[derive(Clone, Debug)]
struct KnownKind {
    kind: Arc<ObjectKind>,
    /// `None` as long as nobody does.
    wanted: Option<BTreeSet<Box<str>>>,
    /// With which fields all its objects are here.
    listed: Option<BTreeSet<Box<str>>>,
    refused: Option<Arc<str>>,
}

impl Objects {
    /// All objects, by id.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &CachedObject)> {
        self.slab.entries().map(|(id, object)| (ObjectId(id), object))
    }

    /// The object with this id.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<&CachedObject> {
        self.slab.get(id.0)
    }

    /// The object of this key.
    #[must_use]
    pub fn by_key(&self, key: &ObjectKey) -> Option<&CachedObject> {
        self.get(*self.by_key.get(key)?)
    }

    /// The id of a kind that somebody reads.
    #[must_use]
    pub fn kind_id(&self, kind: &ObjectKind) -> Option<KindId> {
        self.kinds.iter().position(|known| *known.kind == *kind).map(|at| KindId(at as u16))
    }

    /// All fields that are read of a kind, by whomever.
    #[must_use]
    pub fn fields(&self, kind: KindId) -> Option<&BTreeSet<Box<str>>> {
        self.kinds.get(usize::from(kind.0))?.wanted.as_ref()
    }

    /// Whether all that `reads` names is here.
    #[must_use]
    pub fn coverage(&self, reads: &[ObjectReads]) -> Coverage {
        let mut coverage = Coverage::Complete;
        for read in reads {
            let known = self.kind_id(&read.kind).map(|id| &self.kinds[usize::from(id.0)]);
            match known {
                Some(known) if known.has(&read.fields) => {}
                Some(KnownKind { kind, refused: Some(why), .. }) => {
                    return Coverage::Refused(Arc::clone(kind), Arc::clone(why));
                }
                _ => coverage = Coverage::Underway,
            }
        }
        coverage
    }

    /// Somebody wants to read these. Returns the kinds of which more has to be listed than was, with all their fields.
    pub(super) fn want(&mut self, reads: Vec<ObjectReads>) -> Vec<ObjectReads> {
        let mut grown = Vec::new();
        for ObjectReads { kind, fields } in reads {
            let at = usize::from(self.intern(&kind).0);
            let known = &mut self.kinds[at];
            if known.wanted.as_ref().is_some_and(|wanted| fields.is_subset(wanted)) {
                continue;
            }
            let wanted = known.wanted.get_or_insert_default();
            wanted.extend(fields);
            grown.push(ObjectReads { kind: Arc::clone(&known.kind), fields: wanted.clone() });
        }
        grown
    }

    /// All objects of the kind are here with these fields.
    pub(super) fn listed(&mut self, reads: ObjectReads) {
        let at = usize::from(self.intern(&reads.kind).0);
        let known = &mut self.kinds[at];
        known.refused = None;
        known.listed = Some(reads.fields);
    }

    /// The kind can't be listed.
    pub(super) fn refused(&mut self, kind: &Arc<ObjectKind>, why: Arc<str>) {
        let at = usize::from(self.intern(kind).0);
        self.kinds[at].refused = Some(why);
    }

    /// An object appeared or changed. One of the same name with another uid is another one. Whether anything changed.
    pub(super) fn set(&mut self, object: Arc<Object>, log: &mut ChangeLog) -> bool {
        let kind = self.intern(&object.key.kind);
        if let Some(id) = self.by_key.get(&object.key).copied()
            && let Some(known) = self.slab.get_mut(id.0)
        {
            if known.object == object {
                return false;
            }
            if known.object.uid == object.uid {
                known.object = object;
                log.push(Change::Object(id, kind));
                return true;
            }
            self.remove(&object.key, log);
        }
        let key = object.key.clone();
        let id = ObjectId(self.slab.insert(CachedObject { kind, object, assumed: false }));
        self.by_key.insert(key, id);
        log.push(Change::Object(id, kind));
        true
    }

    /// An object went. Whether it was there.
    pub(super) fn remove(&mut self, key: &ObjectKey, log: &mut ChangeLog) -> bool {
        let removed = self.by_key.remove(key).and_then(|id| Some((id, self.slab.retire(id.0)?)));
        let Some((id, known)) = removed else { return false };
        log.push(Change::ObjectRemoved(id, known.kind));
        true
    }

    /// The id, whose removal is no longer in the log, may be used again.
    pub(super) fn free(&mut self, id: ObjectId) {
        self.slab.free(id.0);
    }

    fn intern(&mut self, kind: &Arc<ObjectKind>) -> KindId {
        self.kind_id(kind).unwrap_or_else(|| {
            let known = KnownKind { kind: Arc::clone(kind), wanted: None, listed: None, refused: None };
            self.kinds.push(known);
            KindId((self.kinds.len() - 1) as u16)
        })
    }
}

impl KnownKind {
    fn has(&self, fields: &BTreeSet<Box<str>>) -> bool {
        self.listed.as_ref().is_some_and(|listed| fields.is_subset(listed))
    }
}

#[cfg(test)]
#[path = "objects_test.rs"]
mod tests;
