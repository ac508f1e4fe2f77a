//! The cluster as this plugin keeps it: claims, classes, slices, and which devices are allocated.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};

use crate::api;
use crate::args::Args;
use crate::cel::Compiler;
use crate::claims::KnownClaim;
use crate::classes::KnownClass;
use crate::devices::{Allocated, Slice, Slices};

const CLAIM: usize = 0;
const SLICE: usize = 1;

/// See the module.
#[derive(Default)]
pub struct Cluster {
    /// By namespace, then by name.
    claims: HashMap<String, HashMap<String, Rc<KnownClaim>>>,
    /// By name.
    pub classes: HashMap<String, KnownClass>,
    /// ResourceSlices.
    pub slices: Slices,
    /// The devices of all claims, assumed ones included.
    pub allocated: Allocated,
    /// Compiled selectors.
    pub compiler: Compiler,
    /// The cycle in which a search took too long: its other nodes are not searched.
    pub late_in: Cell<Option<u64>>,
}

impl Index<Args> for Cluster {
    type Nodes = ();
    type Pods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster::default()
    }

    fn kinds(_args: &Args) -> Vec<Kind> {
        let claim = [
            "metadata.deletionTimestamp",
            "metadata.finalizers",
            "metadata.ownerReferences",
            "metadata.resourceVersion",
            "spec.devices",
            "status",
        ];
        vec![
            Kind::new(api::VERSION, "ResourceClaim", claim),
            Kind::new(api::VERSION, "ResourceSlice", ["spec"]),
            Kind::new(api::VERSION, "DeviceClass", ["spec.selectors", "spec.config"]),
        ]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        if let Err(wrong) = self.set(object) {
            berth_guest::warn!("{} is left out: {wrong}", path(object));
            self.object_removed(object);
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => {
                let known = self.claims.get_mut(object.namespace).and_then(|claims| claims.remove(object.name));
                if let Some(allocation) = known.as_ref().and_then(|known| known.allocation()) {
                    self.allocated.remove(allocation);
                }
            }
            SLICE => self.slices.remove(object.name),
            _ => drop(self.classes.remove(object.name)),
        }
    }
}

fn path(object: &Object<'_>) -> String {
    let kind = ["ResourceClaim", "ResourceSlice"].get(object.kind).copied().unwrap_or("DeviceClass");
    if object.namespace.is_empty() {
        format!("{kind} {}", object.name)
    } else {
        format!("{kind} {}/{}", object.namespace, object.name)
    }
}

impl Cluster {
    fn set(&mut self, object: &Object<'_>) -> Result<(), String> {
        match object.kind {
            CLAIM => {
                let claim = KnownClaim::new(object)?;
                self.object_removed(object);
                if let Some(allocation) = claim.allocation() {
                    self.allocated.add(allocation);
                }
                let claims = self.claims.entry(object.namespace.to_owned()).or_default();
                claims.insert(object.name.to_owned(), Rc::new(claim));
            }
            SLICE => self.slices.set(Slice::new(object.name, api::read(object.read()?)?)),
            _ => {
                let class = KnownClass { name: object.name.to_owned(), class: api::read(object.read()?)? };
                self.compiler.make_ready();
                self.classes.insert(object.name.to_owned(), class);
            }
        }
        Ok(())
    }

    /// The claim of this name.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<Rc<KnownClaim>> {
        self.claims.get(namespace)?.get(name).cloned()
    }
}
