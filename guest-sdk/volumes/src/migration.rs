//! The migration of in-tree volumes to CSI drivers.
//!
//! In Kubernetes v1.36, the volumes of [`InTree`] are migrated on every node that has a CSINode. Azure files and
//! vSphere volumes have CSI drivers as well, but scheduling still treats them as in-tree volumes.

use berth_guest::types::{Disk, NodeSelectorTerm, VolumeSource};

use crate::csi::CsiVolume;
use crate::persistent_volume::{InTreeVolume, PersistentVolume};
use crate::topology;

/// A kind of in-tree volume that is migrated to a CSI driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTree {
    /// `awsElasticBlockStore`
    AwsElasticBlockStore,
    /// `azureDisk`
    AzureDisk,
    /// `cinder`
    Cinder,
    /// `gcePersistentDisk`
    GcePersistentDisk,
    /// `portworxVolume`
    PortworxVolume,
}

const ALL: [InTree; 5] = [
    InTree::AwsElasticBlockStore,
    InTree::AzureDisk,
    InTree::Cinder,
    InTree::GcePersistentDisk,
    InTree::PortworxVolume,
];

/// Provisioners whose volumes scheduling does not treat as volumes of a CSI driver.
const NOT_TAKEN_OVER: [&str; 2] = ["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"];

/// The project in the handle of a GCE disk, and the zone in the handle if the zone is unknown.
const UNSPECIFIED: &str = "UNSPECIFIED";

impl InTree {
    /// Returns the provisioner of the volume's StorageClasses, which is also the name of the in-tree volume plugin.
    pub const fn provisioner(self) -> &'static str {
        match self {
            InTree::AwsElasticBlockStore => "kubernetes.io/aws-ebs",
            InTree::AzureDisk => "kubernetes.io/azure-disk",
            InTree::Cinder => "kubernetes.io/cinder",
            InTree::GcePersistentDisk => "kubernetes.io/gce-pd",
            InTree::PortworxVolume => "kubernetes.io/portworx-volume",
        }
    }

    /// Returns the CSI driver that the volume is migrated to.
    pub const fn driver(self) -> &'static str {
        match self {
            InTree::AwsElasticBlockStore => "ebs.csi.aws.com",
            InTree::AzureDisk => "disk.csi.azure.com",
            InTree::Cinder => "cinder.csi.openstack.org",
            InTree::GcePersistentDisk => "pd.csi.storage.gke.io",
            InTree::PortworxVolume => "pxd.portworx.com",
        }
    }

    /// Returns the driver's node label for zones, if it has one.
    const fn zone_label(self) -> Option<&'static str> {
        match self {
            InTree::AwsElasticBlockStore => Some("topology.ebs.csi.aws.com/zone"),
            InTree::Cinder => Some("topology.cinder.csi.openstack.org/zone"),
            InTree::GcePersistentDisk => Some("topology.gke.io/zone"),
            InTree::AzureDisk | InTree::PortworxVolume => None,
        }
    }

    fn of_inline(source: &VolumeSource) -> Option<(InTree, &Disk)> {
        match source {
            VolumeSource::AwsElasticBlockStore(disk) => Some((InTree::AwsElasticBlockStore, disk)),
            VolumeSource::AzureDisk(disk) => Some((InTree::AzureDisk, disk)),
            VolumeSource::Cinder(disk) => Some((InTree::Cinder, disk)),
            VolumeSource::GcePersistentDisk(disk) => Some((InTree::GcePersistentDisk, disk)),
            VolumeSource::PortworxVolume(disk) => Some((InTree::PortworxVolume, disk)),
            _ => None,
        }
    }

    fn of_volume(volume: &PersistentVolume) -> Option<(InTree, &InTreeVolume)> {
        let spec = &volume.spec;
        let sources = [
            &spec.aws_elastic_block_store,
            &spec.azure_disk,
            &spec.cinder,
            &spec.gce_persistent_disk,
            &spec.portworx_volume,
        ];
        ALL.into_iter().zip(sources).find_map(|(in_tree, source)| Some((in_tree, source.as_ref()?)))
    }

    fn csi(self, handle: String) -> CsiVolume {
        CsiVolume { driver: self.driver().to_owned(), volume_handle: handle }
    }
}

/// Returns the CSI driver of this provisioner; `None` if scheduling does not treat its volumes as those of a CSI
/// driver.
pub fn driver_of(provisioner: &str) -> Option<&str> {
    if NOT_TAKEN_OVER.contains(&provisioner) {
        return None;
    }
    match ALL.into_iter().find(|in_tree| in_tree.provisioner() == provisioner) {
        Some(in_tree) => Some(in_tree.driver()),
        None => Some(provisioner),
    }
}

