//! Each rule suggests the smallest change, as data and as a sentence.

use berth_analysis::{ChangeKind, PodStatus, explain};
use serde_json::{Value, json};

use crate::stock::{copy, node_object, pod_object, sandbox};

/// Returns the suggestions for a pod: kind, field, new value and sentence.
fn suggestions(cluster: &[Value], pod: &Value) -> Vec<(ChangeKind, String, Value, String)> {
    let explanation = explain(&mut sandbox(&copy(cluster)), pod, PodStatus::default()).expect("a valid pod");
    assert!(explanation.confirmations > 0 && !explanation.confirmations_limited);
    let all = explanation.suggestions.into_iter();
    all.map(|one| (one.change.kind, one.change.field, one.change.to.unwrap_or_default(), one.text)).collect()
}

fn running(name: &str, node: &str, changes: Value) -> Value {
    let mut pod = pod_object(name, changes);
    pod["spec"]["nodeName"] = node.into();
    pod
}

fn expected(kind: ChangeKind, field: &str, to: Value, text: &str) -> (ChangeKind, String, Value, String) {
    (kind, field.to_owned(), to, text.to_owned())
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

#[test]
fn requests_of_several_resources_are_lowered_together() {
    let requests = |cpu: &str, memory: &str| json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}});
    let cluster = [
        node_object("a", json!({})),
        running("r", "a", requests("1", "1Gi")),
        node_object("b", json!({"status": {"allocatable": {"cpu": "1", "memory": "1Gi"}}})),
    ];
    let found = suggestions(&cluster, &pod_object("p", requests("5", "9Gi")));
    assert_eq!(
        found,
        [expected(
            ChangeKind::LowerRequest,
            "spec.containers[0].resources.requests.cpu",
            json!("3"),
            "Lower the requests for cpu from 5 to 3 and memory from 9Gi to 7Gi; then the pod fits on node a."
        )]
    );
}

#[test]
fn a_request_that_no_node_has_is_removed() {
    let gpu = json!({"requests": {"cpu": "1", "example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}});
    let pod = pod_object("p", json!({"spec": {"containers": [{"name": "c", "resources": gpu}]}}));
    assert_eq!(
        suggestions(&[node_object("a", json!({}))], &pod),
        [expected(
            ChangeKind::RemoveRequest,
            "spec.containers[0].resources.requests[\"example.com/gpu\"]",
            Value::Null,
            "Remove the request for example.com/gpu; then 1 node fits."
        )]
    );
}

#[test]
fn all_taints_of_a_node_are_tolerated_together() {
    let taints = json!([{"key": "a", "value": "1", "effect": "NoSchedule"}, {"key": "b", "effect": "NoExecute"}, {"key": "c", "effect": "NoSchedule"}]);
    let pod = pod_object("p", json!({"spec": {"tolerations": [{"key": "c", "operator": "Exists"}]}}));
    let found = suggestions(&[node_object("a", json!({"spec": {"taints": taints}}))], &pod);
    assert_eq!(
        found,
        [expected(
            ChangeKind::AddToleration,
            "spec.tolerations",
            json!({"key": "a", "operator": "Equal", "value": "1", "effect": "NoSchedule"}),
            "Add tolerations for the taints a=1:NoSchedule, b:NoExecute; then 1 node fits."
        )]
    );
}

#[test]
fn required_node_affinity_is_corrected_or_removed() {
    let expression = json!({"key": "team", "operator": "In", "values": ["bleu"]});
    let affinity = json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}});
    let node = node_object("a", json!({"metadata": {"labels": {"team": "blue"}}}));
    let found = suggestions(&[node], &pod_object("p", json!({"spec": {"affinity": affinity}})));
    let required = format!("spec.affinity.nodeAffinity.{REQUIRED}");
    assert_eq!(
        found,
        [
            expected(
                ChangeKind::FixNodeAffinityValue,
                &format!("{required}.nodeSelectorTerms[0].matchExpressions[0].values[0]"),
                json!("blue"),
                "Use the value blue for team in the required node affinity: no node has label team=bleu; 1 node has team=blue."
            ),
            expected(
                ChangeKind::RemoveNodeAffinity,
                &required,
                Value::Null,
                "Remove the required node affinity; then 1 node fits."
            ),
        ]
    );
}

#[test]
fn a_mistyped_key_of_required_node_affinity_is_corrected() {
    let expressions = json!([{"key": "disk-type", "operator": "Exists"}, {"key": "gone", "operator": "DoesNotExist"}]);
    let affinity = json!({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}});
    let node = node_object("a", json!({"metadata": {"labels": {"disktype": "ssd"}}}));
    let found = suggestions(&[node], &pod_object("p", json!({"spec": {"affinity": affinity}})));
    let kinds: Vec<(ChangeKind, Value)> = found.into_iter().map(|(kind, _, to, _)| (kind, to)).collect();
    assert_eq!(
        kinds,
        [
            (ChangeKind::FixNodeAffinityKey, json!("disktype")),
            (ChangeKind::RemoveNodeAffinityRequirement, Value::Null),
            (ChangeKind::RemoveNodeAffinity, Value::Null),
        ]
    );
}

