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
