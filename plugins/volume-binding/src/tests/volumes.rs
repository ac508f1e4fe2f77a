//! Tests of existing volumes: bound volumes, and candidates for a claim.

use super::*;

/// Returns a host with the claim `data`, bound to a volume with this source in zone `a`.
fn bound(source: &str, labels: &str) -> Host<Plugin> {
    let mut host = cluster();
    let metadata = r#""metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}"#;
    claim(&mut host, &format!(r#"{{{metadata}, "spec": {{"volumeName": "pv"}}}}"#));
    let zone = r#"[{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]"#;
    let affinity = format!(r#"{{"required": {{"nodeSelectorTerms": [{{"matchExpressions": {zone}}}]}}}}"#);
    let volume = format!(r#"{{"metadata": {labels}, "spec": {{{source}"nodeAffinity": {affinity}}}}}"#);
    host.object("PersistentVolume", "", "pv", &volume);
    host
}

#[test]
fn a_bound_volume_selects_its_nodes() {
    let mut host = bound("", "{}");
    host.node(node("a").label("topology.kubernetes.io/zone", "a"));
    host.node(node("b").label("topology.kubernetes.io/zone", "b"));
    assert_eq!(host.fits(&pod_with_claim()), ["a"]);
    assert_eq!(code_and_reasons(host.verdict(&pod_with_claim(), "b")), unresolvable(NODE_CONFLICT));
    host.object("PersistentVolume", "", "pv", "{}");
    assert_eq!(host.fits(&pod_with_claim()), ["a", "b"], "a volume without affinity is reachable from every node");
}

#[test]
fn migrated_volumes_use_the_topology_key_of_the_driver() {
    let migrated = |plugins: &str| {
        format!(r#"{{"metadata": {{"annotations": {{"storage.alpha.kubernetes.io/migrated-plugins": "{plugins}"}}}}}}"#)
    };
    let ebs = r#""awsElasticBlockStore": {"volumeID": "vol-1"}, "#;
    for (case, source, plugins, label, fits) in [
        ("the driver's label", ebs, "kubernetes.io/aws-ebs", "topology.ebs.csi.aws.com/zone", true),
        ("the label of Kubernetes", ebs, "kubernetes.io/aws-ebs", "topology.kubernetes.io/zone", false),
        (
            "the kind is not migrated on the node",
            ebs,
            "kubernetes.io/gce-pd,kubernetes.io/cinder",
            "topology.kubernetes.io/zone",
            true,
        ),
        ("the volume is not in-tree", "", "kubernetes.io/aws-ebs", "topology.kubernetes.io/zone", true),
    ] {
        let mut host = bound(source, "{}");
        host.node(node("node").label(label, "a"));
        host.object("CSINode", "", "node", &migrated(plugins));
        assert_eq!(host.fits(&pod_with_claim()).contains(&"node".to_owned()), fits, "{case}");
    }
    let mut host = bound(r#""awsElasticBlockStore": {"volumeID": "aws://zone/disk"}, "#, "{}");
    host.object("CSINode", "", "a", &migrated("kubernetes.io/aws-ebs"));
    let (code, reason) = code_and_reasons(host.verdict(&pod_with_claim(), "a")).unwrap();
    assert_eq!(code, Code::Error);
    assert!(reason.starts_with("could not translate pv: failed to translate Kubernetes ID"), "{reason}");
}

#[test]
fn a_claim_gets_a_matching_volume() {
    let matching = volume("5Gi", "a", "");
    for (case, claim_more, volume_fields, fits) in [
        ("a matching volume", "", matching.clone(), true),
        ("a larger volume", "", volume("10Gi", "a", ""), true),
        ("a smaller volume", "", volume("5119Mi", "a", ""), false),
        ("another class", "", matching.replace("\"local\"", "\"made\""), false),
        ("not available", "", matching.replace("Available", "Released"), false),
        (
            "a volume that is being deleted",
            "",
            matching.replacen('{', r#"{"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "#, 1),
            false,
        ),
        ("another volume mode", "", volume("5Gi", "a", r#", "volumeMode": "Block""#), false),
        ("the same volume mode", r#", "volumeMode": "Block""#, volume("5Gi", "a", r#", "volumeMode": "Block""#), true),
        ("the default volume mode", r#", "volumeMode": "Filesystem""#, matching.clone(), true),
        ("the claim needs fewer access modes", r#", "accessModes": ["ReadOnlyMany"]"#, matching.clone(), true),
        ("the claim needs another access mode", r#", "accessModes": ["ReadWriteMany"]"#, matching.clone(), false),
        ("an attributes class", r#", "volumeAttributesClassName": "fast""#, matching.clone(), false),
        (
            "the same attributes class",
            r#", "volumeAttributesClassName": "fast""#,
            volume("5Gi", "a", r#", "volumeAttributesClassName": "fast""#),
            true,
        ),
        ("a selector, and no labels", r#", "selector": {"matchLabels": {"disk": "ssd"}}"#, matching.clone(), false),
        (
            "a selector, and matching labels",
            r#", "selector": {"matchLabels": {"disk": "ssd"}}"#,
            matching.replacen('{', r#"{"metadata": {"labels": {"disk": "ssd"}}, "#, 1),
            true,
        ),
        ("a volume reserved for another claim", "", volume("5Gi", "a", &reserved_for("other", "")), false),
        ("a volume reserved for the claim", "", volume("5Gi", "a", &reserved_for("data", "")), true),
        (
            "a volume reserved for an earlier claim of this name",
            "",
            volume("5Gi", "a", &reserved_for("data", "uid")),
            false,
        ),
        ("a smaller volume reserved for the claim", "", volume("1Gi", "a", &reserved_for("data", "")), false),
    ] {
        let mut host = cluster();
        let fields = waiting("local", claim_more);
        // A JSON object may not have a field twice, so the original field is removed.
        let fields = if claim_more.contains("accessModes") {
            fields.replacen(r#", "accessModes": ["ReadWriteOnce"]"#, "", 1)
        } else {
            fields
        };
        claim(&mut host, &fields);
        host.object("PersistentVolume", "", "pv", &volume_fields);
        assert_eq!(host.fits(&pod_with_claim()), if fits { vec!["a"] } else { vec![] }, "{case}");
        assert_eq!(
            code_and_reasons(host.verdict(&pod_with_claim(), "b")),
            unresolvable(BIND_CONFLICT),
            "{case}: a node in another zone"
        );
    }
}

fn reserved_for(claim: &str, uid: &str) -> String {
    format!(r#", "claimRef": {{"namespace": "default", "name": "{claim}", "uid": "{uid}"}}"#)
}

#[test]
fn claims_do_not_share_a_volume() {
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    host.object("PersistentVolumeClaim", "default", "more", &waiting("local", "").replace("5Gi", "8Gi"));
    host.object("PersistentVolume", "", "large", &volume("10Gi", "a", ""));
    let both = pod().claim("more").claim("data");
    assert_eq!(host.fits(&pod_with_claim()), ["a"]);
    assert!(host.fits(&both).is_empty(), "there is only one volume for two claims");
    host.object("PersistentVolume", "", "small", &volume("6Gi", "a", ""));
    assert_eq!(host.fits(&both), ["a"], "the smaller claim takes the smaller volume");
    host.remove_object("PersistentVolume", "", "small");
    assert!(host.fits(&both).is_empty());
}

#[test]
fn the_smallest_volume_is_chosen_whatever_its_affinity() {
    let anywhere = r#"{"spec": {"storageClassName": "local", "capacity": {"storage": "7Gi"}, "accessModes": ["ReadWriteOnce"]},
        "status": {"phase": "Available"}}"#;
    for (case, volumes, on_a, on_b) in [
        ("a volume for any node", vec![("any", anywhere.to_owned())], "any", "any"),
        (
            "and a smaller one in the zone",
            vec![("any", anywhere.to_owned()), ("a6", volume("6Gi", "a", ""))],
            "a6",
            "any",
        ),
        (
            "and a larger one in the zone",
            vec![("any", anywhere.to_owned()), ("a8", volume("8Gi", "a", ""))],
            "any",
            "any",
        ),
        (
            "two volumes in the zone",
            vec![("a9", volume("9Gi", "a", "")), ("a8", volume("8Gi", "a", "")), ("b6", volume("6Gi", "b", ""))],
            "a8",
            "b6",
        ),
        (
            "a volume in both zones",
            vec![("both", volume("6Gi", "a", "").replace(r#"["a"]"#, r#"["a", "b"]"#)), ("a8", volume("8Gi", "a", ""))],
            "both",
            "both",
        ),
    ] {
        let mut host = cluster();
        claim(&mut host, &waiting("local", ""));
        for (name, fields) in volumes {
            host.object("PersistentVolume", "", name, &fields);
        }
        for (node, expected) in [("a", on_a), ("b", on_b)] {
            let state = host.reserve(&pod_with_claim(), node).unwrap().state;
            let state = String::from_utf8(state).unwrap();
            assert!(state.contains(&format!("\t{expected}\t")), "{case}, on {node}: {state}");
        }
    }
}

#[test]
fn answers_follow_the_volumes() {
    let mut host = cluster();
    claim(&mut host, &waiting("local", ""));
    assert!(host.fits(&pod_with_claim()).is_empty());
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "a", ""));
    assert_eq!(host.fits(&pod_with_claim()), ["a"]);
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "b", ""));
    assert_eq!(host.fits(&pod_with_claim()), ["b"]);
    host.object("PersistentVolume", "", "pv", &volume("5Gi", "b", "").replace("\"local\"", "\"made\""));
    assert!(host.fits(&pod_with_claim()).is_empty());
    host.remove_object("PersistentVolume", "", "pv");
    assert!(host.fits(&pod_with_claim()).is_empty());
}
