//! Keeps the objects of the kinds that an instance reads up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_core::cache::{Cache, CachedObject, Change, KindId, ObjectId};
use berth_core::model::ObjectKind;
use berth_core::plugins::Declaration;
use hashbrown::HashSet;

use super::BATCH;
use crate::authority::Authority;
use crate::bindings::v0_2::exports::berth::scheduler::objects as wit;
use berth_apimachinery::fields::{FieldPath, pruned_text};

/// The bytes of fields after which a call of `apply` gets no further object.
const BATCH_BYTES: usize = 1 << 20;

/// The kinds that an instance reads, and the objects that were sent to it.
pub(crate) struct ObjectFeed {
    /// In declared order: the index is the contract's `kind`.
    kinds: Vec<Read>,
    /// The objects that the instance knows.
    known: HashSet<ObjectId>,
    authority: Authority,
}

struct Read {
    kind: Arc<ObjectKind>,
    fields: BTreeSet<Box<str>>,
    paths: Vec<FieldPath>,
}

/// A change, before it is borrowed for a call.
enum ObjectChange<'a> {
    Object { id: ObjectId, at: usize, cached: &'a CachedObject, fields: Arc<str> },
    Removed(ObjectId),
}

impl ObjectFeed {
    /// Creates the feed for an instance with this declaration. Invalid paths were refused when it was configured.
    /// An object that `authority` hides is not sent.
    pub fn new(declaration: &Declaration, authority: Authority) -> Self {
        let read = |reads: &berth_core::model::ObjectReads| Read {
            kind: Arc::clone(&reads.kind),
            fields: reads.fields.clone(),
            paths: reads.fields.iter().filter_map(|path| FieldPath::parse(path).ok()).collect(),
        };
        Self { kinds: declaration.objects.iter().map(read).collect(), known: HashSet::new(), authority }
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

    /// Sends the objects that changed since `position`, each once in its current state. Removals come first, so that an
    /// object that replaces another one of the same name comes after the other's removal. Sends nothing if the log no
    /// longer contains `position`. The caller then fills the instance again, because it checks the same position for
    /// nodes and pods.
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
        let (present, removed): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|(id, _)| cache.objects().get(*id).is_some());
        self.send(cache, removed.into_iter().chain(present), apply)
    }

    fn send<E>(
        &mut self,
        cache: &Cache,
        objects: impl Iterator<Item = (ObjectId, KindId)>,
        mut apply: impl FnMut(&[wit::Change<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let kind_ids = self.kind_ids(cache);
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for (id, kind) in objects {
            let Some(at) = kind_ids.iter().position(|id| *id == Some(kind)) else { continue };
            let Some(change) = self.change(cache, id, at, kind) else { continue };
            bytes += change.bytes();
            batch.push(change);
            if batch.len() == BATCH || bytes >= BATCH_BYTES {
                send_batch(&std::mem::take(&mut batch), &mut apply)?;
                bytes = 0;
            }
        }
        if batch.is_empty() { Ok(()) } else { send_batch(&batch, &mut apply) }
    }

    /// Returns the id of each declared kind in this cache, if there is one.
    fn kind_ids(&self, cache: &Cache) -> Vec<Option<KindId>> {
        self.kinds.iter().map(|read| cache.objects().kind_id(&read.kind)).collect()
    }

    /// Returns the change to send for an object, if there is one.
    fn change<'a>(&mut self, cache: &'a Cache, id: ObjectId, at: usize, kind: KindId) -> Option<ObjectChange<'a>> {
        let read = &self.kinds[at];
        let is_visible = |cached: &&CachedObject| self.authority.sees(&read.kind, &cached.object.key.namespace);
        let Some(cached) = cache.objects().get(id).filter(is_visible) else {
            return self.known.remove(&id).then_some(ObjectChange::Removed(id));
        };
        self.known.insert(id);
        let object = &*cached.object;
        // Most kinds have one reader, which needs exactly the stored fields.
        let fields = if cache.objects().fields(kind).is_none_or(|all| *all == read.fields) {
            Arc::clone(&object.fields)
        } else {
            // The informer wrote the stored fields as JSON.
            pruned_text(&object.fields, &read.paths).unwrap_or_default().to_string().into()
        };
        Some(ObjectChange::Object { id, at, cached, fields })
    }
}

impl ObjectChange<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Object { fields, .. } => fields.len(),
            Self::Removed(_) => 0,
        }
    }
}

fn send_batch<E>(
    batch: &[ObjectChange<'_>],
    apply: &mut impl FnMut(&[wit::Change<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let as_wit = |change| match change {
        &ObjectChange::Removed(id) => wit::Change::ObjectRemoved(id.0),
        ObjectChange::Object { id, at, cached, fields } => wit::Change::Object(wit::Object {
            id: id.0,
            kind: *at as u32,
            namespace: &cached.object.key.namespace,
            name: &cached.object.key.name,
            uid: &cached.object.uid,
            fields,
            assumed: cached.assumed,
        }),
    };
    let changes: Vec<wit::Change<'_>> = batch.iter().map(as_wit).collect();
    apply(&changes)
}

#[cfg(test)]
#[path = "objects_test.rs"]
mod tests;
