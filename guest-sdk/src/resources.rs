//! Amounts of resources, by name.

use crate::types::{Resources, Scalar};

/// A resource's name, read once, so that looking up an amount for each node compares no texts where it need not.
///
/// ```
/// use berth_guest::Resource;
///
/// assert_eq!(Resource::new("cpu"), Resource::Cpu);
/// assert_eq!(Resource::new("nvidia.com/gpu"), Resource::Scalar("nvidia.com/gpu".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// `cpu`, in millicores.
    Cpu,
    /// `memory`, in bytes.
    Memory,
    /// `ephemeral-storage`, in bytes.
    EphemeralStorage,
    /// Any other, in its own unit: extended resources, hugepages and such.
    Scalar(String),
}

impl Resource {
    /// By its name in Kubernetes.
    pub fn new(name: &str) -> Resource {
        match name {
            "cpu" => Resource::Cpu,
            "memory" => Resource::Memory,
            "ephemeral-storage" => Resource::EphemeralStorage,
            _ => Resource::Scalar(name.to_owned()),
        }
    }
}

impl Resources {
    /// How much of a resource: 0 where none is named.
    #[inline]
    pub fn get(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.milli_cpu,
            Resource::Memory => self.memory,
            Resource::EphemeralStorage => self.ephemeral_storage,
            Resource::Scalar(name) => self.scalar(name),
        }
    }

    /// How much of an extended resource, hugepages or such: 0 where none is named.
    pub fn scalar(&self, name: &str) -> i64 {
        scalar(&self.scalars, name)
    }
}

pub(crate) fn scalar(scalars: &[Scalar], name: &str) -> i64 {
    scalars.iter().find(|scalar| scalar.name == name).map_or(0, |scalar| scalar.quantity)
}
