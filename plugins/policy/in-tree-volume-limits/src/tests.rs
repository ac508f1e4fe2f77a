use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::{Code, Disk, VolumeSource};

use super::*;

const EBS: &str = r#"{"limits": ["MaxEBSVolumeCount"]}"#;

fn disk(id: &str) -> Disk {
    Disk { id: id.into(), pool: String::new(), monitors: Vec::new(), read_only: false }
}

/// Returns a pod with `count` volumes of a kind, whose ids start with the kind.
fn with(kind: &str, count: usize) -> PodBuilder {
    (0..count).fold(pod(), |pod, n| {
        let disk = disk(&format!("{kind}-{n}"));
        pod.volume(
            &format!("volume-{n}"),
            match kind {
                "ebs" => VolumeSource::AwsElasticBlockStore(disk),
                "gce" => VolumeSource::GcePersistentDisk(disk),
                "azure" => VolumeSource::AzureDisk(disk),
                _ => VolumeSource::Cinder(disk),
            },
        )
    })
}

fn host(args: &str, node: NodeBuilder) -> Host<Plugin> {
    let mut host = Host::with_args(args).unwrap();
    host.node(node);
    host
}

fn fits(host: &mut Host<Plugin>, pod: &PodBuilder) -> bool {
    host.fits(pod).len() == 1
}

#[test]
fn each_kind_has_its_limit() {
    let any = || node("n");
    let nitro = || node("n").label("node.kubernetes.io/instance-type", "m5.large");
    let with_limit = || node("n").allocatable("attachable-volumes-gce-pd", "5");
    let all = r#"["MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount"]"#;
    for (kind, node, limit) in [
        ("ebs", any(), 39),
        ("ebs", nitro(), 25),
        ("gce", any(), 16),
        ("gce", with_limit(), 5),
        ("azure", any(), 16),
        ("cinder", any(), 256),
    ] {
        let mut host = host(&format!(r#"{{"limits": {all}}}"#), node);
        assert!(fits(&mut host, &with(kind, limit)), "{kind} {limit}");
        assert!(!fits(&mut host, &with(kind, limit + 1)), "{kind} {limit} + 1");
    }
}

#[test]
fn only_the_configured_kind_is_limited() {
    assert!(fits(&mut host(EBS, node("n")), &with("gce", 20)));
    let verdict = host(EBS, node("n")).verdict(&with("ebs", 40), "n").unwrap();
    assert_eq!(
        (verdict.code, verdict.reasons),
        (Code::Unschedulable, vec!["node(s) exceed max volume count".to_owned()])
    );
}

#[test]
fn the_limit_of_the_node_overrides_the_argument() {
    let args = r#"{"limits": ["MaxGCEPDVolumeCount"], "maxVolumes": 3}"#;
    for (node, limit) in [(node("n"), 3), (node("n").allocatable("attachable-volumes-gce-pd", "5"), 5)] {
        let mut host = host(args, node);
        assert!(fits(&mut host, &with("gce", limit)) && !fits(&mut host, &with("gce", limit + 1)));
    }
}

#[test]
fn volumes_on_the_node_count_once() {
    let mut host = host(r#"{"limits": ["MaxEBSVolumeCount"], "maxVolumes": 3}"#, node("n"));
    let first = host.resident(&with("ebs", 2), "n");
    assert!(fits(&mut host, &with("ebs", 3)), "the node has two of the volumes");
    let other = pod().volume("other", VolumeSource::AwsElasticBlockStore(disk("other")));
    host.resident(&other, "n");
    assert!(fits(&mut host, &with("ebs", 2)) && !fits(&mut host, &with("ebs", 3)));
    assert!(!host.fresh().fits(&with("ebs", 2)).is_empty() && host.fresh().fits(&with("ebs", 3)).is_empty());
    host.remove_resident(first);
    assert!(!fits(&mut host, &with("ebs", 3)));
}

#[test]
fn claims_count_by_their_volume_or_their_class() {
    let mut host = host(r#"{"limits": ["MaxEBSVolumeCount"], "maxVolumes": 0}"#, node("n"));
    host.object("StorageClass", "", "ebs", r#"{"provisioner": "kubernetes.io/aws-ebs"}"#);
    host.object("StorageClass", "", "other", r#"{"provisioner": "example.com/other"}"#);
    host.object("PersistentVolume", "", "pv", r#"{"spec": {"awsElasticBlockStore": {"volumeID": "vol-1"}}}"#);
    host.object("PersistentVolume", "", "gce", r#"{"spec": {"gcePersistentDisk": {"pdName": "pd-1"}}}"#);
    for (claim, is_limited) in [
        (None, false),
        (Some(r#"{"spec": {"volumeName": "pv"}}"#), true),
        (Some(r#"{"spec": {"volumeName": "gce", "storageClassName": "ebs"}}"#), false),
        (Some(r#"{"spec": {"storageClassName": "ebs"}}"#), true),
        (Some(r#"{"spec": {"volumeName": "gone", "storageClassName": "ebs"}}"#), true),
        (Some(r#"{"spec": {"storageClassName": "other"}}"#), false),
        (Some(r#"{"spec": {}}"#), false),
    ] {
        claim.into_iter().for_each(|claim| host.object("PersistentVolumeClaim", "default", "data", claim));
        assert_eq!(fits(&mut host, &pod().claim("data")), !is_limited, "{claim:?}");
    }
}

#[test]
fn migrated_volumes_are_not_limited() {
    let mut host = host(EBS, node("n"));
    let migrated = |list| format!(r#"{{"metadata": {{"annotations": {{"{KEY}": "{list}"}}}}}}"#);
    const KEY: &str = "storage.alpha.kubernetes.io/migrated-plugins";
    host.object("CSINode", "", "n", &migrated("kubernetes.io/gce-pd"));
    assert!(!fits(&mut host, &with("ebs", 40)));
    host.object("CSINode", "", "n", &migrated("kubernetes.io/gce-pd,kubernetes.io/aws-ebs"));
    assert!(fits(&mut host, &with("ebs", 40)));
}
