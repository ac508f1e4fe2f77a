//! Keeping a guest's objects up to date, of the kinds that it reads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_core::cache::{Cache, CachedObject, Change, KindId, ObjectId};
use berth_core::model::ObjectKind;
use berth_core::plugins::Declaration;
use hashbrown::HashSet;

use super::BATCH;
use crate::bindings::exports::berth::scheduler::objects as wit;
use berth_apimachinery::fields::{FieldPath, pruned_text};

/// Bytes of fields in one `apply`, after which the next object goes into another one.
const BATCH_BYTES: usize = 1 << 20;

/// What one instance reads of objects, and what it has been told.
#[derive(Default)]
pub(crate) struct ObjectFeed {
    /// As declared: the position is the contract's `kind`.
    kinds: Vec<Read>,
    told: HashSet<ObjectId>,
}

struct Read {
    kind: Arc<ObjectKind>,
    fields: BTreeSet<Box<str>>,
    paths: Vec<FieldPath>,
}

/// A change before it is lent to a call.
enum Told<'a> {
    Object { id: ObjectId, at: usize, cached: &'a CachedObject, fields: Arc<str> },
    Removed(ObjectId),
}

impl ObjectFeed {
    /// For an instance of this declaration. Paths that can't be read were refused when it was configured.
    pub fn new(declaration: &Declaration) -> Self {
        let read = |reads: &berth_core::model::ObjectReads| Read {
            kind: Arc::clone(&reads.kind),
            fields: reads.fields.clone(),
            paths: reads.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect(),
        };
        Self { kinds: declaration.objects.iter().map(read).collect(), told: HashSet::new() }
    }

    /// Returns true if the instance reads no objects.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Sends all objects.
    pub fn fill<E>(&mut self, cache: &Cache, apply: impl FnMut(&[wit::Change<'_>]) -> Result<(), E>) -> Result<(), E> {
        let all = cache.objects().iter().map(|(id, cached)| (id, cached.kind));
        self.send(cache, all, apply)
    }

    /// Sends what changed since `position`, each object once and as it is now. Where the log no longer reaches back so
    /// far, nothing is sent: who reads it finds out from the rest of the snapshot.
    pub fn catch_up<E>(
        &mut self,
        cache: &Cache,
        position: u64,
        apply: impl FnMut(&[wit::Change<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.kinds.is_empty() {
            return Ok(());
        }
        let changes = cache.log().since(position).into_iter().flatten();
        let changed: BTreeMap<ObjectId, KindId> = changes
            .filter_map(|change| match change {
                Change::Object(id, kind) | Change::ObjectRemoved(id, kind) => Some((id, kind)),
                _ => None,
            })
            .collect();
        self.send(cache, changed.into_iter(), apply)
    }

    fn send<E>(
        &mut self,
        cache: &Cache,
        objects: impl Iterator<Item = (ObjectId, KindId)>,
        mut apply: impl FnMut(&[wit::Change<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let places = self.places(cache);
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for (id, kind) in objects {
            let Some(at) = places.iter().position(|place| *place == Some(kind)) else { continue };
            let Some(told) = self.tell(cache, id, at, kind) else { continue };
            bytes += told.bytes();
            batch.push(told);
            if batch.len() == BATCH || bytes >= BATCH_BYTES {
                give(&std::mem::take(&mut batch), &mut apply)?;
                bytes = 0;
            }
        }
        if batch.is_empty() { Ok(()) } else { give(&batch, &mut apply) }
    }

    /// Each declared kind's id in this cache, where it has one.
    fn places(&self, cache: &Cache) -> Vec<Option<KindId>> {
        self.kinds.iter().map(|read| cache.objects().kind_id(&read.kind)).collect()
    }

    /// What there is to tell of an object now.
    fn tell<'a>(&mut self, cache: &'a Cache, id: ObjectId, at: usize, kind: KindId) -> Option<Told<'a>> {
        let Some(cached) = cache.objects().get(id) else {
            return self.told.remove(&id).then_some(Told::Removed(id));
        };
        self.told.insert(id);
        let read = &self.kinds[at];
        let object = &*cached.object;
        // Most kinds have one reader, for whom the fields are as they are kept.
        let fields = if cache.objects().fields(kind).is_none_or(|all| *all == read.fields) {
            Arc::clone(&object.fields)
        } else {
            // What is kept was written as JSON by the informer.
            pruned_text(&object.fields, &read.paths).unwrap_or_default().to_string().into()
        };
        Some(Told::Object { id, at, cached, fields })
    }
}

impl Told<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Object { fields, .. } => fields.len(),
            Self::Removed(_) => 0,
        }
    }
}

fn give<E>(batch: &[Told<'_>], apply: &mut impl FnMut(&[wit::Change<'_>]) -> Result<(), E>) -> Result<(), E> {
    let change = |told| match told {
        &Told::Removed(id) => wit::Change::ObjectRemoved(id.0),
        Told::Object { id, at, cached, fields } => wit::Change::Object(wit::Object {
            id: id.0,
            kind: *at as u32,
            namespace: &cached.object.key.namespace,
            name: &cached.object.key.name,
            uid: &cached.object.uid,
            fields,
            assumed: cached.assumed,
        }),
    };
    let changes: Vec<wit::Change<'_>> = batch.iter().map(change).collect();
    apply(&changes)
}

#[cfg(test)]
#[path = "objects_test.rs"]
mod tests;
