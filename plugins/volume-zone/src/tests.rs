//! Tests of pods with claims.

use berth_guest::testing::{Host, node, pod};
use berth_guest::types::Code;

use super::*;

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";

/// Returns a host with the claim `claim`, bound to a volume with these labels.
fn bound(labels: &[(&str, &str)]) -> Host<Plugin> {
    let mut host = Host::new();
    host.object("PersistentVolumeClaim", "default", "claim", r#"{"spec": {"volumeName": "pv"}}"#);
    let labels: Vec<String> = labels.iter().map(|(key, value)| format!("\"{key}\": \"{value}\"")).collect();
    let volume = format!(r#"{{"metadata": {{"labels": {{{}}}}}}}"#, labels.join(", "));
    host.object("PersistentVolume", "", "pv", &volume);
    host
}

#[test]
fn nodes_are_in_the_volumes_zone() {
    for (case, volume, labels, fits) in [
        ("the zone", vec![(ZONE, "a")], vec![(ZONE, "a")], true),
        ("another zone", vec![(ZONE, "a")], vec![(ZONE, "b")], false),
        ("one of several zones", vec![(ZONE, "a__b")], vec![(ZONE, "b")], true),
        ("none of several zones", vec![(ZONE, "a__b")], vec![(ZONE, "c")], false),
        ("zone and region", vec![(ZONE, "a"), (REGION, "r")], vec![(ZONE, "a"), (REGION, "r")], true),
        ("another region", vec![(ZONE, "a"), (REGION, "r")], vec![(ZONE, "a"), (REGION, "s")], false),
        ("only a region", vec![(REGION, "r")], vec![(ZONE, "a")], false),
        ("a node without zone labels", vec![(ZONE, "a")], vec![("disk", "ssd")], true),
        ("a volume without zone labels", vec![("disk", "ssd")], vec![(ZONE, "a")], true),
        ("an old label on the volume", vec![(BETA_ZONE, "a")], vec![(ZONE, "a")], true),
        ("an old label on both", vec![(BETA_ZONE, "a")], vec![(BETA_ZONE, "a"), (ZONE, "b")], true),
        ("an old label on the node", vec![(ZONE, "a")], vec![(BETA_ZONE, "a")], false),
        ("a label with an empty zone", vec![(ZONE, "a__ ")], vec![(ZONE, "b")], true),
        ("a label with blanks", vec![(ZONE, "a __ b")], vec![(ZONE, "b")], true),
    ] {
        let mut host = bound(&volume);
        host.node(labels.iter().fold(node("node"), |node, (key, value)| node.label(key, value)));
        let verdict = host.verdict(&pod().claim("claim"), "node");
        assert_eq!(verdict.is_none(), fits, "{case}");
        if let Some(status) = verdict {
            let expected = (Code::UnschedulableAndUnresolvable, vec![CONFLICT.to_owned()]);
            assert_eq!((status.code, status.reasons), expected, "{case}");
        }
    }
}

#[test]
fn claims_without_a_volume_need_a_waiting_class() {
    let class = |mode: &str| format!(r#"{{"volumeBindingMode": "{mode}"}}"#);
    let of = |class: &str| format!(r#"{{"spec": {{"storageClassName": "{class}"}}}}"#);
    for (claim, reason) in [
        (of("waiting"), None),
        (of("immediate"), Some("PersistentVolume had no name")),
        ("{}".to_owned(), Some("PersistentVolumeClaim had no pv name and storageClass name")),
        (of("none"), Some("storageclass.storage.k8s.io \"none\" not found")),
        (of("unset"), Some("VolumeBindingMode not set for StorageClass \"unset\"")),
        (r#"{"spec": {"volumeName": "gone"}}"#.to_owned(), Some("persistentvolume \"gone\" not found")),
    ] {
        let mut host = Host::<Plugin>::new();
        host.node(node("node").label(ZONE, "a"));
        host.object("StorageClass", "", "waiting", &class("WaitForFirstConsumer"));
        host.object("StorageClass", "", "immediate", &class("Immediate"));
        host.object("StorageClass", "", "unset", "{}");
        host.object("PersistentVolumeClaim", "default", "claim", &claim);
        let status = host.verdict(&pod().claim("claim"), "node");
        assert_eq!(status.as_ref().map(|status| status.reasons[0].as_str()), reason, "{claim}");
        assert!(status.is_none_or(|status| status.code == Code::UnschedulableAndUnresolvable), "{claim}");
    }
}

#[test]
fn answers_follow_the_objects() {
    let mut host = bound(&[(ZONE, "a")]);
    host.node(node("node").label(ZONE, "b"));
    let wanted = pod().claim("claim");
    assert!(host.fits(&wanted).is_empty());
    host.object("PersistentVolume", "", "pv", r#"{"metadata": {"labels": {"topology.kubernetes.io/zone": "b"}}}"#);
    assert_eq!(host.fits(&wanted), ["node"]);
    host.remove_object("PersistentVolume", "", "pv");
    assert_eq!(host.reasons(&wanted, "node"), ["persistentvolume \"pv\" not found"]);
    host.remove_object("PersistentVolumeClaim", "default", "claim");
    assert_eq!(host.reasons(&wanted, "node"), ["persistentvolumeclaim \"claim\" not found"]);
    assert_eq!(host.fits(&pod()), ["node"], "a pod without claims is skipped");
}

#[test]
fn changes_that_help_a_pod_rejected_for_its_zone() {
    let mut host = Host::<Plugin>::new();
    let incoming = pod().namespace("here").claim("data");
    let in_zone = |zone| format!(r#"{{"metadata": {{"labels": {{"topology.kubernetes.io/zone": "{zone}"}}}}}}"#);
    let [a, b] = ["a", "b"].map(in_zone);
    let (class, waits) = ("storage.k8s.io/v1/StorageClass", r#"{"volumeBindingMode": "WaitForFirstConsumer"}"#);
    for (kind, object, before, after, expected) in [
        ("v1/PersistentVolumeClaim", ["here", "data"], None, "{}", Hint::Queue),
        ("v1/PersistentVolumeClaim", ["here", "data"], Some("{}"), "{}", Hint::Queue),
        ("v1/PersistentVolumeClaim", ["here", "other"], Some("{}"), "{}", Hint::Skip),
        ("v1/PersistentVolumeClaim", ["there", "data"], Some("{}"), "{}", Hint::Skip),
        ("v1/PersistentVolume", ["", "pv"], None, &a, Hint::Queue),
        ("v1/PersistentVolume", ["", "pv"], Some(a.as_str()), &b, Hint::Queue),
        ("v1/PersistentVolume", ["", "pv"], Some(a.as_str()), &a, Hint::Skip),
        (class, ["", "c"], None, waits, Hint::Queue),
        (class, ["", "c"], None, r#"{"volumeBindingMode": "Immediate"}"#, Hint::Skip),
        (class, ["", "c"], Some("{}"), waits, Hint::Skip),
    ] {
        let actions = if before.is_none() { EventActions::ADD } else { EventActions::UPDATE };
        let hint = host.object_hint(kind, actions, object, [before, Some(after)], &incoming);
        assert_eq!(hint, expected, "{kind} {object:?} {before:?} {after}");
    }
    let node = node("n");
    assert_eq!(host.node_hint(EventActions::UPDATE_LABELS, [Some(&node), Some(&node)], &incoming), Hint::Queue);
}
