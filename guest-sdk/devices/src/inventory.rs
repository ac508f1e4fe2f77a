//! Counts the devices of an extended resource on a node, and how many of these devices are allocated.
//!
//! Counts as kube-scheduler's scores do: all devices of the slices that the node can use, of any pool generation,
//! that match the selectors of the resource's class. A device is allocated if a claim has it or a share of it.

use std::collections::HashMap;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::{LabelMap, Resource, node};
use serde::Deserialize;

use crate::api::{self, Allocation};
use crate::cel::{Compiler, Problem};
use crate::classes::{Classes, KnownClass, can_stand_for};
use crate::devices::{Allocated, Device, Slice, Slices};

const CLASS: usize = 0;
const SLICE: usize = 1;

/// The part of the cluster's devices that a plugin reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Nothing.
    Nothing,
    /// Only the names of the extended resources that DeviceClasses define.
    Classes,
    /// DeviceClasses, slices and claims, to count the devices on each node.
    Devices,
}

impl Extent {
    /// Returns the extent for a score by these resources: [`Extent::Devices`] if a class can define one of the
    /// resources, and [`Extent::Nothing`] otherwise.
    pub fn of_scores<'a>(resources: impl IntoIterator<Item = &'a Resource>) -> Extent {
        let may_be_devices = |resource: &Resource| matches!(resource, Resource::Scalar(name) if can_stand_for(name));
        if resources.into_iter().any(may_be_devices) { Extent::Devices } else { Extent::Nothing }
    }
}

/// A plugin's arguments, which decide what the plugin reads.
pub trait ReadsDevices {
    /// Returns the part of the cluster's devices that the plugin reads with these arguments.
    fn extent(&self) -> Extent;
}

/// The cluster's devices, as far as the plugin reads them.
pub struct Inventory {
    extent: Extent,
    classes: Classes,
    slices: Slices,
    /// The allocations of claims, by namespace and name.
    claims: HashMap<String, HashMap<String, Allocation>>,
    allocated: Allocated,
    compiler: Compiler,
    /// The nodes, by id.
    nodes: Vec<Option<Node>>,
}

/// The facts of a node that decide which slices the node can use.
#[derive(Debug)]
struct Node {
    name: String,
    labels: LabelMap,
}

/// The fields of a claim that the plugin reads.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Claim {
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    allocation: Option<Allocation>,
}

/// The number of devices of a class on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    total: i64,
    allocated: i64,
}

impl<Args: ReadsDevices> Index<Args> for Inventory {
    type Nodes = (node::Name, node::Labels);
    type Pods = ();
    type PendingPods = ();

    fn new(args: &Args) -> Inventory {
        Inventory {
            extent: args.extent(),
            classes: Classes::default(),
            slices: Slices::default(),
            claims: HashMap::new(),
            allocated: Allocated::default(),
            compiler: Compiler::default(),
            nodes: Vec::new(),
        }
    }

    fn needs_facts(args: &Args) -> bool {
        args.extent() == Extent::Devices
    }

    fn kinds(args: &Args) -> Vec<Kind> {
        const RESOURCE: &str = "spec.extendedResourceName";
        let class = |fields: &[&str]| Kind::new(api::VERSION, "DeviceClass", fields.iter().copied());
        match args.extent() {
            Extent::Nothing => Vec::new(),
            Extent::Classes => vec![class(&[RESOURCE])],
            Extent::Devices => vec![
                class(&["metadata.creationTimestamp", RESOURCE, "spec.selectors"]),
                Kind::new(api::VERSION, "ResourceSlice", ["spec"]),
                Kind::new(api::VERSION, "ResourceClaim", ["status.allocation.devices.results"]),
            ],
        }
    }

    fn node_set(&mut self, id: node::Id, (name, labels): (&node::Name, &node::Labels)) {
        if self.counts() {
            self.nodes.resize_with(self.nodes.len().max(id.at() + 1), || None);
            if let Some(node) = self.nodes.get_mut(id.at()) {
                *node = Some(Node { name: name.to_string(), labels: LabelMap::clone(labels) });
            }
        }
    }

    fn node_removed(&mut self, id: node::Id) {
        if let Some(node) = self.nodes.get_mut(id.at()) {
            *node = None;
        }
    }

