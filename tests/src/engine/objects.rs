//! Objects as an API server has them, equal to those of the load generator (`tests/controlplane/cmd/loadgen`).

use serde_json::{Value, json};

/// The image that every node has.
const PAUSE: &str = "registry.k8s.io/pause:3.10.2";

/// The number of different images besides [`PAUSE`].
const IMAGES: usize = 50;

/// The namespaces of the pods to schedule, and of the pods that are already running.
pub const NAMESPACES: [&str; 2] = ["load", "load-before"];

/// The CSI driver of the pods' volumes.
const DRIVER: &str = "ebs.csi.aws.com";

pub fn node_name(i: usize) -> String {
    format!("node-{i}")
}

fn app(template: usize) -> String {
    format!("app-{template}")
}

fn image(template: usize) -> String {
    if template == 0 { PAUSE.to_owned() } else { format!("registry.example/app-{}:1.0", template % IMAGES) }
}

/// Returns a node in one of this many zones.
pub fn node(i: usize, zones: usize) -> Value {
    let name = node_name(i);
    let resources = json!({"cpu": "4", "memory": "32Gi", "pods": "110", "ephemeral-storage": "200Gi"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
            "node.kubernetes.io/instance-type": (["m5.xlarge", "c5.xlarge", "r5.xlarge", "m6.xlarge"][i % 4]),
            "topology.kubernetes.io/region": "region-1", "topology.kubernetes.io/zone": format!("zone-{}", i % zones),
            "node.example/pool": format!("pool-{}", i % 20), "node.example/rack": format!("rack-{}", i / 40),
            "node.example/lifecycle": "on-demand", "node.example/os-release": "12.4",
        }},
        "spec": {},
        "status": {
            "capacity": resources, "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True"}],
            "images": [
                {"names": [PAUSE], "sizeBytes": 700_000},
                {"names": ["registry.k8s.io/kube-proxy:v1.36.3"], "sizeBytes": 90_000_000},
                {"names": [format!("registry.example/app-{}:1.0", i % IMAGES)], "sizeBytes": 300_000_000},
            ],
        },
    })
}

/// Returns a pod as it is after admission: the name of its token volume is unique.
pub fn pod(namespace: &str, name: &str, template: usize) -> Value {
    let token = format!("kube-api-access-{name}");
    let resources = json!({"cpu": format!("{}m", 100 + template), "memory": "500Mi"});
    let toleration =
        |key: &str| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": format!("uid-{namespace}-{name}"),
                     "labels": {"app": app(template)}},
        "spec": {
            "schedulerName": "default-scheduler", "serviceAccountName": "default", "priority": 0,
            "tolerations": [toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")],
            "volumes": [{"name": token, "projected": {"sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            ]}}],
            "containers": [{
                "name": "c", "image": image(template), "ports": [{"containerPort": 80, "protocol": "TCP"}],
                "resources": {"requests": resources, "limits": resources},
                "volumeMounts": [{"name": token, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
            }],
        },
        "status": {"phase": "Pending"},
    })
}

/// Makes the pod a member of its template's ReplicaSet.
pub fn own(pod: &mut Value, template: usize) {
    let name = app(template);
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": format!("uid-{name}"), "controller": true,
    }]);
}

/// Returns a template's Service and ReplicaSet.
pub fn owners(template: usize) -> [Value; 2] {
    let name = app(template);
    let metadata = json!({"name": name, "namespace": NAMESPACES[0], "uid": format!("uid-{name}")});
    let labels = json!({"app": name});
    [
        json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": labels}}),
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata,
               "spec": {"selector": {"matchLabels": labels}}}),
    ]
}

/// Makes the pod use a claim of its own. Returns the claim and the volume that it is bound to.
pub fn volume(pod: &mut Value) -> [Value; 2] {
    let text = |field: &str| pod["metadata"][field].as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (text("namespace"), text("name"));
    let volume = format!("{namespace}-{name}");
    if let Some(volumes) = pod["spec"]["volumes"].as_array_mut() {
        volumes.push(json!({"name": "data", "persistentVolumeClaim": {"claimName": name}}));
    }
    let claim_uid = format!("uid-claim-{volume}");
    [
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"name": name, "namespace": namespace, "uid": claim_uid,
                            "annotations": {"pv.kubernetes.io/bind-completed": "true"}},
               "spec": {"accessModes": ["ReadOnlyMany"], "volumeName": volume, "storageClassName": "",
                        "resources": {"requests": {"storage": "1Gi"}}},
               "status": {"phase": "Bound"}}),
        json!({"apiVersion": "v1", "kind": "PersistentVolume",
               "metadata": {"name": volume, "uid": format!("uid-{volume}")},
               "spec": {"accessModes": ["ReadOnlyMany"], "capacity": {"storage": "1Gi"},
                        "csi": {"driver": DRIVER, "volumeHandle": volume},
                        "claimRef": {"namespace": namespace, "name": name, "uid": claim_uid}},
               "status": {"phase": "Bound"}}),
    ]
}

/// Returns the CSINode of a node, which limits the number of its volumes.
pub fn csi_node(i: usize) -> Value {
    let name = node_name(i);
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name, "uid": format!("uid-csi-{name}")},
           "spec": {"drivers": [{"name": DRIVER, "nodeID": name, "allocatable": {"count": 39}}]}})
}
