//! Amounts of resources, as integers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Amounts of resources: a container's requests, a node's allocatable, or the sum of the requests of a node's pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resources {
    /// `cpu`, in millicores.
    pub milli_cpu: i64,
    /// `memory`, in bytes.
    pub memory: i64,
    /// `ephemeral-storage`, in bytes.
    pub ephemeral_storage: i64,
    /// `pods`: the number of pods that a node may run or does run.
    pub pods: i64,
    /// All other resources by name, sorted: extended resources, hugepages, attachable volumes. The unit is that of
    /// the resource.
    pub scalars: Vec<(Arc<str>, i64)>,
}

impl Resources {
    /// Returns the amount of a scalar resource, or 0 if it is absent.
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

    /// Returns the amount of a scalar resource. An absent resource is added with 0.
    pub(crate) fn scalar_mut(&mut self, name: &Arc<str>) -> &mut i64 {
        let at = self.scalars.binary_search_by(|(n, _)| n.cmp(name)).unwrap_or_else(|at| {
            self.scalars.insert(at, (Arc::clone(name), 0));
            at
        });
        &mut self.scalars[at].1
    }
}