/// Returns a pod's inline volume as its CSI driver identifies it, or why it can't be translated. `None` if the volume
/// is not migrated.
pub fn inline(source: &VolumeSource) -> Option<Result<CsiVolume, String>> {
    let (in_tree, disk) = InTree::of_inline(source)?;
    let handle = match in_tree {
        InTree::AwsElasticBlockStore => ebs_volume(&disk.id),
        InTree::AzureDisk => azure_disk(&disk.id, &disk.pool),
        InTree::GcePersistentDisk => Ok(gce_disk("zones", UNSPECIFIED, &disk.id)),
        InTree::Cinder | InTree::PortworxVolume => Ok(disk.id.clone()),
    };
    Some(handle.map(|handle| in_tree.csi(handle)))
}

impl PersistentVolume {
    /// Returns the kind of in-tree volume, if it is one that is migrated.
    pub fn in_tree(&self) -> Option<InTree> {
        InTree::of_volume(self).map(|(in_tree, _)| in_tree)
    }

    /// Returns the volume as its CSI driver identifies it, or why it can't be translated. `None` if the volume is
    /// neither CSI nor migrated.
    pub fn csi_volume(&self) -> Option<Result<CsiVolume, String>> {
        if let Some(csi) = &self.spec.csi {
            return Some(Ok(csi.clone()));
        }
        let (in_tree, disk) = InTree::of_volume(self)?;
        let handle = match in_tree {
            InTree::AwsElasticBlockStore => ebs_volume(&disk.id),
            InTree::AzureDisk => azure_disk(&disk.id, &disk.kind),
            InTree::GcePersistentDisk => self.gce_disk(&disk.id),
            InTree::Cinder | InTree::PortworxVolume => Ok(disk.id.clone()),
        };
        Some(handle.map(|handle| in_tree.csi(handle)))
    }

    /// Returns the terms of the volume's node affinity. A node has to match at least one term to reach the volume.
    /// `None` if every node reaches the volume.
    pub fn node_affinity(&self) -> Option<Vec<NodeSelectorTerm>> {
        self.spec.node_affinity.required.clone().map(Into::into)
    }

    /// Returns the node affinity for nodes on which the volume is migrated, with the driver's own label for zones in
    /// place of the Kubernetes label. The error says why the volume can't be translated.
    pub fn migrated_node_affinity(&self) -> Result<Option<Vec<NodeSelectorTerm>>, String> {
        if let Some(Err(error)) = self.csi_volume() {
            return Err(error);
        }
        let terms = self.node_affinity();
        let zone_label = self.in_tree().and_then(InTree::zone_label);
        Ok(match zone_label {
            Some(zone_label) => topology::of_driver(terms, &self.metadata.labels, zone_label),
            None => terms,
        })
    }

    /// Returns the disk's handle. The zones of the disk come from the volume's labels.
    fn gce_disk(&self, disk: &str) -> Result<String, String> {
        let label = |key| self.metadata.labels.get(key).map(String::as_str).filter(|zones| !zones.is_empty());
        let zones = label(topology::BETA_ZONE).or_else(|| label(topology::ZONE)).unwrap_or(UNSPECIFIED);
        if !zones.contains(topology::ZONES_DELIMITER) {
            return Ok(gce_disk("zones", zones, disk));
        }
        gce_region(zones)
            .map(|region| gce_disk("regions", region, disk))
            .map_err(|error| format!("failed to get region from zones: {error}"))
    }
}

fn gce_disk(scope: &str, name: &str, disk: &str) -> String {
    format!("projects/{UNSPECIFIED}/{scope}/{name}/disks/{disk}")
}