    fn object_set(&mut self, object: &Object<'_>) {
        self.remove(object);
        if let Err(error) = self.set(object) {
            let kind = ["DeviceClass", "ResourceSlice"].get(object.kind).copied().unwrap_or("ResourceClaim");
            berth_guest::warn!("object can't be read; ignoring it kind={kind} object={} error={error}", object.name);
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        self.remove(object);
    }
}

impl Inventory {
    /// Returns true if devices are counted.
    pub fn counts(&self) -> bool {
        self.extent == Extent::Devices
    }

    /// Returns true if a class defines the resource.
    pub fn has_class(&self, resource: &str) -> bool {
        self.classes.of_resource(resource).is_some()
    }

    /// Returns how much of a resource a node has, and how much of that is in use. `used` is the amount in use, unless
    /// the resource is backed by devices. Devices are only counted for an extended resource that is 0 or absent in the
    /// node's `status.allocatable`.
    // Inlined, as it is called for each node, and most resources need only this code.
    #[inline]
    pub fn amounts(&self, resource: &Resource, has: &node::Allocatable, used: i64, node: node::Id) -> (i64, i64) {
        match (has.get(resource), resource) {
            (0, Resource::Scalar(name)) => self.amounts_of_devices(name, used, node),
            (capacity, _) => (capacity, used),
        }
    }

    fn amounts_of_devices(&self, resource: &str, used: i64, node: node::Id) -> (i64, i64) {
        if !self.counts() {
            return (0, used);
        }
        let count = self.count(resource, node).unwrap_or_default();
        (count.total, count.allocated)
    }

    /// Returns the number of devices of a resource on a node. `None` if no class defines the resource, if the node is
    /// unknown, or if an error occurs.
    fn count(&self, resource: &str, node: node::Id) -> Option<Count> {
        let class = self.classes.of_resource(resource)?;
        let node = self.nodes.get(node.at())?.as_ref()?;
        self.count_of(class, node)
            .inspect_err(|error| {
                let (class, node) = (&class.name, &node.name);
                berth_guest::debug!("devices can't be counted; assuming none node={node} class={class} error={error}");
            })
            .ok()
    }

    fn count_of(&self, class: &KnownClass, node: &Node) -> Result<Count, String> {
        let mut count = Count::default();
        for slice in self.slices.for_node(&node.name) {
            if !slice.per_device && !slice.nodes.include(&node.name, &node.labels)? {
                continue;
            }
            for device in &slice.devices {
                let here = !slice.per_device || device.nodes.include(&node.name, &node.labels)?;
                if here && self.is_of_class(device, class)? {
                    count.total += 1;
                    count.allocated += i64::from(self.allocated.has(&device.id));
                }
            }
        }
        Ok(count)
    }

    fn is_of_class(&self, device: &Device, class: &KnownClass) -> Result<bool, String> {
        for selector in class.class.spec.selectors.iter().filter_map(|selector| selector.cel.as_ref()) {
            match device.is_selected(&selector.expression, &self.compiler) {
                Ok(true) => (),
                Ok(false) => return Ok(false),
                Err(Problem::Compile(error) | Problem::Runtime(error)) => return Err(error),
            }
        }
        Ok(true)
    }

    fn set(&mut self, object: &Object<'_>) -> Result<(), String> {
        match object.kind {
            CLASS => {
                let class: api::Class = api::read(object.read()?)?;
                if !class.spec.selectors.is_empty() {
                    self.compiler.make_ready();
                }
                self.classes.set(object.name, class);
            }
            SLICE => {
                let mut slice: api::Slice = api::read(object.read()?)?;
                // kube-scheduler's scores evaluate selectors with `allowMultipleAllocations` false.
                slice.spec.devices.iter_mut().for_each(|device| device.allow_multiple_allocations = false);
                self.slices.set(Slice::new(object.name, slice));
            }
            _ => {
                let claim: Claim = api::read(object.read()?)?;
                if let Some(allocation) = claim.status.allocation {
                    self.allocated.add(&allocation);
                    let claims = self.claims.entry(object.namespace.to_owned()).or_default();
                    claims.insert(object.name.to_owned(), allocation);
                }
            }
        }
        Ok(())
    }

    fn remove(&mut self, object: &Object<'_>) {
        match object.kind {
            CLASS => self.classes.remove(object.name),
            SLICE => self.slices.remove(object.name),
            _ => {
                let known = self.claims.get_mut(object.namespace).and_then(|claims| claims.remove(object.name));
                if let Some(allocation) = known {
                    self.allocated.remove(&allocation);
                }
            }
        }
    }
}