#[test]
fn the_label_of_running_pods_is_suggested_for_pod_affinity() {
    let term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "wbe"}}});
    let affinity = json!({"podAffinity": {REQUIRED: [term]}});
    let cluster = [
        node_object("a", json!({})),
        running("r", "a", json!({"metadata": {"labels": {"app": "web"}}})),
        running("other", "a", json!({"metadata": {"namespace": "other", "labels": {"app": "wbee"}}})),
    ];
    let found = suggestions(&cluster, &pod_object("p", json!({"spec": {"affinity": affinity}})));
    let kinds: Vec<(ChangeKind, Value)> = found.iter().map(|(kind, _, to, _)| (*kind, to.clone())).collect();
    assert_eq!(
        kinds,
        [(ChangeKind::FixPodAffinityValue, json!("web")), (ChangeKind::RemovePodAffinityTerm, Value::Null)]
    );
    assert_eq!(
        found[0].3,
        "Use app=web in the required pod affinity: no running pod has label app=wbe; 1 has app=web."
    );
}

#[test]
fn a_term_of_anti_affinity_or_the_other_pod_is_in_the_way() {
    let term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}});
    let anti_affinity = json!({"spec": {"affinity": {"podAntiAffinity": {REQUIRED: [term]}}}});
    let web = json!({"metadata": {"labels": {"app": "web"}}});
    let own = suggestions(
        &[node_object("a", json!({})), running("r", "a", web.clone())],
        &pod_object("p", anti_affinity.clone()),
    );
    assert_eq!(own[0].0, ChangeKind::RemovePodAntiAffinityTerm);
    let other = suggestions(&[node_object("a", json!({})), running("r", "a", anti_affinity)], &pod_object("p", web));
    assert_eq!(
        other,
        [expected(
            ChangeKind::DeletePod,
            "",
            Value::Null,
            "Delete or move pod default/r, whose anti-affinity keeps this pod away; then 1 node fits."
        )]
    );
}

#[test]
fn the_smallest_skew_is_suggested() {
    let constraint = json!({"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}}});
    let zone = |name: &str, more: Value| {
        let mut node = node_object(name, json!({"metadata": {"labels": {"zone": name}}}));
        json_patch::merge(&mut node, &more);
        node
    };
    let web = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c"}]}});
    let mut cluster = vec![zone("a", json!({})), zone("b", json!({"status": {"allocatable": {"cpu": "0"}}}))];
    cluster.extend((0..5).map(|at| running(&format!("r{at}"), "a", web.clone())));
    let pod = pod_object(
        "p",
        json!({"metadata": {"labels": {"app": "web"}}, "spec": {"topologySpreadConstraints": [constraint],
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}),
    );
    let found = suggestions(&cluster, &pod);
    let at = found.iter().position(|one| one.0 == ChangeKind::RaiseMaxSkew).expect("a higher skew");
    assert_eq!(
        found[at],
        expected(
            ChangeKind::RaiseMaxSkew,
            "spec.topologySpreadConstraints[0].maxSkew",
            json!(6),
            "Raise maxSkew from 1 to 6 in the spread constraint for zone; then 1 node fits."
        )
    );
    assert!(found.iter().any(|one| one.0 == ChangeKind::RelaxSpreadConstraint));
    // The API server refuses minDomains with ScheduleAnyway.
    let mut with_domains = pod;
    with_domains["spec"]["topologySpreadConstraints"][0]["minDomains"] = json!(2);
    let explanation = explain(&mut sandbox(&copy(&cluster)), &with_domains, PodStatus::default()).expect("a valid pod");
    let relaxed = explanation.suggestions.iter().find(|one| one.change.kind == ChangeKind::RelaxSpreadConstraint);
    let changed = relaxed.and_then(|one| one.change.apply(&with_domains)).expect("a patch that applies");
    assert!(changed["spec"]["topologySpreadConstraints"][0].get("minDomains").is_none());
}

#[test]
fn a_host_port_or_its_user_is_in_the_way() {
    let ports = json!({"spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}]}});
    let cluster = [node_object("a", json!({})), running("r", "a", ports.clone())];
    assert_eq!(
        suggestions(&cluster, &pod_object("p", ports)),
        [
            expected(
                ChangeKind::RemoveHostPort,
                "spec.containers[0].ports[0].hostPort",
                Value::Null,
                "Remove the host port 80; then 1 node fits."
            ),
            expected(
                ChangeKind::DeletePod,
                "",
                Value::Null,
                "Delete or move pod default/r, which uses the host port on node a; then 1 node fits."
            ),
        ]
    );
}

#[test]
fn a_mistyped_claim_is_corrected() {
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "default", "name": "data-0", "uid": "data-0",
                     "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "pv"}, "status": {"phase": "Bound"}});
    let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv", "uid": "pv"},
        "spec": {"accessModes": ["ReadWriteOnce"], "claimRef": {"namespace": "default", "name": "data-0", "uid": "data-0"}},
        "status": {"phase": "Bound"}});
    let cluster = [node_object("a", json!({})), claim, volume];
    let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "data0"}}]);
    assert_eq!(
        suggestions(&cluster, &pod_object("p", json!({"spec": {"volumes": volumes}}))),
        [expected(
            ChangeKind::FixClaimName,
            "spec.volumes[0].persistentVolumeClaim.claimName",
            json!("data-0"),
            "Use the claim data-0: the claim data0 does not exist."
        )]
    );
}

