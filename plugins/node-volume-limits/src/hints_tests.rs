//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};
use berth_guest::testing::{Host, pod};
use berth_guest::types::{Disk, VolumeSource};

use crate::Plugin;

fn ebs() -> VolumeSource {
    let disk = Disk { id: "vol-1".into(), pool: String::new(), monitors: Vec::new(), read_only: false };
    VolumeSource::AwsElasticBlockStore(disk)
}

#[test]
fn a_node_with_a_higher_limit_causes_a_retry() {
    let limits = |drivers: &[(&str, Option<u32>)]| {
        let driver = |(name, count): &(&str, Option<u32>)| match count {
            Some(count) => format!(r#"{{"name": "{name}", "allocatable": {{"count": {count}}}}}"#),
            None => format!(r#"{{"name": "{name}"}}"#),
        };
        let drivers: Vec<String> = drivers.iter().map(driver).collect();
        format!(r#"{{"spec": {{"drivers": [{}]}}}}"#, drivers.join(", "))
    };
    let mut host = Host::<Plugin>::new();
    let before = limits(&[("a", Some(5)), ("b", Some(1))]);
    for (after, expected) in [
        (limits(&[("a", Some(6)), ("b", Some(1))]), Queue),
        (limits(&[("a", Some(5)), ("b", Some(1))]), Skip),
        (limits(&[("a", Some(4)), ("b", Some(1))]), Skip),
        (limits(&[("a", Some(4)), ("b", Some(1)), ("c", Some(1))]), Queue),
        (limits(&[("a", None), ("b", Some(1))]), Queue),
    ] {
        let change = [Some(before.as_str()), Some(after.as_str())];
        let name = ["", "node"];
        let hint = host.object_hint("storage.k8s.io/v1/CSINode", Actions::UPDATE, name, change, &pod().claim("data"));
        assert_eq!(hint, expected, "{after}");
        let new = [None, Some(after.as_str())];
        assert_eq!(host.object_hint("storage.k8s.io/v1/CSINode", Actions::ADD, name, new, &pod()), Queue);
    }
}

#[test]
fn freed_volumes_and_new_claims_cause_a_retry() {
    let mut host = Host::<Plugin>::new();
    let incoming = pod().name("web").namespace("here").claim("data").ephemeral("scratch");
    for (deleted, expected) in [
        (pod().claim("other"), Queue),
        (pod().ephemeral("scratch"), Queue),
        (pod().volume("disk", ebs()), Queue),
        (pod().volume("any", VolumeSource::Other), Skip),
        (pod(), Skip),
    ] {
        assert_eq!(host.pod_hint(Actions::DELETE, [Some(&deleted), None], &incoming), expected, "{deleted:?}");
    }
    for (namespace, name, expected) in
        [("here", "data", Queue), ("here", "web-scratch", Queue), ("here", "scratch", Skip), ("there", "data", Skip)]
    {
        let change = [None, Some("{}")];
        let hint = host.object_hint("v1/PersistentVolumeClaim", Actions::ADD, [namespace, name], change, &incoming);
        assert_eq!(hint, expected, "{namespace}/{name}");
    }
    let inline = pod().volume("disk", ebs());
    for (attacher, pod, expected) in
        [("any", &incoming, Queue), ("ebs.csi.aws.com", &inline, Queue), ("any", &inline, Skip), ("any", &pod(), Skip)]
    {
        let attachment = format!(r#"{{"spec": {{"attacher": "{attacher}"}}}}"#);
        let change = [Some(attachment.as_str()), None];
        let kind = "storage.k8s.io/v1/VolumeAttachment";
        assert_eq!(host.object_hint(kind, Actions::DELETE, ["", "a"], change, pod), expected, "{attacher}");
    }
}
