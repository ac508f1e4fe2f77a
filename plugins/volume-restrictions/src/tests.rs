//! Tests of conflicts between pods.

use berth_guest::testing::{Host, PodBuilder, node, pod};
use berth_guest::types::{Code, Disk};

use super::*;

fn disk(id: &str, read_only: bool) -> Disk {
    Disk { id: id.into(), pool: String::new(), monitors: Vec::new(), read_only }
}

fn rbd(id: &str, pool: &str, monitors: &[&str], read_only: bool) -> VolumeSource {
    let monitors = monitors.iter().map(|monitor| (*monitor).to_owned()).collect();
    VolumeSource::Rbd(Disk { pool: pool.into(), monitors, ..disk(id, read_only) })
}

fn pod_with(source: VolumeSource) -> PodBuilder {
    pod().volume("data", source)
}

#[test]
fn a_disk_is_exclusive_unless_all_pods_only_read() {
    use VolumeSource::{AwsElasticBlockStore, AzureDisk, GcePersistentDisk, Iscsi};
    let mons = ["m1", "m2"];
    for (case, incoming, resident, conflicts) in [
        ("gce", GcePersistentDisk(disk("a", false)), GcePersistentDisk(disk("a", false)), true),
        ("gce, another disk", GcePersistentDisk(disk("a", false)), GcePersistentDisk(disk("b", false)), false),
        ("gce, one read-only", GcePersistentDisk(disk("a", true)), GcePersistentDisk(disk("a", false)), true),
        ("gce, both read-only", GcePersistentDisk(disk("a", true)), GcePersistentDisk(disk("a", true)), false),
        ("aws, both read-only", AwsElasticBlockStore(disk("a", true)), AwsElasticBlockStore(disk("a", true)), true),
        ("aws, another disk", AwsElasticBlockStore(disk("a", false)), AwsElasticBlockStore(disk("b", false)), false),
        ("iscsi", Iscsi(disk("iqn", false)), Iscsi(disk("iqn", true)), true),
        ("iscsi, both read-only", Iscsi(disk("iqn", true)), Iscsi(disk("iqn", true)), false),
        ("rbd", rbd("i", "p", &mons, false), rbd("i", "p", &["m2"], false), true),
        ("rbd, both read-only", rbd("i", "p", &mons, true), rbd("i", "p", &mons, true), false),
        ("rbd, other monitors", rbd("i", "p", &mons, false), rbd("i", "p", &["m3"], false), false),
        ("rbd, another pool", rbd("i", "p", &mons, false), rbd("i", "q", &mons, false), false),
        ("rbd, another image", rbd("i", "p", &mons, false), rbd("j", "p", &mons, false), false),
        ("two kinds", GcePersistentDisk(disk("a", false)), AwsElasticBlockStore(disk("a", false)), false),
        ("azure", AzureDisk(disk("a", false)), AzureDisk(disk("a", false)), false),
    ] {
        let mut host = Host::<Plugin>::new();
        host.node(node("taken"));
        host.node(node("free"));
        host.resident(&pod_with(resident), "taken");
        let verdict = host.verdict(&pod_with(incoming.clone()), "taken");
        assert_eq!(verdict.is_some(), conflicts, "{case}");
        if let Some(status) = verdict {
            assert_eq!((status.code, status.reasons), (Code::Unschedulable, vec![DISK_CONFLICT.to_owned()]), "{case}");
        }
        assert!(host.fits(&pod_with(incoming)).contains(&"free".to_owned()), "{case}");
    }
}

#[test]
fn a_disk_is_free_after_its_pod_is_deleted() {
    let gce = || pod_with(VolumeSource::GcePersistentDisk(disk("a", false)));
    let mut host = Host::<Plugin>::new();
    host.node(node("node"));
    let resident = host.resident(&gce(), "node");
    assert!(host.fits(&gce()).is_empty());
    host.remove_resident(resident);
    assert_eq!(host.fits(&gce()), ["node"]);
    host.change_resident(resident, &gce(), "node");
    assert!(host.fits(&gce()).is_empty());
}

fn claims(host: &mut Host<Plugin>) {
    host.object("PersistentVolumeClaim", "default", "one", r#"{"spec": {"accessModes": ["ReadWriteOncePod"]}}"#);
    host.object("PersistentVolumeClaim", "other", "one", r#"{"spec": {"accessModes": ["ReadWriteOncePod"]}}"#);
    host.object("PersistentVolumeClaim", "default", "many", r#"{"spec": {"accessModes": ["ReadWriteMany"]}}"#);
}

#[test]
fn read_write_once_pod_rejects_a_second_pod_on_every_node() {
    for (case, incoming, resident, fits) in [
        ("the claim is in use", pod().claim("one"), pod().claim("one"), false),
        ("the second claim is in use", pod().claim("many").claim("one"), pod().claim("one"), false),
        ("a claim for many pods", pod().claim("many"), pod().claim("many"), true),
        ("a claim in another namespace", pod().claim("one"), pod().namespace("other").claim("one"), true),
        ("a pod without volumes", pod(), pod().claim("one"), true),
    ] {
        let mut host = Host::<Plugin>::new();
        claims(&mut host);
        host.node(node("a"));
        host.node(node("b"));
        let resident = host.resident(&resident, "a");
        assert_eq!(host.fits(&incoming).len(), if fits { 2 } else { 0 }, "{case}");
        if !fits {
            let status = host.verdict(&incoming, "b").unwrap();
            assert_eq!((status.code, status.reasons), (Code::Unschedulable, vec![CLAIM_IN_USE.to_owned()]), "{case}");
            host.remove_resident(resident);
            assert_eq!(host.fits(&incoming).len(), 2, "{case}: the other pod is deleted");
        }
    }
}

#[test]
fn a_missing_claim_rejects_the_pod() {
    let mut host = Host::<Plugin>::new();
    claims(&mut host);
    host.node(node("node"));
    let missing = pod().claim("none");
    let status = host.verdict(&missing, "node").unwrap();
    assert_eq!(status.code, Code::UnschedulableAndUnresolvable);
    assert_eq!(status.reasons, ["persistentvolumeclaim \"none\" not found"]);
    host.object("PersistentVolumeClaim", "default", "none", "{}");
    assert_eq!(host.fits(&missing), ["node"]);
    host.remove_object("PersistentVolumeClaim", "default", "none");
    assert!(host.fits(&missing).is_empty());
}

#[test]
fn counts_after_changes_equal_counts_from_scratch() {
    let mut host = Host::<Plugin>::new();
    claims(&mut host);
    host.node(node("a"));
    let pods = [pod().claim("one").claim("one"), pod(), pod().claim("one")];
    let ids = pods.each_ref().map(|pod| host.resident(pod, "a"));
    host.change_resident(ids[0], &pods[1], "a");
    host.remove_resident(ids[2]);
    let incoming = pod().claim("one");
    assert_eq!(host.fits(&incoming), host.fresh().fits(&incoming));
    assert_eq!(host.fits(&incoming), ["a"]);
}