/// Returns the region of these zones: the region of `us-central1-a` is `us-central1`.
fn gce_region(zones: &str) -> Result<&str, String> {
    let mut regions: Vec<&str> = Vec::new();
    for zone in zones.split(topology::ZONES_DELIMITER) {
        let region = zone.rsplit_once('-').map(|(region, _)| region).filter(|region| region.matches('-').count() == 1);
        let region = region.ok_or_else(|| {
            format!("zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}")
        })?;
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    match regions.as_slice() {
        [region] => Ok(region),
        several => Err(format!("multiple or no regions gotten from zones, got: {several:?}")),
    }
}

/// Returns the volume's id: `vol-1` for `aws://us-east-1a/vol-1`. Another id without `aws://` is returned unchanged.
fn ebs_volume(id: &str) -> Result<String, String> {
    let Some(path) = id.strip_prefix("aws://") else { return Ok(id.to_owned()) };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let volume = path.split_once('/').map_or("", |(_, volume)| volume).trim_matches('/');
    if volume.starts_with("vol-") && !volume.contains('/') {
        return Ok(volume.to_owned());
    }
    Err(format!("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({id})"))
}

/// Returns the disk's uri. Only managed disks are migrated.
fn azure_disk(uri: &str, kind: &str) -> Result<String, String> {
    if kind.is_empty() || kind.eq_ignore_ascii_case("Managed") {
        return Ok(uri.to_owned());
    }
    Err(format!("kind({kind}) is not supported in csi migration"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(volume: Option<Result<CsiVolume, String>>) -> String {
        match volume {
            None => "none".to_owned(),
            Some(Ok(CsiVolume { driver, volume_handle })) => format!("{driver} {volume_handle}"),
            Some(Err(error)) => error,
        }
    }

    #[test]
    fn inline_disks_have_volume_handles() {
        let disk = |id: &str, pool: &str| Disk {
            id: id.to_owned(),
            pool: pool.to_owned(),
            monitors: Vec::new(),
            read_only: false,
        };
        for (source, expected) in [
            (VolumeSource::AwsElasticBlockStore(disk("vol-1", "")), "ebs.csi.aws.com vol-1"),
            (VolumeSource::AwsElasticBlockStore(disk("aws:///vol-1", "")), "ebs.csi.aws.com vol-1"),
            (VolumeSource::AwsElasticBlockStore(disk("aws://us-east-1a/vol-1", "")), "ebs.csi.aws.com vol-1"),
            (
                VolumeSource::AwsElasticBlockStore(disk("aws://us-east-1a/disk", "")),
                "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://us-east-1a/disk)",
            ),
            (VolumeSource::AzureDisk(disk("/disks/a", "Managed")), "disk.csi.azure.com /disks/a"),
            (VolumeSource::AzureDisk(disk("https://a", "Shared")), "kind(Shared) is not supported in csi migration"),
            (VolumeSource::Cinder(disk("c", "")), "cinder.csi.openstack.org c"),
            (
                VolumeSource::GcePersistentDisk(disk("pd", "")),
                "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd",
            ),
            (VolumeSource::PortworxVolume(disk("px", "")), "pxd.portworx.com px"),
            (VolumeSource::Iscsi(disk("iqn", "")), "none"),
            (VolumeSource::Other, "none"),
        ] {
            assert_eq!(handle(inline(&source)), expected, "{source:?}");
        }
    }

    #[test]
    fn a_volume_handle_can_contain_its_zones() {
        let gce = |labels: &str| {
            let json = format!(
                r#"{{"metadata": {{"labels": {labels}}}, "spec": {{"gcePersistentDisk": {{"pdName": "pd"}}}}}}"#
            );
            let volume: PersistentVolume = serde_json::from_str(&json).unwrap();
            handle(volume.csi_volume())
        };
        let disk = |place: &str| format!("pd.csi.storage.gke.io projects/UNSPECIFIED/{place}/disks/pd");
        for (labels, expected) in [
            ("{}", disk("zones/UNSPECIFIED")),
            (r#"{"topology.kubernetes.io/zone": "us-central1-a"}"#, disk("zones/us-central1-a")),
            (r#"{"topology.kubernetes.io/zone": "us-central1-a__us-central1-b"}"#, disk("regions/us-central1")),
            (
                r#"{"topology.kubernetes.io/zone": "b", "failure-domain.beta.kubernetes.io/zone": "a"}"#,
                disk("zones/a"),
            ),
            (
                r#"{"topology.kubernetes.io/zone": "a__b"}"#,
                "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"
                    .to_owned(),
            ),
        ] {
            assert_eq!(gce(labels), expected, "{labels}");
        }
    }

    #[test]
    fn volumes_have_their_driver_and_handle() {
        let volume = |json: &str| serde_json::from_str::<PersistentVolume>(json).unwrap();
        let csi = volume(r#"{"spec": {"csi": {"driver": "csi.example.com", "volumeHandle": "h"}}}"#);
        assert_eq!((handle(csi.csi_volume()), csi.in_tree()), ("csi.example.com h".to_owned(), None));
        let azure = volume(r#"{"spec": {"azureDisk": {"diskURI": "/disks/a"}}}"#);
        assert_eq!(handle(azure.csi_volume()), "disk.csi.azure.com /disks/a");
        assert_eq!(handle(volume("{}").csi_volume()), "none");
    }

    #[test]
    fn in_tree_provisioners_have_csi_drivers() {
        for (provisioner, driver) in [
            ("csi.example.com", Some("csi.example.com")),
            ("kubernetes.io/gce-pd", Some("pd.csi.storage.gke.io")),
            ("kubernetes.io/no-provisioner", Some("kubernetes.io/no-provisioner")),
            ("kubernetes.io/vsphere-volume", None),
        ] {
            assert_eq!(driver_of(provisioner), driver, "{provisioner}");
        }
    }
}
