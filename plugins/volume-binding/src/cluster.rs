//! The plugin's index of the cluster: claims, volumes, classes, CSINodes, CSIDrivers and capacities.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::selector::{LabelSelector, WrittenLabelSelector};
use berth_guest_volumes::{CsiDriver, CsiNode, CsiStorageCapacity, Known, Quantity, StorageClass, path};

use crate::args::Args;
use crate::claim::Claim;
use crate::fields;
use crate::volume::Volume;

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Claims by namespace and name.
    pub claims: Known<Rc<Claim>>,
    /// Volumes by name.
    pub volumes: Known<Rc<Volume>>,
    /// StorageClasses by name.
    pub classes: Known<StorageClass>,
    /// CSINodes by name.
    pub csi_nodes: Known<CsiNode>,
    /// CSIDrivers by name.
    pub drivers: Known<CsiDriver>,
    /// Names of volumes by the name of their StorageClass.
    by_class: BTreeMap<String, BTreeSet<String>>,
    capacities: Known<Capacity>,
}

/// A CSIStorageCapacity: the maximum volume size on some nodes.
pub struct Capacity {
    class: String,
    nodes: LabelSelector,
    /// The maximum size; `None` if unknown.
    pub largest: Option<Quantity>,
}

const CLAIM: usize = 0;
const VOLUME: usize = 1;
const CLASS: usize = 2;
const CSI_NODE: usize = 3;
const DRIVER: usize = 4;

impl Index<Args> for Cluster {
    type Nodes = ();
    type Pods = ();
    type PendingPods = ();

    fn new(_: &Args) -> Cluster {
        Cluster::default()
    }

    fn kinds(_: &Args) -> Vec<Kind> {
        vec![
            Kind::new("v1", "PersistentVolumeClaim", fields::CLAIM),
            Kind::new("v1", "PersistentVolume", fields::VOLUME),
            Kind::new("storage.k8s.io/v1", "StorageClass", fields::CLASS),
            Kind::new("storage.k8s.io/v1", "CSINode", fields::CSI_NODE),
            Kind::new("storage.k8s.io/v1", "CSIDriver", fields::DRIVER),
            Kind::new("storage.k8s.io/v1", "CSIStorageCapacity", fields::CAPACITY),
        ]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        let read = match object.kind {
            CLAIM => self.set_claim(object),
            VOLUME => self.set_volume(object),
            CLASS => return self.classes.set(object),
            CSI_NODE => return self.csi_nodes.set(object),
            DRIVER => return self.drivers.set(object),
            _ => self.set_capacity(object),
        };
        if let Err(error) = read {
            let kind = match object.kind {
                CLAIM => "PersistentVolumeClaim",
                VOLUME => "PersistentVolume",
                _ => "CSIStorageCapacity",
            };
            let name = path(object);
            berth_guest::warn!("object can't be read; ignoring it kind={kind} object={name} error={error}");
            self.object_removed(object);
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => _ = self.claims.remove(object),
            VOLUME => self.remove_volume(object),
            CLASS => _ = self.classes.remove(object),
            CSI_NODE => _ = self.csi_nodes.remove(object),
            DRIVER => _ = self.drivers.remove(object),
            _ => _ = self.capacities.remove(object),
        }
    }
}

impl Cluster {
    /// Returns the volumes of a class, ordered by name.
    pub fn of_class(&self, class: &str) -> impl Iterator<Item = &Rc<Volume>> {
        let names = self.by_class.get(class).into_iter().flatten();
        names.filter_map(|name| self.volumes.get("", name))
    }

    /// Returns the capacities for volumes of a class on nodes with these labels.
    pub fn capacities<'a>(
        &'a self,
        class: &'a str,
        labels: &'a berth_guest::LabelMap,
    ) -> impl Iterator<Item = &'a Capacity> {
        let all = self.capacities.iter().map(|(_, _, capacity)| capacity);
        all.filter(move |capacity| capacity.class == class && capacity.nodes.matches(labels))
    }

    fn set_claim(&mut self, object: &Object<'_>) -> Result<(), String> {
        let [namespace, name, uid] = [object.namespace, object.name, object.uid].map(str::to_owned);
        self.claims.insert(object, Rc::new(Claim { namespace, name, uid, object: object.read()? }));
        Ok(())
    }

    fn set_volume(&mut self, object: &Object<'_>) -> Result<(), String> {
        let volume = Volume::read(object)?;
        self.remove_volume(object);
        self.by_class.entry(volume.object.class().to_owned()).or_default().insert(volume.name.clone());
        self.volumes.insert(object, Rc::new(volume));
        Ok(())
    }

    fn remove_volume(&mut self, object: &Object<'_>) {
        let Some(volume) = self.volumes.remove(object) else { return };
        let class = volume.object.class();
        if let Some(names) = self.by_class.get_mut(class) {
            names.remove(&volume.name);
            if names.is_empty() {
                self.by_class.remove(class);
            }
        }
    }

    /// Adds or updates a capacity. Fails for an invalid selector; without a selector, the capacity applies to no
    /// node.
    fn set_capacity(&mut self, object: &Object<'_>) -> Result<(), String> {
        let capacity = object.read::<CsiStorageCapacity>()?;
        let largest = capacity.largest();
        let nodes = capacity.node_topology.map_or(Ok(LabelSelector::NOTHING), WrittenLabelSelector::read)?;
        self.capacities.insert(object, Capacity { class: capacity.storage_class_name, nodes, largest });
        Ok(())
    }
}
