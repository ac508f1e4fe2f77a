//! The plugin's index of the cluster: claims, classes, slices and allocated devices.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};

use crate::api;
use crate::args::Args;
use crate::cel::Compiler;
use crate::classes::Classes;
use crate::devices::{Allocated, Slice, Slices};
use crate::known_claim::KnownClaim;

const CLAIM: usize = 0;
const SLICE: usize = 1;

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Claims by namespace and name.
    claims: HashMap<String, HashMap<String, Rc<KnownClaim>>>,
    /// DeviceClasses.
    pub classes: Classes,
    /// Namespace and name of the claims that were created for extended resources, by pod uid.
    created: HashMap<String, (String, String)>,
    /// ResourceSlices.
    pub slices: Slices,
    /// The devices of all allocated claims, including assumed claims.
    pub allocated: Allocated,
    /// Cache of compiled selectors.
    pub compiler: Compiler,
    /// The id of the last cycle in which a search exceeded its steps. The other nodes of this cycle are not searched.
    pub timed_out_cycle: Cell<Option<u64>>,
    /// A cycle's id, and the indexes in the pod's claims of the claims that are unavailable on some node in this cycle.
    unavailable: RefCell<(u64, BTreeSet<usize>)>,
}

impl Index<Args> for Cluster {
    type Nodes = ();
    type Pods = ();
    type PendingPods = ();

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
        if let Err(error) = self.set(object) {
            let (kind, name) = (kind_name(object), path(object));
            berth_guest::warn!("object can't be read; ignoring it kind={kind} object={name} error={error}");
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
                    self.created.remove(pod);
                }
            }
            SLICE => self.slices.remove(object.name),
            _ => self.classes.remove(object.name),
        }
    }
}

fn kind_name(object: &Object<'_>) -> &'static str {
    ["ResourceClaim", "ResourceSlice"].get(object.kind).copied().unwrap_or("DeviceClass")
}

/// Returns the object's namespace and name, or its name if it is cluster-scoped.
fn path(object: &Object<'_>) -> String {
    if object.namespace.is_empty() { object.name.to_owned() } else { format!("{}/{}", object.namespace, object.name) }
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
                // An assumed claim does not exist yet, so it does not block another attempt.
                if let Some(pod) = claim.claim.is_for_extended_resources_of().filter(|_| !claim.assumed) {
                    self.created.insert(pod.to_owned(), (claim.namespace.clone(), claim.name.clone()));
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

    /// Returns the name of the class that maps the extended resource to devices.
    pub fn class_of(&self, resource: &str) -> Option<&str> {
        self.classes.of_resource(resource).map(|known| known.name.as_str())
    }

    /// Returns the claim that an earlier attempt created for the extended resources of the pod with this uid.
    pub fn created_for(&self, pod: &str) -> Option<Rc<KnownClaim>> {
        let (namespace, name) = self.created.get(pod)?;
        self.claim(namespace, name)
    }

    /// Records that the pod's claims at the indexes `places` cannot be used on some node.
    pub fn note_unavailable(&self, cycle: u64, places: impl Iterator<Item = usize>) {
        let mut noted = self.unavailable.borrow_mut();
        if noted.0 != cycle {
            *noted = (cycle, BTreeSet::new());
        }
        noted.1.extend(places);
    }

    /// Returns the indexes of the pod's claims that are recorded as unavailable in this cycle.
    pub fn unavailable_in(&self, cycle: u64) -> BTreeSet<usize> {
        let noted = self.unavailable.borrow();
        if noted.0 == cycle { noted.1.clone() } else { BTreeSet::new() }
    }

    /// Returns the claim with this namespace and name.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<Rc<KnownClaim>> {
        self.claims.get(namespace)?.get(name).cloned()
    }
}
