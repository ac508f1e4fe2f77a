//! Tests of pods with a single claim or several.

mod binding;
mod provisioning;
mod volumes;

use berth_guest::testing::{Host, NodeBuilder, PodBuilder, node, pod};
use berth_guest::types::{Code, Status};

use super::*;

const BIND_CONFLICT: &str = "node(s) didn't find available persistent volumes to bind";
const NODE_CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/// Returns a host with two zones and two classes with WaitForFirstConsumer: `made` has a provisioner, `local` has
/// none.
fn cluster() -> Host<Plugin> {
    let mut host = Host::new();
    host.node(zoned("a"));
    host.node(zoned("b"));
    let waits = r#""volumeBindingMode": "WaitForFirstConsumer""#;
    host.object("StorageClass", "", "made", &format!(r#"{{"provisioner": "csi.example.com", {waits}}}"#));
    host.object("StorageClass", "", "local", &format!(r#"{{"provisioner": "kubernetes.io/no-provisioner", {waits}}}"#));
    let at_once = r#"{"provisioner": "csi.example.com", "volumeBindingMode": "Immediate"}"#;
    host.object("StorageClass", "", "at-once", at_once);
    host
}

fn zoned(zone: &str) -> NodeBuilder {
    node(zone).label("zone", zone)
}

/// Adds the claim `data` with these fields.
fn claim(host: &mut Host<Plugin>, fields: &str) {
    host.object("PersistentVolumeClaim", "default", "data", fields);
}

/// Returns an unbound claim of 5Gi with this class and further spec fields.
fn waiting(class: &str, more: &str) -> String {
    let requests = r#""resources": {"requests": {"storage": "5Gi"}}, "accessModes": ["ReadWriteOnce"]"#;
    format!(r#"{{"spec": {{"storageClassName": "{class}", {requests}{more}}}}}"#)
}

/// Returns an available volume of class `local` in a zone, with further spec fields.
fn volume(size: &str, zone: &str, more: &str) -> String {
    let zone = format!(r#"[{{"key": "zone", "operator": "In", "values": ["{zone}"]}}]"#);
    let affinity = format!(r#"{{"required": {{"nodeSelectorTerms": [{{"matchExpressions": {zone}}}]}}}}"#);
    let capacity = format!(r#""capacity": {{"storage": "{size}"}}, "accessModes": ["ReadWriteOnce", "ReadOnlyMany"]"#);
    format!(
        r#"{{"spec": {{"storageClassName": "local", "nodeAffinity": {affinity}, {capacity}{more}}},
            "status": {{"phase": "Available"}}}}"#
    )
}

fn pod_with_claim() -> PodBuilder {
    pod().claim("data")
}

fn code_and_reasons(status: Option<Status>) -> Option<(Code, String)> {
    status.map(|status| (status.code, status.reasons.join("; ")))
}

fn unresolvable(reason: &str) -> Option<(Code, String)> {
    Some((Code::UnschedulableAndUnresolvable, reason.to_owned()))
}

#[test]
fn unusable_claims_reject_the_pod() {
    let bound = r#""metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}"#;
    for (case, fields, expected) in [
        ("a missing claim", None, unresolvable("persistentvolumeclaim \"data\" not found")),
        (
            "a lost claim",
            Some(r#"{"spec": {"volumeName": "pv"}, "status": {"phase": "Lost"}}"#.to_owned()),
            unresolvable("persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"pv\""),
        ),
        (
            "a claim that is being deleted",
            Some(r#"{"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}"#.to_owned()),
            unresolvable("persistentvolumeclaim \"data\" is being deleted"),
        ),
        (
            "an unbound claim with immediate binding",
            Some(waiting("at-once", "")),
            unresolvable("pod has unbound immediate PersistentVolumeClaims"),
        ),
        (
            "a claim without a class",
            Some("{}".to_owned()),
            unresolvable("pod has unbound immediate PersistentVolumeClaims"),
        ),
        (
            "an unknown class",
            Some(waiting("none", "")),
            unresolvable("pod has unbound immediate PersistentVolumeClaims"),
        ),
        (
            "a claim with a volume, not bound yet",
            Some(waiting("made", r#", "volumeName": "pv""#)),
            unresolvable("pod has unbound immediate PersistentVolumeClaims"),
        ),
        (
            "a class without a binding mode",
            Some(waiting("unset", "")),
            Some((Code::Error, "VolumeBindingMode not set for StorageClass \"unset\"".to_owned())),
        ),
        (
            "a claim that is bound to a missing volume",
            Some(format!(r#"{{{bound}, "spec": {{"volumeName": "pv"}}}}"#)),
            unresolvable(NO_VOLUME),
        ),
        ("a claim that waits for the pod", Some(waiting("made", "")), None),
    ] {
        let mut host = cluster();
        host.object("StorageClass", "", "unset", "{}");
        if let Some(fields) = fields {
            claim(&mut host, &fields);
        }
        assert_eq!(code_and_reasons(host.verdict(&pod_with_claim(), "a")), expected, "{case}");
    }
}

#[test]
fn a_pod_without_claims_is_not_asked_about() {
    let mut host = cluster();
    assert_eq!(host.fits(&pod()), ["a", "b"]);
    assert_eq!(host.reserve(&pod(), "a"), Ok(berth_guest::lifecycle::Reservation::default()));
    assert!(host.pre_bind(&pod(), "a", b"").is_empty());
}

#[test]
fn an_ephemeral_claim_belongs_to_its_pod() {
    let owned = |uid: &str| {
        let owner = format!(r#""ownerReferences": [{{"uid": "{uid}", "controller": true}}]"#);
        waiting("made", "").replacen('{', &format!(r#"{{"metadata": {{{owner}}}, "#), 1)
    };
    let ephemeral = pod().name("web").uid("1").ephemeral("data");
    let mut host = cluster();
    let missing = "waiting for ephemeral volume controller to create the persistentvolumeclaim \"web-data\"";
    assert_eq!(code_and_reasons(host.verdict(&ephemeral, "a")), unresolvable(missing));
    host.object("PersistentVolumeClaim", "default", "web-data", &owned("2"));
    let another = "PVC default/web-data was not created for pod default/web (pod is not owner)";
    assert_eq!(code_and_reasons(host.verdict(&ephemeral, "a")), unresolvable(another));
    host.object("PersistentVolumeClaim", "default", "web-data", &owned("1"));
    assert_eq!(host.fits(&ephemeral), ["a", "b"]);
}

#[test]
fn arguments_are_checked() {
    for (args, problem) in [
        (
            r#"{"bindTimeoutSeconds": -1}"#,
            "bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
        ),
        (
            r#"{"shape": [{"utilization": 0, "score": 0}]}"#,
            "shape: Forbidden: scoring by storage capacity is not supported; remove the field",
        ),
    ] {
        let refused = Host::<Plugin>::with_args(args).err();
        assert_eq!(refused, Some(format!("VolumeBinding: arguments: {problem}")), "{args}");
    }
    for args in ["{}", r#"{"bindTimeoutSeconds": 0}"#, r#"{"bindTimeoutSeconds": 60, "shape": null}"#] {
        assert!(Host::<Plugin>::with_args(args).is_ok(), "{args}");
    }
}
