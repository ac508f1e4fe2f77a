//! The plugin's index of the cluster: limits of nodes, and volumes of the pods on nodes.

use std::collections::BTreeSet;

use berth_guest::index::Index;
use berth_guest::objects::{Kind, Object};
use berth_guest::{LabelMap, node, pod};
use berth_guest_volumes::migration::InTree;
use berth_guest_volumes::{CsiNode, Known, PersistentVolume, PersistentVolumeClaim, Residents, StorageClass};

use crate::args::Args;
use crate::volume::{self, Id, Source, Use, Uses};

/// The plugin's index of the cluster.
#[derive(Default)]
pub struct Cluster {
    /// Nodes by node id.
    nodes: Vec<Row>,
    residents: Residents<Uses>,
    claims: Known<PersistentVolumeClaim>,
    volumes: Known<PersistentVolume>,
    classes: Known<StorageClass>,
    csi_nodes: Known<CsiNode>,
}

#[derive(Clone, Default)]
struct Row {
    name: node::Name,
    /// True for an AWS Nitro instance type, which has a lower default limit for EBS volumes.
    nitro: bool,
    /// The names and quantities of the allocatable resources `attachable-volumes-…`.
    limits: Vec<(String, i64)>,
}

const CLAIM: usize = 0;
const VOLUME: usize = 1;
const CLASS: usize = 2;

const ATTACHABLE: &str = "attachable-volumes-";
const INSTANCE_TYPE: [&str; 2] = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];

impl Row {
    fn new(name: &node::Name, labels: &LabelMap, allocatable: &node::Allocatable) -> Row {
        let instance_type = INSTANCE_TYPE.iter().find_map(|key| labels.get(key)).unwrap_or_default();
        let limits = allocatable.scalars.iter().filter(|scalar| scalar.name.starts_with(ATTACHABLE));
        Row {
            name: name.clone(),
            nitro: is_nitro(instance_type),
            limits: limits.map(|scalar| (scalar.name.clone(), scalar.quantity)).collect(),
        }
    }
}

/// Returns true for a Nitro instance type. Corresponds to Kubernetes' regular expression `^[cmr]5.*|t3|z1d`.
fn is_nitro(instance_type: &str) -> bool {
    ["c5", "m5", "r5"].iter().any(|family| instance_type.starts_with(family))
        || ["t3", "z1d"].iter().any(|family| instance_type.contains(family))
}

impl Cluster {
    /// Returns the node's limit for a kind of volumes: the limit that the node publishes, or else `given`, or else
    /// the default.
    pub fn limit(&self, node: node::Id, source: Source, given: Option<u64>) -> u64 {
        let nitro = self.nodes.get(node.at()).is_some_and(|row| row.nitro);
        self.node_limit(node, source).or(given).unwrap_or(match source {
            InTree::AwsElasticBlockStore if nitro => 25,
            InTree::AwsElasticBlockStore => 39,
            InTree::Cinder => 256,
            _ => 16,
        })
    }

    /// Returns the limit that the node publishes in its allocatable resources, or `None`.
    fn node_limit(&self, node: node::Id, source: Source) -> Option<u64> {
        let resource = match source {
            InTree::AwsElasticBlockStore => "attachable-volumes-aws-ebs",
            InTree::GcePersistentDisk => "attachable-volumes-gce-pd",
            InTree::AzureDisk => "attachable-volumes-azure-disk",
            InTree::Cinder => "attachable-volumes-cinder",
            InTree::PortworxVolume => return None,
        };
        let (_, limit) = self.nodes.get(node.at())?.limits.iter().find(|(name, _)| name == resource)?;
        Some(u64::try_from(*limit).unwrap_or(0))
    }

    /// Returns true if the node's kubelet has migrated the kind to its CSI driver.
    pub fn is_migrated(&self, node: node::Id, source: Source) -> bool {
        let csi_node = self.nodes.get(node.at()).and_then(|row| self.csi_nodes.get("", &row.name));
        csi_node.is_some_and(|csi_node| csi_node.has_migrated(source.provisioner()))
    }

