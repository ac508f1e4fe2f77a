//! Tests how pods and nodes in the API server's JSON are converted to the core's model.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod resources;
mod written;

use std::path::Path;
use std::sync::Arc;

use berth_apimachinery::objects::{NodeObject, NodeParts, Notes, Observed, PodObject, PodParts};
use berth_core::model::*;
use serde_json::{Value, json};

/// Reads a YAML file from the folder of this test.
fn yaml(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pod(object: &Value) -> (Pod, String) {
    let observed: Observed<PodObject> = serde_json::from_str(&object.to_string()).expect("JSON");
    let mut notes = Notes::default();
    let pod = observed.object.expect("a readable pod").into_model(&PodParts::default(), &mut notes);
    (pod, notes.to_string())
}

fn node(object: &Value) -> (Node, String) {
    let observed: Observed<NodeObject> = serde_json::from_str(&object.to_string()).expect("JSON");
    let mut notes = Notes::default();
    let node = observed.object.expect("a readable node").into_model(&NodeParts::default(), &mut notes);
    (node, notes.to_string())
}

fn labels(entries: &[(&str, &str)]) -> Labels {
    entries.iter().copied().collect()
}

fn boxed(texts: &[&str]) -> Vec<Box<str>> {
    texts.iter().map(|text| (*text).into()).collect()
}

fn requirement(key: &str, operator: Operator, values: &[&str]) -> Requirement {
    Requirement { key: key.into(), operator, values: boxed(values) }
}

fn selector(requirements: Vec<Requirement>) -> Option<LabelSelector> {
    Some(LabelSelector { requirements })
}

#[test]
fn metadata_and_status_of_a_pod_are_read() {
    let (pod, notes) = pod(&yaml("pod.yaml"));
    let expected = Pod {
        key: PodKey { namespace: "shop".into(), name: "web-0".into(), uid: "0b7c4a1e".into() },
        labels: labels(&[("app", "web"), ("tier", "front")]).into(),
        annotations: labels(&[("note", "kept")]),
        owners: vec![Owner {
            api_version: "apps/v1".into(),
            kind: "StatefulSet".into(),
            name: "web".into(),
            uid: "11aa".into(),
            controller: true,
        }]
        .into(),
        deleting: true,
        preempted: false,
        created: 1_767_323_045,
        node_name: "n-1".into(),
        nominated_node_name: "n-2".into(),
        start_time: 1_767_323_046,
        finished: true,
        requests: pod.requests.clone(),
        spec: pod.spec.clone(),
        fields: NamedFields::default(),
    };
    assert_eq!(pod, expected);
    assert_eq!(
        notes,
        "spec.tolerations[].operator: \"Matches\" is unknown; it tolerates nothing; \
         operator: \"Resembles\" is unknown; its selector matches nothing"
    );
}

#[test]
fn a_preempted_pod_is_marked() {
    let target = |status, reason| json!({"type": "DisruptionTarget", "status": status, "reason": reason});
    let by_scheduler = || target("True", "PreemptionByScheduler");
    for (deleted, conditions, preempted) in [
        (true, vec![json!({"type": "Ready", "status": "True"}), by_scheduler()], true),
        (false, vec![by_scheduler()], false),
        (true, vec![target("False", "PreemptionByScheduler")], false),
        (true, vec![target("True", "EvictionByEvictionAPI")], false),
        (true, vec![], false),
    ] {
        let mut object = json!({"metadata": {"name": "p", "uid": "p"}, "status": {"conditions": conditions}});
        if deleted {
            object["metadata"]["deletionTimestamp"] = json!("2026-01-02T04:00:00Z");
        }
        assert_eq!(pod(&object).0.preempted, preempted, "{object}");
    }
}

#[test]
fn requests_of_a_pod_are_summed() {
    let (pod, _) = pod(&yaml("pod.yaml"));
    let gpus = vec![("nvidia.com/gpu".into(), 2)];
    let fit = Resources {
        milli_cpu: 1110,
        memory: (1 << 30) + (16 << 20),
        ephemeral_storage: 2000,
        pods: 0,
        scalars: gpus.clone(),
    };
    // During a resize, the largest of the desired, actual and allocated requests counts: cpu 2.
    let effective = Resources { milli_cpu: 2110, ..fit.clone() };
    assert_eq!((&pod.requests.fit, &pod.requests.effective), (&fit, &effective));
    assert_eq!((pod.requests.non_zero_milli_cpu, pod.requests.non_zero_memory), (2110, fit.memory));
    assert_eq!(pod.requests.named, boxed(&["cpu", "ephemeral-storage", "memory", "nvidia.com/gpu"]));
}

#[test]
fn the_spec_of_a_pod_is_read() {
    let (pod, _) = pod(&yaml("pod.yaml"));
    let PodSpec { affinity, anti_affinity, topology_spread, containers, host_ports, volumes, .. } = &*pod.spec;
    assert_eq!((&*pod.spec.scheduler_name, pod.spec.priority, pod.spec.preemption), ("berth", -7, Preemption::Never));
    assert!(pod.spec.host_network && pod.spec.user_namespace);
    assert_eq!(pod.spec.restart_actions, boxed(&["Restart", "RestartAllContainers"]));
    assert_eq!(pod.spec.scheduling_gates, boxed(&["example.com/wait"]));
    assert_eq!(pod.spec.node_selector, labels(&[("disk", "ssd"), ("zone", "a")]));
    assert_eq!(pod.spec.tolerations, tolerations());
    assert_eq!(pod.spec.required_node_affinity, Some(required_node_terms()));
    let preferred =
        NodeSelectorTerm { expressions: vec![requirement("zone", Operator::In, &["a", "b"])], fields: vec![] };
    assert_eq!(pod.spec.preferred_node_affinity, [PreferredNodeTerm { weight: 10, term: preferred }]);
    assert_eq!((affinity, anti_affinity), (&pod_affinity(), &pod_anti_affinity()));
    assert_eq!(*topology_spread, spread());
    assert_eq!(*containers, self::containers());
    let ports = [port("10.0.0.1", Protocol::Udp, 7002), port("0.0.0.0", Protocol::Sctp, 443)];
    assert_eq!(host_ports[..], ports, "an init container's ports are free when the others start");
    assert_eq!(*volumes, self::volumes());
    assert_eq!(pod.spec.resource_claims, claims());
}

fn tolerations() -> Vec<Toleration> {
    let toleration = |key: &str, operator, value: &str, effect| Toleration {
        key: key.into(),
        operator,
        value: value.into(),
        effect,
    };
    vec![
        toleration("dedicated", TolerationOperator::Exists, "", Some(Effect::NoSchedule)),
        toleration("level", TolerationOperator::Gt, "3", Some(Effect::NoExecute)),
        toleration("plain", TolerationOperator::Equal, "x", None),
    ]
}

fn required_node_terms() -> Vec<NodeSelectorTerm> {
    let first = NodeSelectorTerm {
        expressions: vec![requirement("gpu", Operator::Exists, &[]), requirement("cores", Operator::Gt, &["8"])],
        fields: vec![requirement("metadata.name", Operator::NotIn, &["n-9"])],
    };
    vec![first, NodeSelectorTerm::default()]
}

fn pod_affinity() -> PodAffinity {
    let in_order = vec![
        requirement("a", Operator::In, &["1"]),
        requirement("b", Operator::In, &["2"]),
        requirement("c", Operator::DoesNotExist, &[]),
    ];
    let own = PodAffinityTerm {
        selector: selector(in_order),
        namespaces: boxed(&["shop"]),
        namespace_selector: None,
        topology_key: "zone".into(),
        weight: 0,
    };
    let everywhere = PodAffinityTerm {
        selector: None,
        namespaces: vec![],
        namespace_selector: selector(vec![]),
        topology_key: "zone".into(),
        weight: 0,
    };
    PodAffinity { required: vec![own, everywhere], preferred: vec![] }
}

fn pod_anti_affinity() -> PodAffinity {
    let term = PodAffinityTerm {
        selector: selector(vec![]),
        namespaces: boxed(&["x", "z"]),
        namespace_selector: None,
        topology_key: "host".into(),
        weight: 50,
    };
    PodAffinity { required: vec![], preferred: vec![term] }
}

fn spread() -> Vec<SpreadConstraint> {
    vec![
        SpreadConstraint {
            max_skew: 2,
            topology_key: "zone".into(),
            required: true,
            selector: selector(vec![requirement("app", Operator::In, &["web"])]),
            min_domains: 3,
            honor_affinity: false,
            honor_taints: true,
            match_label_keys: boxed(&["pod-template-hash"]),
        },
        SpreadConstraint {
            max_skew: 1,
            topology_key: "host".into(),
            required: false,
            selector: None,
            min_domains: 1,
            honor_affinity: true,
            honor_taints: false,
            match_label_keys: vec![],
        },
    ]
}

fn port(ip: &str, protocol: Protocol, port: u16) -> HostPort {
    HostPort { ip: ip.into(), protocol, port }
}

fn containers() -> Vec<Container> {
    let container = |name: &str, kind, image: &str, requests, host_port| Container {
        name: name.into(),
        kind,
        image: image.into(),
        requests,
        limits: if name == "web" {
            Resources { milli_cpu: 9000, ..Resources::default() }
        } else {
            Resources::default()
        },
        host_ports: vec![host_port],
    };
    let cpu = |milli_cpu| Resources { milli_cpu, ..Resources::default() };
    let web = Resources {
        milli_cpu: 1000,
        memory: 1 << 30,
        ephemeral_storage: 2000,
        pods: 0,
        scalars: vec![("nvidia.com/gpu".into(), 2)],
    };
    let tcp = port("0.0.0.0", Protocol::Tcp, 7001);
    let udp = port("10.0.0.1", Protocol::Udp, 7002);
    let sctp = port("0.0.0.0", Protocol::Sctp, 443);
    vec![
        container("setup", ContainerKind::Init, "setup:1", cpu(50), tcp),
        container("proxy", ContainerKind::RestartableInit, "proxy:2", Resources { memory: 16 << 20, ..cpu(100) }, udp),
        container("web", ContainerKind::Main, "registry.example/web:3", web, sctp),
    ]
}

fn volumes() -> Vec<Volume> {
    let disk = |id: &str, read_only| Disk { id: id.into(), read_only, ..Disk::default() };
    let rbd = Disk { id: "img".into(), pool: "rbd".into(), monitors: boxed(&["m1", "m2"]), read_only: false };
    let azure = Disk { pool: "Managed".into(), ..disk("/subscriptions/s/disks/az-1", false) };
    [
        ("", VolumeSource::Other),
        ("data", VolumeSource::PersistentVolumeClaim("data-web-0".into(), true)),
        ("scratch", VolumeSource::Ephemeral("web-0-scratch".into(), "0b7c4a1e".into())),
        ("gce", VolumeSource::GcePersistentDisk(disk("pd-1", false))),
        ("aws", VolumeSource::AwsElasticBlockStore(disk("vol-1", true))),
        ("azure", VolumeSource::AzureDisk(azure)),
        ("cinder", VolumeSource::Cinder(disk("ci-1", false))),
        ("portworx", VolumeSource::PortworxVolume(disk("px-1", false))),
        ("iscsi", VolumeSource::Iscsi(disk("iqn-1", false))),
        ("rbd", VolumeSource::Rbd(rbd)),
        ("inline", VolumeSource::Csi("csi.example".into())),
        ("artifact", VolumeSource::Image("registry.example/model:1".into())),
    ]
    .map(|(name, source)| Volume { name: name.into(), source })
    .into()
}

fn claims() -> Vec<PodResourceClaim> {
    [("gpu", "web-0-gpu-abc", "gpu-template"), ("net", "net-1", ""), ("later", "", "later-template")]
        .map(|(name, claim, template)| PodResourceClaim {
            name: name.into(),
            claim: claim.into(),
            template: template.into(),
        })
        .into()
}

#[test]
fn a_node_is_read() {
    let (node, notes) = node(&yaml("node.yaml"));
    let taint = |key: &str, value: &str, effect| Taint { key: key.into(), value: value.into(), effect };
    let condition = |kind: &str, status| Condition { kind: kind.into(), status };
    let web =
        NodeImage { names: boxed(&["registry.example/web@sha256:1", "registry.example/web:3"]), size: 123_456_789 };
    let expected = Node {
        name: "n-1".into(),
        uid: "5d0e".into(),
        labels: labels(&[("arch", "amd64"), ("zone", "a")]),
        annotations: labels(&[("note", "kept")]),
        taints: vec![
            taint("gpu", "yes", Effect::NoSchedule),
            taint("gone", "", Effect::NoExecute),
            taint("soft", "", Effect::PreferNoSchedule),
        ],
        unschedulable: true,
        allocatable: Resources {
            milli_cpu: 3900,
            memory: 7 << 30,
            ephemeral_storage: 10_000_000_000,
            pods: 110,
            scalars: vec![("hugepages-2Mi".into(), 8 << 20), ("nvidia.com/gpu".into(), 4)],
        },
        capacity: Resources { milli_cpu: 9000, ..Resources::default() },
        info: Arc::new(NodeSystemInfo {
            architecture: "amd64".into(),
            operating_system: "linux".into(),
            os_image: "Debian GNU/Linux 13 (trixie)".into(),
            kernel_version: "6.12.48".into(),
            kubelet_version: "v1.36.3".into(),
            container_runtime_version: "containerd://2.1.4".into(),
        }),
        images: vec![web, NodeImage { names: vec![], size: 1 }],
        conditions: vec![
            condition("Ready", ConditionStatus::True),
            condition("MemoryPressure", ConditionStatus::False),
            condition("Network", ConditionStatus::Unknown),
        ],
        declared_features: boxed(&["SidecarResize"]),
        fields: NamedFields::default(),
    };
    assert_eq!(node, expected);
    assert_eq!(notes, "spec.taints[].effect: \"NoMonday\" is unknown; the taint is left out");
}

#[test]
fn absent_and_null_fields_have_the_default_of_the_api() {
    let (bare, notes) = pod(&json!({"metadata": {"name": "p", "namespace": "d", "uid": "u"}}));
    let spec = PodSpec { scheduler_name: "default-scheduler".into(), ..PodSpec::default() };
    let key = PodKey { namespace: "d".into(), name: "p".into(), uid: "u".into() };
    let expected = Pod { key, spec: spec.into(), requests: bare.requests.clone(), ..Pod::default() };
    assert_eq!((&bare, notes.as_str()), (&expected, ""));
    let nulls = json!({
        "metadata": {"name": "p", "namespace": "d", "uid": "u", "labels": null, "deletionTimestamp": null,
                     "creationTimestamp": null, "ownerReferences": null},
        "spec": {"containers": null, "affinity": null, "nodeSelector": null, "tolerations": null, "priority": null,
                 "volumes": null, "overhead": null, "resources": null, "hostNetwork": null},
        "status": null,
    });
    assert_eq!(pod(&nulls).0, expected);
    let empty_terms = json!({"metadata": {}, "spec": {"affinity": {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": null}}}}});
    assert_eq!(pod(&empty_terms).0.spec.required_node_affinity, Some(vec![]), "no term differs from no affinity");
    assert_eq!(node(&json!({"metadata": {"name": "n"}})).0, Node { name: "n".into(), ..Node::default() });
}

#[test]
fn an_infeasible_resize_and_pod_level_resources_are_read() {
    let (pod, _) = pod(&json!({
        "metadata": {"name": "p"},
        "spec": {
            "resources": {"requests": {"cpu": "4"}},
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Mi"}}}],
        },
        "status": {
            "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
            "resources": {"requests": {"cpu": "2"}}, "allocatedResources": {"cpu": "3"},
        },
    }));
    assert_eq!((pod.requests.fit.milli_cpu, pod.requests.effective.milli_cpu), (4000, 3000));
    assert_eq!(pod.requests.fit.memory, 1 << 20);
}

#[test]
fn an_invalid_quantity_counts_as_absent_and_is_reported() {
    let (node, notes) = node(&json!({
        "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "many", "memory": 4096, "pods": 1.5}},
    }));
    assert_eq!((node.allocatable.milli_cpu, node.allocatable.memory, node.allocatable.pods), (0, 4096, 2));
    assert!(notes.starts_with("status.allocatable[cpu]: \"many\" is not a quantity"), "{notes}");
    let container = |n: i32| json!({"name": format!("c{n}"), "resources": {"requests": {"cpu": "?"}}});
    let containers: Vec<Value> = (0..20).map(container).collect();
    let (pod, notes) = pod(&json!({"metadata": {"name": "p"}, "spec": {"containers": containers}}));
    assert_eq!(pod.requests.fit.milli_cpu, 0);
    assert!(notes.ends_with("; and 12 more"), "{notes}");
}

#[test]
fn an_unreadable_object_reports_its_name_and_the_field() {
    let text = json!({
        "metadata": {"name": "p", "namespace": "d", "uid": "u", "resourceVersion": "5", "managedFields": [{}]},
        "spec": {"containers": [{"name": "c", "ports": [{"hostPort": "eighty"}]}]},
    });
    let observed: Observed<PodObject> = serde_json::from_str(&text.to_string()).expect("JSON");
    assert_eq!((observed.namespace(), observed.name(), observed.uid()), ("d", "p", "u"));
    let error = observed.object.expect_err("no port").to_string();
    assert!(error.starts_with("spec.containers[0].ports[0].hostPort: invalid type: string \"eighty\""), "{error}");
}

#[test]
fn pods_of_one_template_share_equal_values() {
    let parts = PodParts::default();
    let mut object = yaml("pod.yaml");
    object["spec"]["volumes"] = json!([{"name": "kube-api-access-aaaaa", "projected": {}}]);
    let model = |object: &Value| {
        let observed: Observed<PodObject> = serde_json::from_str(&object.to_string()).expect("JSON");
        observed.object.expect("readable").into_model(&parts, &mut Notes::default())
    };
    let one = model(&object);
    object["metadata"]["name"] = "web-1".into();
    object["spec"]["nodeName"] = "n-7".into();
    object["spec"]["volumes"][0]["name"] = "kube-api-access-bbbbb".into();
    let other = model(&object);
    assert!(Arc::ptr_eq(&one.spec, &other.spec) && Arc::ptr_eq(&one.requests, &other.requests));
    assert!(Arc::ptr_eq(&one.labels, &other.labels) && Arc::ptr_eq(&one.owners, &other.owners));
}
