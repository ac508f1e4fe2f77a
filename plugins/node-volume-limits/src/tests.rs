//! Tests of the volumes that count and of the limits.

use berth_guest::testing::{Host, PodBuilder, node, pod};
use berth_guest::types::{Code, Disk, VolumeSource};

use super::*;

const DRIVER: &str = "csi.example.com";
const EBS: &str = "ebs.csi.aws.com";

/// Returns a host with the node `node`, whose CSINode has these limits.
fn with_limits(limits: &[(&str, u32)]) -> Host<Plugin> {
    let mut host = Host::new();
    host.node(node("node"));
    let driver = |(name, count): &(&str, u32)| format!(r#"{{"name": "{name}", "allocatable": {{"count": {count}}}}}"#);
    let drivers: Vec<String> = limits.iter().map(driver).collect();
    host.object("CSINode", "", "node", &format!(r#"{{"spec": {{"drivers": [{}]}}}}"#, drivers.join(", ")));
    for (class, provisioner) in
        [("example", DRIVER), ("ebs", "kubernetes.io/aws-ebs"), ("vsphere", "kubernetes.io/vsphere-volume")]
    {
        host.object("StorageClass", "", class, &format!(r#"{{"provisioner": "{provisioner}"}}"#));
    }
    host
}

/// Adds a claim that is bound to a new volume with this source.
fn bound(host: &mut Host<Plugin>, name: &str, source: &str) {
    host.object("PersistentVolumeClaim", "default", name, &format!(r#"{{"spec": {{"volumeName": "pv-{name}"}}}}"#));
    host.object("PersistentVolume", "", &format!("pv-{name}"), &format!(r#"{{"spec": {source}}}"#));
}

fn of_driver(handle: &str) -> String {
    format!(r#"{{"csi": {{"driver": "{DRIVER}", "volumeHandle": "{handle}"}}}}"#)
}

fn unbound(host: &mut Host<Plugin>, name: &str, class: &str) {
    let spec = format!(r#"{{"spec": {{"storageClassName": "{class}"}}}}"#);
    host.object("PersistentVolumeClaim", "default", name, &spec);
}

fn ebs(id: &str) -> PodBuilder {
    let disk = Disk { id: id.into(), pool: String::new(), monitors: Vec::new(), read_only: false };
    pod().volume("disk", VolumeSource::AwsElasticBlockStore(disk))
}

fn fits(host: &mut Host<Plugin>, pod: &PodBuilder) -> bool {
    host.fits(pod) == ["node"]
}

#[test]
fn volumes_of_a_driver_are_counted_up_to_its_limit() {
    for (case, limits, existing, requested, expected) in [
        ("below the limit", vec![(DRIVER, 2)], vec!["a"], vec!["b"], true),
        ("at the limit", vec![(DRIVER, 1)], vec!["a"], vec!["b"], false),
        ("two new volumes, room for one", vec![(DRIVER, 2)], vec!["a"], vec!["b", "c"], false),
        ("a volume that the node has", vec![(DRIVER, 1)], vec!["a"], vec!["a"], true),
        ("a volume that the node has, and a new one", vec![(DRIVER, 1)], vec!["a"], vec!["a", "b"], false),
        ("the same volume by another claim", vec![(DRIVER, 1)], vec!["a"], vec!["also-a"], true),
        ("a limit of 0", vec![(DRIVER, 0)], vec![], vec!["a"], false),
        ("a limit of another driver", vec![("csi.other.com", 0)], vec!["a"], vec!["b"], true),
        ("no limit", vec![], vec!["a", "b"], vec!["c"], true),
        ("a volume to be provisioned", vec![(DRIVER, 1)], vec!["a"], vec!["new"], false),
        ("a volume to be provisioned that another pod uses", vec![(DRIVER, 1)], vec!["new"], vec!["new"], true),
        ("in-tree, migrated", vec![(EBS, 1)], vec!["ebs"], vec!["ebs-new"], false),
        ("in-tree, counted for its CSI driver", vec![(EBS, 1)], vec!["a"], vec!["ebs-new"], true),
        ("in-tree, not migrated", vec![("csi.vsphere.vmware.com", 0)], vec![], vec!["vsphere-new"], true),
        ("no CSI volume", vec![(DRIVER, 0)], vec![], vec!["nfs"], true),
        ("an unknown class", vec![(DRIVER, 0)], vec![], vec!["classless"], true),
        ("an unknown volume", vec![(DRIVER, 0)], vec![], vec!["volumeless"], false),
    ] {
        let mut host = with_limits(&limits);
        for name in ["a", "b", "c"] {
            bound(&mut host, name, &of_driver(name));
        }
        bound(&mut host, "also-a", &of_driver("a"));
        bound(&mut host, "ebs", r#"{"awsElasticBlockStore": {"volumeID": "vol-1"}}"#);
        bound(&mut host, "nfs", "{}");
        for (name, class) in [("new", "example"), ("ebs-new", "ebs"), ("vsphere-new", "vsphere"), ("classless", "none")]
        {
            unbound(&mut host, name, class);
        }
        let gone = r#"{"spec": {"volumeName": "gone", "storageClassName": "example"}}"#;
        host.object("PersistentVolumeClaim", "default", "volumeless", gone);
        for claim in existing {
            host.resident(&pod().claim(claim), "node");
        }
        let requested = requested.into_iter().fold(pod(), PodBuilder::claim);
        assert_eq!(fits(&mut host, &requested), expected, "{case}");
        if !expected {
            let status = host.verdict(&requested, "node").unwrap();
            assert_eq!((status.code, status.reasons), (Code::Unschedulable, vec![TOO_MANY.to_owned()]), "{case}");
        }
    }
}

#[test]
fn inline_disks_count_for_the_csi_driver() {
    let mut host = with_limits(&[(EBS, 1)]);
    bound(&mut host, "claim", r#"{"awsElasticBlockStore": {"volumeID": "aws://zone/vol-1"}}"#);
    assert!(fits(&mut host, &ebs("vol-1")));
    let existing = host.resident(&ebs("vol-1"), "node");
    assert!(fits(&mut host, &ebs("vol-1")));
    assert!(fits(&mut host, &pod().claim("claim")), "the claim has the same disk");
    assert!(!fits(&mut host, &ebs("vol-2")));
    host.remove_resident(existing);
    assert!(fits(&mut host, &ebs("vol-2")));
}

#[test]
fn an_untranslatable_disk_is_an_error_on_nodes_with_the_driver() {
    let mut host = with_limits(&[]);
    host.node(node("other"));
    let untranslatable = ebs("aws://zone/disk");
    let status = host.verdict(&untranslatable, "node").unwrap();
    assert_eq!(status.code, Code::Error);
    assert_eq!(
        status.reasons,
        [
            "converting volume(disk) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format \
          for AWS volume (aws://zone/disk)"
        ]
    );
    assert_eq!(host.fits(&untranslatable), ["other"]);
}

#[test]
fn attached_volumes_count_without_a_pod() {
    let mut host = with_limits(&[(DRIVER, 2)]);
    for name in ["a", "b", "c"] {
        bound(&mut host, name, &of_driver(name));
    }
    let attached = |driver: &str, node: &str, volume: &str| {
        let source = format!(r#""source": {{"persistentVolumeName": "pv-{volume}"}}"#);
        format!(r#"{{"spec": {{"attacher": "{driver}", "nodeName": "{node}", {source}}}}}"#)
    };
    host.resident(&pod().claim("a"), "node");
    let requested = pod().claim("c");
    for (case, driver, on, volume, expected) in [
        ("a volume of a pod on the node", DRIVER, "node", "a", true),
        ("a volume on another node", DRIVER, "other", "b", true),
        ("a volume of another driver", "csi.other.com", "node", "b", true),
        ("an unknown volume", DRIVER, "node", "gone", true),
        ("a volume without a pod", DRIVER, "node", "b", false),
    ] {
        host.object("VolumeAttachment", "", "attachment", &attached(driver, on, volume));
        assert_eq!(fits(&mut host, &requested), expected, "{case}");
    }
    host.remove_object("VolumeAttachment", "", "attachment");
    assert!(fits(&mut host, &requested), "the volume is detached");
}

/// The plugin does not check individual nodes if every node has room. The answers must not depend on that.
#[test]
fn each_node_has_its_own_count() {
    let limit = |count: u32| {
        format!(r#"{{"spec": {{"drivers": [{{"name": "{DRIVER}", "allocatable": {{"count": {count}}}}}]}}}}"#)
    };
    for (case, limit_of_other, existing, requested, expected) in [
        ("both nodes have room", Some(3), vec![], vec!["a", "b"], vec!["node", "other"]),
        ("the other node has a lower limit", Some(1), vec![], vec!["a", "b"], vec!["node"]),
        ("the other node is full", Some(3), vec!["c", "d"], vec!["a", "b"], vec!["node"]),
        ("the other node has the volumes", Some(3), vec!["a", "b", "c"], vec!["a", "b"], vec!["node", "other"]),
        ("the other node does not have the driver", None, vec!["c", "d"], vec!["a", "b"], vec!["node", "other"]),
        ("a missing claim", Some(3), vec![], vec!["missing"], vec![]),
    ] {
        let mut host = with_limits(&[(DRIVER, 3)]);
        for name in ["a", "b", "c", "d"] {
            bound(&mut host, name, &of_driver(name));
        }
        host.node(node("other"));
        if let Some(count) = limit_of_other {
            host.object("CSINode", "", "other", &limit(count));
        }
        let residents: Vec<_> = existing.iter().map(|claim| host.resident(&pod().claim(claim), "other")).collect();
        let requested = requested.into_iter().fold(pod(), PodBuilder::claim);
        assert_eq!(host.fits(&requested), expected, "{case}");
        assert_eq!(host.fresh().fits(&requested), expected, "{case}");
        // A removed node, and its pods that are removed later, must not count.
        host.remove_node("other");
        residents.into_iter().for_each(|pod| host.remove_resident(pod));
        let remaining: Vec<&str> = expected.into_iter().filter(|node| *node == "node").collect();
        assert_eq!(host.fits(&requested), remaining, "{case}, without the other node");
    }
}

#[test]
fn claims_must_exist_and_belong_to_the_pod() {
    let owned = |uid: &str| {
        let owner = format!(r#"{{"metadata": {{"ownerReferences": [{{"uid": "{uid}", "controller": true}}]}}, "#);
        owner + r#""spec": {"storageClassName": "example"}}"#
    };
    let ephemeral = pod().name("web").uid("1").ephemeral("data");
    for (claim, verdict) in [
        (
            None,
            Some((
                Code::UnschedulableAndUnresolvable,
                "looking up PVC default/web-data: persistentvolumeclaim \"web-data\" not found",
            )),
        ),
        (
            Some(owned("2")),
            Some((Code::Error, "PVC default/web-data was not created for pod default/web (pod is not owner)")),
        ),
        (Some(owned("1")), None),
    ] {
        let mut host = with_limits(&[(DRIVER, 1)]);
        if let Some(fields) = &claim {
            host.object("PersistentVolumeClaim", "default", "web-data", fields);
        }
        let status = host.verdict(&ephemeral, "node");
        let status = status.as_ref().map(|status| (status.code, status.reasons[0].as_str()));
        assert_eq!(status, verdict, "{claim:?}");
    }
    let mut host = with_limits(&[(DRIVER, 9)]);
    unbound(&mut host, "new", "example");
    host.resident(&pod().claim("missing"), "node");
    assert!(fits(&mut host, &pod().claim("new")), "a missing claim of a pod on the node does not count");
    host.object("PersistentVolumeClaim", "default", "web-data", &owned("2"));
    host.resident(&ephemeral, "node");
    assert_eq!(host.verdict(&pod().claim("new"), "node").map(|status| status.code), Some(Code::Error));
}

#[test]
fn counts_after_changes_equal_counts_from_scratch() {
    let mut host = with_limits(&[(DRIVER, 1)]);
    for name in ["a", "b"] {
        bound(&mut host, name, &of_driver(name));
    }
    let existing = host.resident(&pod().claim("a"), "node");
    host.change_resident(existing, &pod().claim("b"), "node");
    host.object("CSINode", "", "node", r#"{"spec": {"drivers": [{"name": "csi.example.com"}]}}"#);
    for requested in [pod().claim("a"), pod().claim("b"), pod()] {
        assert_eq!(host.verdicts(&requested), host.fresh().verdicts(&requested));
    }
    host.remove_object("CSINode", "", "node");
    host.remove_object("PersistentVolume", "", "pv-a");
    host.remove_object("StorageClass", "", "example");
    assert!(fits(&mut host, &pod().claim("a")));
}
