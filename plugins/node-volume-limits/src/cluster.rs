//! The plugin's index of the cluster: volumes, claims, attachments, and the volumes of the pods on each node.

use std::collections::{BTreeMap, BTreeSet};

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::plugin::NoArgs;
use berth_guest::{Rejection, node, pod};
use berth_guest_volumes::{
    CsiNode, CsiVolume, Known, PersistentVolume, PersistentVolumeClaim, Residents, StorageClass, VolumeAttachment,
    migration, not_found,
};

use crate::free_slots::{FreeSlots, NodeSlots};
use crate::uses::{Use, Uses};

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    names: Vec<node::Name>,
    nodes: BTreeMap<String, node::Id>,
    /// A lower bound of the free attachments of each node. Updated with each change of a node, pod, CSINode or
    /// VolumeAttachment.
    slots: NodeSlots,
    residents: Residents<Uses>,
    claims: Known<PersistentVolumeClaim>,
    volumes: Known<DriversVolume>,
    classes: Known<StorageClass>,
    csi_nodes: Known<CsiNode>,
    attachments: Known<VolumeAttachment>,
    /// Names of VolumeAttachments by node name.
    attached: BTreeMap<String, BTreeSet<String>>,
}

/// The CSI volume of a PersistentVolume. `csi` is `None` if the volume has no CSI driver.
struct DriversVolume {
    csi: Option<CsiVolume>,
    in_tree: bool,
}

/// A volume, identified by its driver and handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volume<'a> {
    /// The name of the CSI driver.
    pub driver: &'a str,
    handle: Handle<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Handle<'a> {
    Known(&'a str),
    /// A volume that is not provisioned yet, identified by namespace and name of its claim.
    Claim(&'a str, &'a str),
}

const CLAIM: usize = 0;
const VOLUME: usize = 1;
const CLASS: usize = 2;
const CSI_NODE: usize = 3;

impl Index for Cluster {
    type Nodes = node::Name;
    type Pods = (pod::Namespace, pod::Volumes);
    type PendingPods = ();

    fn new(_: &NoArgs) -> Cluster {
        Cluster::default()
    }

    fn node_set(&mut self, node: node::Id, name: &node::Name) {
        if node.at() >= self.names.len() {
            self.names.resize_with(node.at() + 1, node::Name::default);
        }
        // The list was extended above.
        self.names[node.at()] = name.clone();
        self.nodes.insert(name.to_string(), node);
        self.slots.set(node, self.compute_slots(node));
    }

    fn node_removed(&mut self, node: node::Id) {
        let name = self.name(node).to_owned();
        if self.nodes.get(&name) == Some(&node) {
            self.nodes.remove(&name);
        }
        self.slots.remove(node);
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, (namespace, volumes): (&pod::Namespace, &pod::Volumes)) {
        let uses = Uses::new(namespace, volumes);
        let moved_from = self.residents.node_of(pod);
        self.residents.set(pod, node, (!uses.is_empty()).then_some(uses));
        self.update_slots(node);
        moved_from.into_iter().for_each(|node| self.update_slots(node));
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        let moved_from = self.residents.node_of(pod);
        self.residents.remove(pod);
        moved_from.into_iter().for_each(|node| self.update_slots(node));
    }

