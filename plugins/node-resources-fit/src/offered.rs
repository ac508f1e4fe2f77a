//! Extended resources that DeviceClasses stand for: where no device plugin of a node has one, DynamicResources looks for devices.

use std::collections::BTreeMap;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use serde::Deserialize;

use crate::args::Args;

/// What stands before the name of every class: a resource that it stands for without saying so.
pub const OF_CLASS: &str = "deviceclass.resource.kubernetes.io/";

/// The classes, with the resource that each names.
#[derive(Debug, Default)]
pub struct Offered(BTreeMap<String, Option<String>>);

/// What is read of a class.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Class {
    pub spec: Spec,
}

/// Its `spec`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    /// The resource that it stands for besides the one of its own name.
    pub extended_resource_name: Option<String>,
}

impl Index<Args> for Offered {
    type Nodes = ();
    type Pods = ();

    fn new(_: &Args) -> Offered {
        Offered::default()
    }

    fn kinds(_: &Args) -> Vec<Kind> {
        vec![Kind::new("resource.k8s.io/v1", "DeviceClass", ["spec.extendedResourceName"])]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        let class = object.read::<Class>().unwrap_or_default();
        self.0.insert(object.name.to_owned(), class.spec.extended_resource_name);
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        self.0.remove(object.name);
    }
}

impl Offered {
    /// Whether a class stands for the resource.
    pub fn has(&self, resource: &str) -> bool {
        resource.strip_prefix(OF_CLASS).is_some_and(|class| self.0.contains_key(class))
            || self.0.values().flatten().any(|named| named == resource)
    }
}
