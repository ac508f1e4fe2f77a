//! A configured instance with a snapshot of the cluster.

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::facts::PodFacts;
use berth_core::model::Pod;
use berth_core::plugins::{Declaration, PodSignatureId};
use bumpalo::Bump;
use hashbrown::HashSet;

use crate::bindings::v0_2::exports::berth::scheduler::snapshot::Change;
use crate::convert;
use crate::feed::{Feeder, ObjectFeed, Reads};
use crate::guest::{CallError, Instance};

/// The number of forgotten pod signatures from which on the instance is told to forget them, all in one call.
const FORGET: usize = 64;

/// An instance whose snapshot is the cluster at a position of the change log.
pub struct Resident {
    instance: Instance,
    declaration: Arc<Declaration>,
    reads: Arc<Reads>,
    objects: ObjectFeed,
    position: u64,
    held: HashSet<PodSignatureId>,
    forgotten: Vec<u32>,
    arena: Bump,
    /// The memory in bytes after the instance was filled, or at the last [`Self::accept_size`].
    filled_memory: usize,
}

/// The reason why an instance can't be brought up to date.
#[derive(Debug)]
pub enum Stale {
    /// The change log no longer contains the instance's position.
    Behind,
    /// A call failed.
    Call(CallError),
}

impl From<CallError> for Stale {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl Resident {
    /// Sends the whole cluster to a configured instance.
    pub fn fill(
        mut instance: Instance,
        declaration: Arc<Declaration>,
        cache: &Cache,
        feeder: &mut Feeder,
    ) -> Result<Self, CallError> {
        instance.serve(cache.node_count());
        let reads = Arc::new(Reads::of(&declaration));
        let mut objects = ObjectFeed::new(&declaration, instance.authority().clone());
        objects.fill(cache, |changes| instance.apply_objects(changes))?;
        let position =
            feeder.fill(cache, &reads, |changes| instance.apply(changes, &|id| reads.requested(cache, id)))?;
        let filled_memory = instance.memory();
        Ok(Self {
            instance,
            declaration,
            reads,
            objects,
            position,
            held: HashSet::new(),
            forgotten: Vec::new(),
            arena: Bump::new(),
            filled_memory,
        })
    }

    /// Sends the changes since the last call.
    pub fn catch_up(&mut self, cache: &Cache, feeder: &mut Feeder) -> Result<(), Stale> {
        let instance = &mut self.instance;
        instance.serve(cache.node_count());
        if !self.reads.any() && self.objects.is_empty() {
            self.position = cache.log().end();
            return Ok(());
        }
        self.objects.catch_up(cache, self.position, |changes| instance.apply_objects(changes))?;
        let reads = &self.reads;
        let apply = |changes: &[Change<'_>]| instance.apply(changes, &|id| reads.requested(cache, id));
        match feeder.catch_up(cache, self.position, reads, apply)? {
            Some(position) => {
                self.position = position;
                Ok(())
            }
            None => Err(Stale::Behind),
        }
    }

    /// Returns the position in the change log up to which the instance has received the changes.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of changes that the instance has not received.
    pub fn lag(&self, cache: &Cache) -> u64 {
        cache.log().end().saturating_sub(self.position)
    }

    /// Sends the pod with its signature, unless the instance has it.
    pub fn hold(&mut self, signature: PodSignatureId, pod: &Pod) -> Result<(), CallError> {
        if self.held.contains(&signature) {
            return Ok(());
        }
        if self.forgotten.len() >= FORGET {
            self.instance.remove_signatures(&self.forgotten)?;
            self.forgotten.clear();
        }
        self.arena.reset();
        let reads = &self.declaration.pod;
        let record = convert::pod(&self.arena, pod, reads);
        let requested = reads.facts.contains(PodFacts::REQUESTS).then_some(pod);
        self.instance.add_signature(signature.0, record, requested)?;
        self.held.insert(signature);
        Ok(())
    }

    /// Queues these pod signatures to be forgotten. The caller must not use their ids again.
    pub fn forget(&mut self, signatures: &[PodSignatureId]) {
        let held = &mut self.held;
        let known = signatures.iter().filter(|signature| held.remove(*signature));
        self.forgotten.extend(known.map(|signature| signature.0));
    }

    /// Returns the instance, to call it.
    pub fn instance(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// Returns the facts that the plugin reads.
    pub(crate) fn reads(&self) -> &Arc<Reads> {
        &self.reads
    }

    /// Returns the plugin's declaration.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// Returns the memory of the instance in bytes.
    pub fn memory(&self) -> usize {
        self.instance.memory()
    }

    /// Returns whether the memory exceeds `threshold` and is more than twice what it was after the instance was
    /// filled. `threshold` is in bytes for a cluster of usual size, and is multiplied by the factor of the limits.
    pub fn outgrown(&self, threshold: usize) -> bool {
        let memory = self.instance.memory();
        memory > threshold.saturating_mul(self.instance.times() as usize) && memory / 2 > self.filled_memory
    }

    /// Treats the current memory as that of a newly filled instance, so that [`Self::outgrown`] returns false until the
    /// memory has doubled.
    pub fn accept_size(&mut self) {
        self.filled_memory = self.instance.memory();
    }
}