    fn kinds(_: &NoArgs) -> Vec<Kind> {
        let class = r#"metadata.annotations["volume.beta.kubernetes.io/storage-class"]"#;
        let owners = ["metadata.ownerReferences.uid", "metadata.ownerReferences.controller"];
        let claim = ["spec.volumeName", "spec.storageClassName", class].into_iter().chain(owners);
        let volume = [
            r#"metadata.labels["topology.kubernetes.io/zone"]"#,
            r#"metadata.labels["failure-domain.beta.kubernetes.io/zone"]"#,
            "spec.csi.driver",
            "spec.csi.volumeHandle",
            "spec.awsElasticBlockStore.volumeID",
            "spec.azureDisk.diskURI",
            "spec.azureDisk.kind",
            "spec.cinder.volumeID",
            "spec.gcePersistentDisk.pdName",
            "spec.portworxVolume.volumeID",
        ];
        let limits = ["spec.drivers.name", "spec.drivers.allocatable.count"];
        let attachment = ["spec.attacher", "spec.nodeName", "spec.source.persistentVolumeName"];
        vec![
            Kind::new("v1", "PersistentVolumeClaim", claim),
            Kind::new("v1", "PersistentVolume", volume),
            Kind::new("storage.k8s.io/v1", "StorageClass", ["provisioner"]),
            Kind::new("storage.k8s.io/v1", "CSINode", limits),
            Kind::new("storage.k8s.io/v1", "VolumeAttachment", attachment),
        ]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => self.claims.set(object),
            VOLUME => {
                let volume = object.read::<PersistentVolume>().unwrap_or_default();
                let in_tree = volume.in_tree().is_some();
                self.volumes.insert(object, DriversVolume { csi: volume.csi_volume().and_then(Result::ok), in_tree });
            }
            CLASS => self.classes.set(object),
            CSI_NODE => {
                self.csi_nodes.set(object);
                self.update_slots_by_name(object.name);
            }
            _ => self.attachment_set(object),
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => _ = self.claims.remove(object),
            VOLUME => _ = self.volumes.remove(object),
            CLASS => _ = self.classes.remove(object),
            CSI_NODE => {
                self.csi_nodes.remove(object);
                self.update_slots_by_name(object.name);
            }
            _ => self.attachment_removed(object),
        }
    }
}

impl Cluster {
    fn attachment_set(&mut self, object: &Object<'_>) {
        self.attachment_removed(object);
        self.attachments.set(object);
        if let Some(attachment) = self.attachments.get(object.namespace, object.name) {
            let node = attachment.spec.node_name.clone();
            self.attached.entry(node.clone()).or_default().insert(object.name.to_owned());
            self.update_slots_by_name(&node);
        }
    }

    fn attachment_removed(&mut self, object: &Object<'_>) {
        let Some(attachment) = self.attachments.remove(object) else { return };
        if let Some(on_node) = self.attached.get_mut(&attachment.spec.node_name) {
            on_node.remove(object.name);
            if on_node.is_empty() {
                self.attached.remove(&attachment.spec.node_name);
            }
        }
        self.update_slots_by_name(&attachment.spec.node_name);
    }

    fn update_slots_by_name(&mut self, name: &str) {
        if let Some(&node) = self.nodes.get(name) {
            self.update_slots(node);
        }
    }

    /// Updates the bound of a known node. The host may add a pod before the pod's node, and remove the pod after the
    /// node.
    fn update_slots(&mut self, node: node::Id) {
        if self.slots.has(node) {
            self.slots.set(node, self.compute_slots(node));
        }
    }

    fn compute_slots(&self, node: node::Id) -> FreeSlots {
        let NodeVolumes { csi_node, attachments, .. } = self.node_volumes(node);
        FreeSlots::of(csi_node, self.residents.on(node), attachments.map_or(0, BTreeSet::len))
    }

    fn name(&self, node: node::Id) -> &str {
        self.names.get(node.at()).map_or("", |name| &**name)
    }

    /// Returns a lower bound of the node's free attachments, without a check of the individual volumes.
    pub fn free_slots(&self, node: node::Id) -> FreeSlots {
        self.slots.of(node)
    }

    /// Returns true if this number of additional volumes, migrated in-tree volumes included, is certain to fit on
    /// every node that has a CSINode.
    pub fn all_allow(&self, volumes: usize) -> bool {
        self.slots.all_allow(volumes)
    }

    /// Returns true if every node has a CSINode.
    pub fn all_have_drivers(&self) -> bool {
        self.slots.all_have_drivers()
    }

