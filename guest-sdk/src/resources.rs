//! Amounts of resources, by name.

use crate::types::{Resources, Scalar};

/// A resource's name, parsed once, so that a lookup per node compares no strings for the most common resources.
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
    /// Any other resource, in its own unit: extended resources, hugepages and so on.
    Scalar(String),
}

impl Resource {
    /// Parses the name of a resource as Kubernetes spells it.
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
    /// Returns the amount of a resource; 0 if absent.
    #[inline]
    pub fn get(&self, resource: &Resource) -> i64 {
        match resource {
            Resource::Cpu => self.milli_cpu,
            Resource::Memory => self.memory,
            Resource::EphemeralStorage => self.ephemeral_storage,
            Resource::Scalar(name) => self.scalar(name),
        }
    }

    /// Returns the amount of a scalar resource (an extended resource, hugepages or the like); 0 if absent.
    pub fn scalar(&self, name: &str) -> i64 {
        scalar(&self.scalars, name)
    }
}

pub(crate) fn scalar(scalars: &[Scalar], name: &str) -> i64 {
    scalars.iter().find(|scalar| scalar.name == name).map_or(0, |scalar| scalar.quantity)
}
