//! The cluster that an instance is filled with, copied when it is first needed.

use berth_core::cache::{Cache, Coverage};
use berth_core::model::ObjectReads;

use super::error::LoadCause;

/// Gives a copy of the cluster in which these objects are; waits for them where they are being listed.
pub(crate) type Copy<'a> = dyn FnMut(&[ObjectReads]) -> Result<Cache, LoadCause> + 'a;

/// A copy of the cluster, made anew where an instance reads objects that are not in it yet.
pub(crate) struct Cluster<'a> {
    copy: &'a mut Copy<'a>,
    copied: Option<Cache>,
}

impl<'a> Cluster<'a> {
    pub fn new(copy: &'a mut Copy<'a>) -> Self {
        Self { copy, copied: None }
    }

    /// The cluster with these objects in it.
    ///
    /// # Errors
    /// The API server doesn't let one of the kinds be listed.
    pub fn with(&mut self, objects: &[ObjectReads]) -> Result<&Cache, LoadCause> {
        let covers = |cache: &Cache| cache.objects().coverage(objects) == Coverage::Complete;
        let copied = match self.copied.take().filter(covers) {
            Some(copied) => copied,
            None => (self.copy)(objects)?,
        };
        Ok(self.copied.insert(copied))
    }
}
