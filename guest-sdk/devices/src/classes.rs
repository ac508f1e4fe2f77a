//! DeviceClasses, by name and by the extended resources that they define.

use std::collections::{BTreeMap, HashMap};

use berth_guest::names;

use crate::api::Class;

/// The prefix of a class's implicit extended resource, which is followed by the class's name
/// (`resourceapi.ResourceDeviceClassPrefix`).
pub const OF_CLASS: &str = "deviceclass.resource.kubernetes.io/";

/// Returns true if a class can define a resource of this name.
pub fn can_stand_for(resource: &str) -> bool {
    names::is_extended_resource(resource) || resource.starts_with(OF_CLASS)
}

/// A DeviceClass.
#[derive(Debug)]
pub struct KnownClass {
    /// `metadata.name`
    pub name: String,
    /// The fields that the plugin reads.
    pub class: Class,
}

/// All DeviceClasses.
#[derive(Debug, Default)]
pub struct Classes {
    by_name: HashMap<String, KnownClass>,
    /// The name of the class for each explicitly named extended resource.
    by_resource: BTreeMap<String, String>,
}

impl Classes {
    /// Adds or replaces a class.
    pub fn set(&mut self, name: &str, class: Class) {
        self.by_name.insert(name.to_owned(), KnownClass { name: name.to_owned(), class });
        self.resolve();
    }

    /// Removes a class.
    pub fn remove(&mut self, name: &str) {
        self.by_name.remove(name);
        self.resolve();
    }

    /// Returns the class of this name.
    pub fn get(&self, name: &str) -> Option<&KnownClass> {
        self.by_name.get(name)
    }

    /// Returns the class that defines this extended resource.
    pub fn of_resource(&self, resource: &str) -> Option<&KnownClass> {
        let named = self.by_resource.get(resource).map(String::as_str);
        self.get(named.or_else(|| resource.strip_prefix(OF_CLASS))?)
    }

    /// Updates `by_resource`. If several classes name the same resource, the class that was created last defines the
    /// resource, so that a new class can replace an old one. Of classes created in the same second, the first by name
    /// defines the resource. The API server writes `metadata.creationTimestamp` in a form whose
    /// string order is the order of time.
    fn resolve(&mut self) {
        let mut classes: Vec<&KnownClass> = self.by_name.values().collect();
        let created = |known: &KnownClass| known.class.metadata.creation_timestamp.clone();
        classes.sort_by(|a, b| created(a).cmp(&created(b)).then_with(|| b.name.cmp(&a.name)));
        let named = classes.into_iter().filter_map(|known| {
            let resource = known.class.spec.extended_resource_name.clone()?;
            Some((resource, known.name.clone()))
        });
        self.by_resource = named.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ClassMetadata, ClassSpec};

    fn class(created: &str, resource: Option<&str>) -> Class {
        Class {
            metadata: ClassMetadata { creation_timestamp: created.to_owned() },
            spec: ClassSpec { extended_resource_name: resource.map(str::to_owned), ..ClassSpec::default() },
        }
    }

    #[test]
    fn the_latest_class_provides_an_extended_resource() {
        let mut classes = Classes::default();
        let of = |classes: &Classes, resource: &str| classes.of_resource(resource).map(|known| known.name.clone());
        classes.set("b", class("2026-01-01T00:00:00Z", Some("example.com/gpu")));
        classes.set("c", class("2026-01-01T00:00:00Z", Some("example.com/gpu")));
        assert_eq!(of(&classes, "example.com/gpu").as_deref(), Some("b"), "of equally old ones, the first by name");
        classes.set("d", class("2026-02-01T00:00:00Z", Some("example.com/gpu")));
        assert_eq!(of(&classes, "example.com/gpu").as_deref(), Some("d"));
        classes.set("d", class("2026-02-01T00:00:00Z", None));
        assert_eq!(of(&classes, "example.com/gpu").as_deref(), Some("b"));
        classes.remove("b");
        assert_eq!(of(&classes, "example.com/gpu").as_deref(), Some("c"));
        assert_eq!(of(&classes, "example.com/other"), None);
        let own = "deviceclass.resource.kubernetes.io/d";
        assert_eq!(of(&classes, own).as_deref(), Some("d"));
        classes.remove("d");
        assert_eq!(of(&classes, own), None);
    }

    #[test]
    fn extended_resources_may_be_devices() {
        for (resource, may) in [
            ("example.com/gpu", true),
            ("deviceclass.resource.kubernetes.io/gpu", true),
            ("cpu", false),
            ("hugepages-2Mi", false),
            ("kubernetes.io/thing", false),
        ] {
            assert_eq!(can_stand_for(resource), may, "{resource}");
        }
    }
}
