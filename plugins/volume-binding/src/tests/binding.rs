//! Tests of reserve and pre-bind.

use berth_guest::intents::{Intent, ObjectReference, Patch, Wait};

use super::*;

fn volume_reference() -> ObjectReference {
    ObjectReference::new("v1", "PersistentVolume", "pv").with_uid("pv-4")
}

fn claim_reference() -> ObjectReference {
    ObjectReference::new("v1", "PersistentVolumeClaim", "data").in_namespace("default").with_uid("data-3")
}

fn versioned(fields: &str) -> String {
    fields.replacen('{', r#"{"metadata": {"resourceVersion": "7"}, "#, 1)
}

fn patches(intents: &[Intent]) -> Vec<(&ObjectReference, &str)> {
    let of = |intent| match intent {
        &Intent::Patch(Patch { ref object, ref patch, .. }) => Some((object, patch.as_str())),
        _ => None,
    };
    intents.iter().filter_map(of).collect()
}

fn waits(intents: &[Intent]) -> Vec<(&ObjectReference, &str, u64)> {
    let of = |intent| match intent {
        &Intent::WaitUntil(Wait { ref object, ref until, timeout_ms }) => Some((object, until.as_str(), timeout_ms)),
        _ => None,
    };
    intents.iter().filter_map(of).collect()
}

fn assumed(intents: &[Intent]) -> Vec<(&ObjectReference, &str)> {
    let of = |intent| match intent {
        &Intent::Assume((ref object, ref json)) => Some((object, json.as_str())),
        _ => None,
    };
    intents.iter().filter_map(of).collect()
}

#[test]
fn pre_bind_binds_a_volume_and_waits() {
    let mut host = cluster();
    claim(&mut host, &versioned(&waiting("local", "")));
    host.object("PersistentVolume", "", "pv", &versioned(&volume("5Gi", "a", "")));
    let reserved = host.reserve(&pod_with_claim(), "a").unwrap();
    let change = r#"{"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"},"resourceVersion":"7"},"#
        .to_owned()
        + r#""spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","#
        + r#""namespace":"default","name":"data","uid":"data-3"}}}"#;
    let volume = volume_reference();
    assert_eq!(assumed(&reserved.intents), [(&volume, change.as_str())]);
    let intents = host.pre_bind(&pod_with_claim(), "a", &reserved.state);
    assert_eq!(patches(&intents), [(&volume, change.as_str())]);
    let [(first, until, timeout), (second, bound, _)] = waits(&intents)[..] else { panic!("{intents:?}") };
    assert_eq!((first, second, timeout), (&volume, &claim_reference(), 600_000));
    assert!(until.ends_with(r#"object.status.phase == 'Bound' : 'ClaimRef got reset for pv "pv"'"#), "{until}");
    assert!(bound.contains("bind-completed"), "{bound}");
}

#[test]
fn an_existing_claim_reference_keeps_its_annotations() {
    let with_uid = |uid: &str| {
        let reference = format!(r#", "claimRef": {{"namespace": "default", "name": "data", "uid": "{uid}"}}"#);
        volume("5Gi", "a", &reference)
    };
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    host.object("PersistentVolume", "", "pv", &with_uid(""));
    let reserved = host.reserve(&pod_with_claim(), "a").unwrap();
    let [(_, change)] = assumed(&reserved.intents)[..] else { panic!("{reserved:?}") };
    assert!(change.starts_with(r#"{"metadata":{"annotations":{}},"spec":{"claimRef":{"#), "{change}");
    host.object("PersistentVolume", "", "pv", &with_uid("data-3"));
    let reserved = host.reserve(&pod_with_claim(), "a").unwrap();
    assert!(reserved.intents.is_empty(), "the volume refers to the claim already");
    let intents = host.pre_bind(&pod_with_claim(), "a", &reserved.state);
    assert_eq!((patches(&intents).len(), waits(&intents).len()), (0, 2));
}

#[test]
fn pre_bind_selects_the_node_and_waits_for_provisioning() {
    let mut host = Host::<Plugin>::with_args(r#"{"bindTimeoutSeconds": 60}"#).unwrap();
    host.node(zoned("a"));
    let class = r#"{"provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"}"#;
    host.object("StorageClass", "", "made", class);
    claim(&mut host, &versioned(&waiting("made", "")));
    let reserved = host.reserve(&pod_with_claim(), "a").unwrap();
    let change = r#"{"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a"},"resourceVersion":"7"}}"#;
    let object = ObjectReference { uid: "data-1".into(), ..claim_reference() };
    assert_eq!(assumed(&reserved.intents), [(&object, change)]);
    let intents = host.pre_bind(&pod_with_claim(), "a", &reserved.state);
    assert_eq!(patches(&intents), [(&object, change)]);
    let [(waited_for, until, timeout)] = waits(&intents)[..] else { panic!("{intents:?}") };
    assert_eq!((waited_for, timeout), (&object, 60_000));
    assert!(until.contains("['volume.kubernetes.io/selected-node'] == 'a' ?"), "{until}");
    assert!(until.ends_with(r#": 'provisioning failed for PVC "data"'"#), "{until}");
}

#[test]
fn a_volume_reserved_by_another_pod_is_not_reused() {
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    host.object("PersistentVolumeClaim", "default", "other", &waiting("local", ""));
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "a", ""));
    assert_eq!(host.fits(&pod().claim("other")), ["a"]);
    // The assumed volume names the claim.
    let reference = r#", "claimRef": {"namespace": "default", "name": "data", "uid": "data-3"}"#;
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "a", reference));
    assert!(host.fits(&pod().claim("other")).is_empty());
    assert_eq!(host.fits(&pod_with_claim()), ["a"]);
}

#[test]
fn reserve_refuses_a_node_that_fits_no_longer() {
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "a", ""));
    assert!(host.reserve(&pod_with_claim(), "a").is_ok());
    host.remove_object("PersistentVolume", "", "pv");
    assert_eq!(code_and_reasons(host.reserve(&pod_with_claim(), "a").err()), unresolvable(BIND_CONFLICT));
}
