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
}

impl<'a> Cluster<'a> {
    pub fn new(copy: &'a mut Copy<'a>) -> Self {
        Self { copy, copied: None }
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