    /// Returns the volumes of a kind that the node's pods use.
    pub fn volumes_on(&self, node: node::Id, source: Source) -> BTreeSet<Id<'_>> {
        self.residents.on(node).flat_map(|uses| self.volumes(uses, source)).collect()
    }

    /// Returns the volumes of a kind that a pod uses. Missing claims don't count.
    pub fn volumes<'a>(&'a self, uses: &'a Uses, source: Source) -> BTreeSet<Id<'a>> {
        let id = |used: &'a Use| match used {
            Use::Disk(of, disk) => (*of == source).then_some(Id::Disk(disk)),
            Use::Claim(name) => self.claimed(&uses.namespace, name, source),
        };
        uses.volumes.iter().filter_map(id).collect()
    }

    /// Returns the claim's volume, or an id for the claim if its class will provision a volume of this kind.
    fn claimed<'a>(&'a self, namespace: &'a str, name: &'a str, source: Source) -> Option<Id<'a>> {
        let claim = self.claims.get(namespace, name)?;
        if let Some(volume) = self.volumes.get("", &claim.spec.volume_name) {
            return volume::disk(volume, source).map(Id::Disk);
        }
        let class = self.classes.get("", claim.spec.storage_class_name.as_deref()?)?;
        (class.provisioner == source.provisioner()).then_some(Id::Claim(namespace, name))
    }
}

impl Index<Args> for Cluster {
    type Nodes = (node::Name, node::Labels, node::Allocatable);
    type Pods = (pod::Namespace, pod::Volumes);
    type PendingPods = ();

    fn new(_: &Args) -> Cluster {
        Cluster::default()
    }

    fn node_set(
        &mut self,
        node: node::Id,
        (name, labels, allocatable): (&node::Name, &node::Labels, &node::Allocatable),
    ) {
        if node.at() >= self.nodes.len() {
            self.nodes.resize_with(node.at() + 1, Row::default);
        }
        // The list was extended above.
        self.nodes[node.at()] = Row::new(name, labels, allocatable);
    }

    fn pod_set(&mut self, pod: pod::Id, node: node::Id, (namespace, volumes): (&pod::Namespace, &pod::Volumes)) {
        let uses = Uses::new(namespace, volumes);
        self.residents.set(pod, node, (!uses.is_empty()).then_some(uses));
    }

    fn pod_removed(&mut self, pod: pod::Id) {
        self.residents.remove(pod);
    }

    fn kinds(_: &Args) -> Vec<Kind> {
        let volume = [
            "spec.awsElasticBlockStore.volumeID",
            "spec.azureDisk.diskURI",
            "spec.cinder.volumeID",
            "spec.gcePersistentDisk.pdName",
        ];
        let migrated = r#"metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"]"#;
        vec![
            Kind::new("v1", "PersistentVolumeClaim", ["spec.volumeName", "spec.storageClassName"]),
            Kind::new("v1", "PersistentVolume", volume),
            Kind::new("storage.k8s.io/v1", "StorageClass", ["provisioner"]),
            Kind::new("storage.k8s.io/v1", "CSINode", [migrated]),
        ]
    }

    fn object_set(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => self.claims.set(object),
            VOLUME => self.volumes.set(object),
            CLASS => self.classes.set(object),
            _ => self.csi_nodes.set(object),
        }
    }

    fn object_removed(&mut self, object: &Object<'_>) {
        match object.kind {
            CLAIM => _ = self.claims.remove(object),
            VOLUME => _ = self.volumes.remove(object),
            CLASS => _ = self.classes.remove(object),
            _ => _ = self.csi_nodes.remove(object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nitro_instances_are_found_by_type() {
        for (instance_type, nitro) in [
            ("", false),
            ("m4.large", false),
            ("m5.large", true),
            ("c5d.large", true),
            ("t3a.nano", true),
            ("t2.nano", false),
        ] {
            assert_eq!(is_nitro(instance_type), nitro, "{instance_type}");
        }
    }
}
