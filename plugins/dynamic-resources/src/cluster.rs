//! The cluster as this plugin keeps it: claims, classes, slices, and which devices are allocated.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};

use crate::api;
use crate::args::Args;
use crate::cel::Compiler;
use crate::claims::KnownClaim;
use crate::classes::Classes;
use crate::devices::{Allocated, Slice, Slices};

const CLAIM: usize = 0;
const SLICE: usize = 1;

/// See the module.
#[derive(Default)]
pub struct Cluster {
    /// By namespace, then by name.
    claims: HashMap<String, HashMap<String, Rc<KnownClaim>>>,
    /// DeviceClasses.
    pub classes: Classes,
    /// Claims that were made for a pod's extended resources, by its uid: namespace and name.
    made: HashMap<String, (String, String)>,
    /// ResourceSlices.
    pub slices: Slices,
    /// The devices of all claims, assumed ones included.
    pub allocated: Allocated,
    /// Compiled selectors.
    pub compiler: Compiler,
    /// The cycle in which a search took too long: its other nodes are not searched.
    pub late_in: Cell<Option<u64>>,
    /// Claims that can't be used on some node, by their places in the pod, and the cycle in which that was found.
    unavailable: RefCell<(u64, BTreeSet<usize>)>,
}

impl Index<Args> for Cluster {
    type Nodes = ();
    type Pods = ();

    fn new(_args: &Args) -> Cluster {
        Cluster::default()
    }

    fn kinds(_args: &Args) -> Vec<Kind> {
        let claim = [
            r#"metadata.annotations["resource.kubernetes.io/extended-resource-claim"]"#,
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
            Kind::new(api::VERSION, "DeviceClass", ["metadata.creationTimestamp", "spec"]),
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
                if let Some(pod) = known.as_ref().and_then(|known| known.claim.is_for_extended_resources_of()) {
                    self.made.remove(pod);
                }
            }
            SLICE => self.slices.remove(object.name),
            _ => self.classes.remove(object.name),
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
                // What is only assumed is not there yet to be in the way.
                if let Some(pod) = claim.claim.is_for_extended_resources_of().filter(|_| !claim.assumed) {
                    self.made.insert(pod.to_owned(), (claim.namespace.clone(), claim.name.clone()));
                }
                let claims = self.claims.entry(object.namespace.to_owned()).or_default();
                claims.insert(object.name.to_owned(), Rc::new(claim));
            }
            SLICE => self.slices.set(Slice::new(object.name, api::read(object.read()?)?)),
            _ => {
                let class = api::read(object.read()?)?;
                self.compiler.make_ready();
                self.classes.set(object.name, class);
            }
        }
        Ok(())
    }

    /// The name of the class that stands for the resource.
    pub fn class_of(&self, resource: &str) -> Option<&str> {
        self.classes.of_resource(resource).map(|known| known.name.as_str())
    }

    /// The claim that was made for extended resources of the pod of this uid, when it was tried before.
    pub fn made_for(&self, pod: &str) -> Option<Rc<KnownClaim>> {
        let (namespace, name) = self.made.get(pod)?;
        self.claim(namespace, name)
    }

    /// These claims of the pod can't be used on a node.
    pub fn note_unavailable(&self, cycle: u64, places: impl Iterator<Item = usize>) {
        let mut noted = self.unavailable.borrow_mut();
        if noted.0 != cycle {
            *noted = (cycle, BTreeSet::new());
        }
        noted.1.extend(places);
    }

    /// Those of the pod's claims that can't be used on some node, as was found in this cycle.
    pub fn unavailable_in(&self, cycle: u64) -> BTreeSet<usize> {
        let noted = self.unavailable.borrow();
        if noted.0 == cycle { noted.1.clone() } else { BTreeSet::new() }
    }

    /// The claim of this name.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<Rc<KnownClaim>> {
        self.claims.get(namespace)?.get(name).cloned()
    }
}
