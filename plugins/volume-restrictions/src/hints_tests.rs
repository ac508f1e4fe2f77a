//! Tests of queueing hints.

use berth_guest::EventActions as Actions;
use berth_guest::hints::Hint::{Queue, Skip};
use berth_guest::testing::{Host, node, pod};
use berth_guest::types::{Disk, VolumeSource};

use crate::Plugin;

fn disk(id: &str) -> VolumeSource {
    let disk = Disk { id: id.into(), pool: String::new(), monitors: Vec::new(), read_only: false };
    VolumeSource::GcePersistentDisk(disk)
}

#[test]
fn deleted_pods_and_new_claims_cause_a_retry() {
    let mut host = Host::<Plugin>::new();
    let pod_here = || pod().namespace("here");
    let incoming = pod_here().volume("disk", disk("a")).claim("data");
    for (deleted, expected) in [
        (pod_here().volume("disk", disk("a")), Queue),
        (pod_here().volume("disk", disk("b")), Skip),
        (pod().namespace("there").volume("disk", disk("a")), Queue),
        (pod_here().claim("data"), Queue),
        (pod_here().claim("other"), Skip),
        (pod().namespace("there").claim("data"), Skip),
    ] {
        assert_eq!(host.pod_hint(Actions::DELETE, [Some(&deleted), None], &incoming), expected, "{deleted:?}");
    }
    for (namespace, name, expected) in [("here", "data", Queue), ("there", "data", Skip), ("here", "other", Skip)] {
        let mut hint = |actions, change| {
            host.object_hint("v1/PersistentVolumeClaim", actions, [namespace, name], change, &incoming)
        };
        assert_eq!(hint(Actions::ADD, [None, Some("{}")]), expected, "{namespace}/{name}");
        assert_eq!(hint(Actions::UPDATE, [Some("{}"), Some("{}")]), Skip, "the plugin does not wait for this action");
    }
    assert_eq!(host.node_hint(Actions::ADD, [None, Some(&node("new"))], &incoming), Queue);
}
