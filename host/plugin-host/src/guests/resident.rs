//! A configured instance with the cluster in it.

use std::sync::Arc;

use berth_core::cache::Cache;
use berth_core::model::Pod;
use berth_core::plugins::{Declaration, TemplateId};
use bumpalo::Bump;
use hashbrown::HashSet;

use crate::convert;
use crate::feed::{Feeder, ObjectFeed, Reads};
use crate::guest::{CallError, Instance};

/// Templates to be forgotten are told in one call when there are so many.
const FORGET: usize = 64;

/// An instance that answers for the cluster as it was at a position of the change log.
pub(crate) struct Resident {
    instance: Instance,
    declaration: Arc<Declaration>,
    reads: Reads,
    objects: ObjectFeed,
    position: u64,
    held: HashSet<TemplateId>,
    forgotten: Vec<u32>,
    arena: Bump,
    /// Bytes when it was filled.
    filled_memory: usize,
}

/// An instance can't be brought up to date.
#[derive(Debug)]
pub(crate) enum Stale {
    /// The log no longer reaches back to where it is.
    Behind,
    Call(CallError),
}

impl From<CallError> for Stale {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl Resident {
    /// Fills a configured instance with the whole cluster.
    pub fn fill(
        mut instance: Instance,
        declaration: Arc<Declaration>,
        cache: &Cache,
        feeder: &mut Feeder,
    ) -> Result<Self, CallError> {
        instance.serve(cache.node_count());
        let reads = Reads::of(&declaration);
        let mut objects = ObjectFeed::new(&declaration);
        objects.fill(cache, |changes| instance.apply_objects(changes))?;
        let position = feeder.fill(cache, reads, |changes| instance.apply(changes))?;
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

    /// Tells it what changed in the cluster since it was last told.
    pub fn catch_up(&mut self, cache: &Cache, feeder: &mut Feeder) -> Result<(), Stale> {
        let instance = &mut self.instance;
        instance.serve(cache.node_count());
        if !self.reads.any() && self.objects.is_empty() {
            self.position = cache.log().end();
            return Ok(());
        }
        self.objects.catch_up(cache, self.position, |changes| instance.apply_objects(changes))?;
        match feeder.catch_up(cache, self.position, self.reads, |changes| instance.apply(changes))? {
            Some(position) => {
                self.position = position;
                Ok(())
            }
            None => Err(Stale::Behind),
        }
    }

    /// Up to where it was told the changes of the cluster.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of changes of the cluster that the instance was not told yet.
    pub fn lag(&self, cache: &Cache) -> u64 {
        cache.log().end().saturating_sub(self.position)
    }

    /// Makes a template known to it, unless it is.
    pub fn hold(&mut self, template: TemplateId, pod: &Pod) -> Result<(), CallError> {
        if self.held.contains(&template) {
            return Ok(());
        }
        if self.forgotten.len() >= FORGET {
            self.instance.forget_templates(&self.forgotten)?;
            self.forgotten.clear();
        }
        self.arena.reset();
        let facts = self.declaration.pod_facts;
        self.instance.hold_template(template.0, &convert::pod(&self.arena, pod, facts))?;
        self.held.insert(template);
        Ok(())
    }

    /// These templates will not be named again.
    pub fn forget(&mut self, templates: &[TemplateId]) {
        let held = &mut self.held;
        self.forgotten.extend(templates.iter().filter(|template| held.remove(*template)).map(|template| template.0));
    }

    /// The instance, to be asked.
    pub fn instance(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// What of the cluster it is told.
    pub fn reads(&self) -> Reads {
        self.reads
    }

    /// What it declared.
    pub fn declaration(&self) -> &Arc<Declaration> {
        &self.declaration
    }

    /// Bytes of its memory.
    pub fn memory(&self) -> usize {
        self.instance.memory()
    }

    /// Whether its memory has grown so much that a fresh one would be smaller; from a threshold that is for a usual cluster.
    pub fn outgrown(&self, threshold: usize) -> bool {
        let memory = self.instance.memory();
        memory > threshold.saturating_mul(self.instance.times() as usize) && memory / 2 > self.filled_memory
    }

    /// Takes its size for granted, as nothing smaller is to be had.
    pub fn accept_size(&mut self) {
        self.filled_memory = self.instance.memory();
    }
}
