//! Tests of dynamic provisioning.

use super::*;

const NOT_ENOUGH_SPACE: &str = "node(s) did not have enough free storage";

#[test]
fn provisioning_follows_the_allowed_topologies() {
    let allowed = |zone: &str| {
        let terms = format!(r#"[{{"matchLabelExpressions": [{{"key": "zone", "values": ["{zone}"]}}]}}]"#);
        format!(
            r#"{{"provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": {terms}}}"#
        )
    };
    let mut host = cluster();
    claim(&mut host, &waiting("zonal", ""));
    host.object("StorageClass", "", "zonal", &allowed("b"));
    assert_eq!(host.fits(&pod_with_claim()), ["b"]);
    assert_eq!(code_and_reasons(host.verdict(&pod_with_claim(), "a")), unresolvable(BIND_CONFLICT));
    host.object("StorageClass", "", "zonal", r#"{"volumeBindingMode": "WaitForFirstConsumer"}"#);
    assert!(host.fits(&pod_with_claim()).is_empty(), "the class has no provisioner");
}

#[test]
fn the_selected_node_of_a_claim_is_kept() {
    let selected = r#"{"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "b"}}, "#;
    let mut host = cluster();
    claim(&mut host, &waiting("made", "").replacen('{', selected, 1));
    assert_eq!(host.fits(&pod_with_claim()), ["b"]);
    assert_eq!(code_and_reasons(host.verdict(&pod_with_claim(), "a")), unresolvable(BIND_CONFLICT));
}

/// Returns a capacity of class `made` in a zone.
fn capacity(zone: &str, more: &str) -> String {
    format!(r#"{{"storageClassName": "made", "nodeTopology": {{"matchLabels": {{"zone": "{zone}"}}}}{more}}}"#)
}

#[test]
fn storage_capacity_is_checked_for_drivers_that_report_it() {
    let reporting = r#"{"spec": {"storageCapacity": true}}"#;
    for (case, driver, fields, fits) in [
        ("enough capacity", reporting, capacity("a", r#", "capacity": "5Gi""#), vec!["a"]),
        ("too little capacity", reporting, capacity("a", r#", "capacity": "4Gi""#), vec![]),
        (
            "enough capacity, but not for a single volume",
            reporting,
            capacity("a", r#", "capacity": "9Gi", "maximumVolumeSize": "1Gi""#),
            vec![],
        ),
        ("no capacity is reported", reporting, capacity("a", ""), vec![]),
        ("capacity in another zone", reporting, capacity("b", r#", "capacity": "5Gi""#), vec!["b"]),
        ("capacity on no node", reporting, r#"{"storageClassName": "made", "capacity": "5Gi"}"#.to_owned(), vec![]),
        (
            "capacity of another class",
            reporting,
            capacity("a", r#", "capacity": "5Gi""#).replace("\"made\"", "\"local\""),
            vec![],
        ),
        (
            "the driver does not report capacity",
            r#"{"spec": {"storageCapacity": false}}"#,
            capacity("a", ""),
            vec!["a", "b"],
        ),
    ] {
        let mut host = cluster();
        claim(&mut host, &waiting("made", ""));
        assert_eq!(host.fits(&pod_with_claim()), ["a", "b"], "{case}: without a CSIDriver");
        host.object("CSIDriver", "", "csi.example.com", driver);
        host.object("CSIStorageCapacity", "kube-system", "some", &fields);
        assert_eq!(host.fits(&pod_with_claim()), fits, "{case}");
        if fits.is_empty() {
            assert_eq!(
                code_and_reasons(host.verdict(&pod_with_claim(), "a")),
                unresolvable(NOT_ENOUGH_SPACE),
                "{case}"
            );
        }
    }
}

#[test]
fn existing_volumes_come_before_provisioning() {
    let mut host = cluster();
    claim(&mut host, &waiting("made", ""));
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "a", "").replace("\"local\"", "\"made\""));
    let step = |host: &mut Host<Plugin>, node| {
        let state = host.reserve(&pod_with_claim(), node).unwrap().state;
        String::from_utf8(state).unwrap().split('\t').next().map(str::to_owned)
    };
    assert_eq!(step(&mut host, "a").as_deref(), Some("bind"));
    assert_eq!(step(&mut host, "b").as_deref(), Some("provide"));
}

#[test]
fn reasons_of_bound_and_unbound_claims_are_joined() {
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    let bound =
        r#"{"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": ""}}, "spec": {"volumeName": "pv"}}"#;
    host.object("PersistentVolumeClaim", "default", "bound", bound);
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "b", "").replace("Available", "Bound"));
    let both = pod().claim("data").claim("bound");
    assert_eq!(code_and_reasons(host.verdict(&both, "a")), unresolvable(&format!("{NODE_CONFLICT}; {BIND_CONFLICT}")));
    assert_eq!(code_and_reasons(host.verdict(&both, "b")), unresolvable(BIND_CONFLICT));
}
