//! Amounts of resources, in integers.

use std::sync::Arc;

/// Amounts of resources: a container's requests, a node's allocatable, what a node's pods ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resources {
    /// `cpu`, in millicores.
    pub milli_cpu: i64,
    /// `memory`, in bytes.
    pub memory: i64,
    /// `ephemeral-storage`, in bytes.
    pub ephemeral_storage: i64,
    /// `pods`: how many a node may run, or does run.
    pub pods: i64,
    /// All others by name, sorted: extended resources, hugepages, attachable volumes. Unit: the resource's own.
    pub scalars: Vec<(Arc<str>, i64)>,
}

impl Resources {
    /// The quantity of a scalar resource; 0 where it is not named.
    #[must_use]
    pub fn scalar(&self, name: &str) -> i64 {
        self.scalars.binary_search_by(|(n, _)| n.as_ref().cmp(name)).map_or(0, |at| self.scalars[at].1)
    }

    /// Sets a scalar resource.
    pub fn set_scalar(&mut self, name: &str, quantity: i64) {
        match self.scalars.binary_search_by(|(n, _)| n.as_ref().cmp(name)) {
            Ok(at) => self.scalars[at].1 = quantity,
            Err(at) => self.scalars.insert(at, (name.into(), quantity)),
        }
    }

    /// The quantity of a scalar resource, 0 and named from now on where it was not named.
    pub(crate) fn scalar_mut(&mut self, name: &Arc<str>) -> &mut i64 {
        let at = self.scalars.binary_search_by(|(n, _)| n.cmp(name)).unwrap_or_else(|at| {
            self.scalars.insert(at, (Arc::clone(name), 0));
            at
        });
        &mut self.scalars[at].1
    }
}
