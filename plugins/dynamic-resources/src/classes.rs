//! DeviceClasses, by name.

use crate::api::Class;

/// A DeviceClass.
#[derive(Debug)]
pub struct KnownClass {
    /// `metadata.name`
    pub name: String,
    /// The fields that are read.
    pub class: Class,
}

impl KnownClass {
    /// `metadata.creationTimestamp`, which the API server writes so that texts are in the order of times.
    pub fn created(&self) -> &str {
        &self.class.metadata.creation_timestamp
    }
}