#[test]
fn a_mistyped_resource_is_corrected() {
    let resources = json!({"requests": {"example.com/gpus": "1"}, "limits": {"example.com/gpus": "1"}});
    let pod = pod_object("p", json!({"spec": {"containers": [{"name": "c", "resources": resources}]}}));
    let node = node_object("a", json!({"status": {"allocatable": {"example.com/gpu": "2"}}}));
    let found = suggestions(&[node], &pod);
    assert_eq!(
        found[0],
        expected(
            ChangeKind::FixResourceName,
            "spec.containers[0].resources.requests[\"example.com/gpu\"]",
            json!("1"),
            "Request example.com/gpu instead of example.com/gpus: no node has example.com/gpus."
        )
    );
    assert_eq!(found[1].0, ChangeKind::RemoveRequest);
}

#[test]
fn a_mistyped_topology_key_is_corrected() {
    let constraint = json!({"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zones",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}});
    let node = node_object("a", json!({"metadata": {"labels": {"topology.kubernetes.io/zone": "z"}}}));
    let pod = pod_object("p", json!({"spec": {"topologySpreadConstraints": [constraint]}}));
    let found = suggestions(&[node], &pod);
    assert_eq!(
        found[0],
        expected(
            ChangeKind::FixTopologyKey,
            "spec.topologySpreadConstraints[0].topologyKey",
            json!("topology.kubernetes.io/zone"),
            "Use the topology key topology.kubernetes.io/zone instead of topology.kubernetes.io/zones: no node has label \
             topology.kubernetes.io/zones."
        )
    );
}

#[test]
fn a_mistyped_resource_claim_is_corrected() {
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"namespace": "default", "name": "gpu", "uid": "gpu"}, "spec": {"devices": {}}});
    let claims = json!([{"name": "c", "resourceClaimName": "gpus"}]);
    let found = suggestions(
        &[node_object("a", json!({})), claim],
        &pod_object("p", json!({"spec": {"resourceClaims": claims}})),
    );
    assert_eq!(
        found,
        [expected(
            ChangeKind::FixClaimName,
            "spec.resourceClaims[0].resourceClaimName",
            json!("gpu"),
            "Use the claim gpu: the claim gpus does not exist."
        )]
    );
}

#[test]
fn a_second_constraint_for_a_key_is_removed_instead_of_relaxed() {
    let constraint =
        |when: &str| json!({"maxSkew": 1, "topologyKey": "none", "whenUnsatisfiable": when, "labelSelector": {}});
    let constraints = [constraint("ScheduleAnyway"), constraint("DoNotSchedule")];
    let pod = pod_object("p", json!({"spec": {"topologySpreadConstraints": constraints}}));
    assert_eq!(
        suggestions(&[node_object("a", json!({}))], &pod),
        [expected(
            ChangeKind::RemoveSpreadConstraint,
            "spec.topologySpreadConstraints[1]",
            Value::Null,
            "Remove the required spread constraint for none; then 1 node fits."
        )]
    );
}

#[test]
fn a_node_without_labels_can_be_labelled_but_not_with_a_label_of_kubernetes() {
    let mut node = node_object("a", json!({}));
    node["metadata"]["labels"] = json!({});
    for (key, expected) in [("team", true), ("topology.kubernetes.io/zone", false), ("k8s.io/team", false)] {
        let pod = pod_object("p", json!({"spec": {"nodeSelector": {key: "a"}}}));
        let explanation =
            explain(&mut sandbox(&copy(&[node.clone()])), &pod, PodStatus::default()).expect("a valid pod");
        let label = explanation.suggestions.iter().find(|one| one.change.kind == ChangeKind::LabelNode);
        assert_eq!(label.is_some(), expected, "{key}");
        if let Some(label) = label {
            assert_eq!(label.text, "Label node a with team=a; then the pod fits there.");
            let changed = label.change.apply(&node).expect("a patch that applies");
            assert_eq!(changed["metadata"]["labels"], json!({"team": "a"}));
        }
    }
}