    /// Adds the volumes of the pod to schedule to `volumes`. In-tree volumes count as CSI volumes only if
    /// `in_tree_migrated` is true.
    pub fn volumes_of_incoming<'a>(
        &'a self,
        pod: &'a Uses,
        in_tree_migrated: bool,
        volumes: &mut BTreeSet<Volume<'a>>,
    ) -> Result<(), Rejection> {
        self.volumes_of(pod, in_tree_migrated, volumes, |claim| {
            let missing = not_found("persistentvolumeclaim", claim);
            Err(Rejection::unresolvable(format!("looking up PVC {}/{claim}: {missing}", pod.namespace)))
        })
    }

    fn volumes_of<'a>(
        &'a self,
        pod: &'a Uses,
        in_tree_migrated: bool,
        volumes: &mut BTreeSet<Volume<'a>>,
        missing: impl Fn(&str) -> Result<(), Rejection>,
    ) -> Result<(), Rejection> {
        for volume in &pod.volumes {
            let name = match volume {
                Use::Claim(claim) | Use::Ephemeral { claim, .. } => claim,
                Use::InTree(Ok(csi)) if in_tree_migrated => {
                    volumes.insert(Volume { driver: &csi.driver, handle: Handle::Known(&csi.volume_handle) });
                    continue;
                }
                Use::InTree(Err(error)) if in_tree_migrated => return Err(Rejection::error(error.clone())),
                Use::InTree(_) => continue,
            };
            let Some(claim) = self.claims.get(&pod.namespace, name) else {
                missing(name)?;
                continue;
            };
            if let Use::Ephemeral { pod: (pod_name, uid), .. } = volume
                && !claim.metadata.is_controlled_by(uid)
            {
                let namespace = &pod.namespace;
                return Err(Rejection::error(format!(
                    "PVC {namespace}/{name} was not created for pod {namespace}/{pod_name} (pod is not owner)"
                )));
            }
            volumes.extend(self.volume_of(claim, &pod.namespace, name, in_tree_migrated));
        }
        Ok(())
    }

    /// Returns the volume that will be attached for a claim, or `None` if no CSI driver attaches a volume.
    fn volume_of<'a>(
        &'a self,
        claim: &'a PersistentVolumeClaim,
        namespace: &'a str,
        name: &'a str,
        in_tree_migrated: bool,
    ) -> Option<Volume<'a>> {
        let volume = if let Some(volume) = self.volumes.get("", &claim.spec.volume_name) {
            let csi = volume.csi.as_ref().filter(|_| in_tree_migrated || !volume.in_tree)?;
            Volume { driver: &csi.driver, handle: Handle::Known(&csi.volume_handle) }
        } else {
            let class = self.classes.get("", claim.class())?;
            Volume { driver: migration::driver_of(&class.provisioner)?, handle: Handle::Claim(namespace, name) }
        };
        (!volume.driver.is_empty() && volume.handle != Handle::Known("")).then_some(volume)
    }

    /// Returns the node's CSINode and VolumeAttachments.
    pub fn node_volumes(&self, node: node::Id) -> NodeVolumes<'_> {
        let name = self.name(node);
        NodeVolumes { node, csi_node: self.csi_nodes.get("", name), attachments: self.attached.get(name) }
    }

    /// Returns the CSI volume of a VolumeAttachment, or `None` for an in-tree or unknown volume.
    fn attached_volume(&self, name: &str) -> Option<Volume<'_>> {
        let attachment = &self.attachments.get("", name)?.spec;
        let volume = self.volumes.get("", attachment.source.persistent_volume_name.as_deref()?)?;
        let csi = volume.csi.as_ref().filter(|_| !volume.in_tree && !attachment.attacher.is_empty())?;
        Some(Volume { driver: &attachment.attacher, handle: Handle::Known(&csi.volume_handle) })
    }
}

/// A node, with its CSINode and VolumeAttachments.
pub struct NodeVolumes<'a> {
    /// The node's CSINode.
    pub csi_node: Option<&'a CsiNode>,
    node: node::Id,
    attachments: Option<&'a BTreeSet<String>>,
}

/// The volumes that are attached, or will be attached, to a node.
pub struct Attached<'a> {
    /// The volumes of the node's pods.
    pub by_pods: BTreeSet<Volume<'a>>,
    /// The volumes of the node's pods and of its VolumeAttachments.
    all: BTreeSet<Volume<'a>>,
}

impl<'a> NodeVolumes<'a> {
    /// Returns the volumes that are attached or will be attached to the node, or an error for an invalid volume.
    /// Missing claims don't count.
    pub fn attached(&self, cluster: &'a Cluster) -> Result<Attached<'a>, Rejection> {
        let mut by_pods = BTreeSet::new();
        for pod in cluster.residents.on(self.node) {
            cluster.volumes_of(pod, true, &mut by_pods, |_| Ok(()))?;
        }
        let mut all = by_pods.clone();
        all.extend(self.attachments.into_iter().flatten().filter_map(|name| cluster.attached_volume(name)));
        Ok(Attached { by_pods, all })
    }
}

impl Attached<'_> {
    /// Returns the number of volumes of this driver, of pods and of VolumeAttachments.
    pub fn of(&self, driver: &str) -> usize {
        self.all.iter().filter(|volume| volume.driver == driver).count()
    }
}
