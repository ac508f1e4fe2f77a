//! Amounts of resources, by name.

use crate::types::{Resources, Scalar};

impl Resources {
    /// How much of an extended resource, hugepages or such: 0 where none is named.
    pub fn scalar(&self, name: &str) -> i64 {
        scalar(&self.scalars, name)
    }

    /// How much of the resource with this Kubernetes name: `cpu` in millicores, `memory` and `ephemeral-storage` in bytes,
    /// any other in its own unit. How many pods a node may run is no such resource; it is the field `pods`.
    pub fn get(&self, name: &str) -> i64 {
        match name {
            "cpu" => self.milli_cpu,
            "memory" => self.memory,
            "ephemeral-storage" => self.ephemeral_storage,
            _ => self.scalar(name),
        }
    }
}

pub(crate) fn scalar(scalars: &[Scalar], name: &str) -> i64 {
    scalars.iter().find(|scalar| scalar.name == name).map_or(0, |scalar| scalar.quantity)
}
