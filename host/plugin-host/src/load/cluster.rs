//! The copy of the cluster that new instances are filled with. The copy is made when an instance first needs it.

use berth_core::cache::{Cache, Coverage};
use berth_core::model::ObjectReads;

use super::error::LoadCause;

/// A function that returns a copy of the cluster with these objects, and waits while the objects are being listed.
pub(crate) type Copy<'a> = dyn FnMut(&[ObjectReads]) -> Result<Cache, LoadCause> + 'a;

/// A copy of the cluster. A new copy replaces it if an instance reads objects that the copy does not contain.
pub(crate) struct Cluster<'a> {
    copy: &'a mut Copy<'a>,
    copied: Option<Cache>,
    /// Trials run on a synthetic cluster.
    has_synthetic_trials: bool,
}

impl<'a> Cluster<'a> {
    pub fn new(copy: &'a mut Copy<'a>) -> Self {
        Self { copy, copied: None, has_synthetic_trials: false }
    }

    /// Returns the same cluster for components that were tested before: their trials run on a small synthetic cluster,
    /// which takes less time, and no object of the cluster can make a trial fail.
    pub fn with_synthetic_trials(self) -> Self {
        Self { has_synthetic_trials: true, ..self }
    }

    /// Returns whether trials run on a synthetic cluster, even if this cluster has nodes.
    pub fn has_synthetic_trials(&self) -> bool {
        self.has_synthetic_trials
    }

    /// Returns the cluster with these objects.
    ///
    /// # Errors
    /// One of the kinds can't be listed.
    pub fn with(&mut self, objects: &[ObjectReads]) -> Result<&Cache, LoadCause> {
        let covers = |cache: &Cache| cache.objects().coverage(objects) == Coverage::Complete;
        let copied = match self.copied.take().filter(covers) {
            Some(copied) => copied,
            None => (self.copy)(objects)?,
        };
        Ok(self.copied.insert(copied))
    }
}
