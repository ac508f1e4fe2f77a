//! Nodes, pods and objects that are all different, for tests of the memory that the core and the components keep.

use fastrand::Rng;
use serde_json::{Value, json};

/// The namespace of the pods and objects.
pub const NAMESPACE: &str = "churn";

const ZONE: &str = "topology.kubernetes.io/zone";
const HOSTNAME: &str = "kubernetes.io/hostname";

/// The number of racks and zones.
const RACKS: usize = 61;
const ZONES: usize = 5;

/// The number of device resources.
const DEVICES: usize = 31;

/// Returns a node. Resources, hostname, label `serial` and image depend on `number`. Zone, rack, taints, and whether
/// the node is cordoned are drawn.
#[must_use]
pub fn node(number: usize, chance: &mut Rng) -> Value {
    let name = format!("node-{number}");
    let mut resources = json!({
        "cpu": format!("{}m", 8_000 + number % 977), "memory": format!("{}Ki", (32 << 20) + number), "pods": "110",
    });
    resources[format!("example.com/device-{}", number % DEVICES)] = json!("4");
    let mut taints = Vec::new();
    if chance.u8(..4) == 0 {
        taints.push(json!({"key": format!("team-{}", number % 13), "effect": "PreferNoSchedule"}));
    }
    if chance.u8(..16) == 0 {
        taints.push(json!({"key": "reserved", "value": format!("{}", number % 3), "effect": "NoSchedule"}));
    }
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "labels": {
            HOSTNAME: name, ZONE: format!("zone-{}", chance.usize(..ZONES)),
            "rack": format!("rack-{}", chance.usize(..RACKS)), "serial": number.to_string(),
        }},
        "spec": {"taints": taints, "unschedulable": chance.u8(..32) == 0},
        "status": {
            "capacity": resources, "allocatable": resources, "conditions": [{"type": "Ready", "status": "True"}],
            "images": [{"names": [image(number)], "sizeBytes": 1_000_000 + number}],
        },
    })
}

/// Returns an app's Service and ReplicaSet, which topology spread reads, and its claim with a volume in one zone.
#[must_use]
pub fn objects(app: usize, chance: &mut Rng) -> [Value; 4] {
    let name = app_name(app);
    let metadata = json!({"name": name, "namespace": NAMESPACE, "uid": format!("uid-{name}-{}", chance.u32(..))});
    let labels = json!({"app": name});
    let claim_uid = format!("uid-claim-{app}");
    let in_zone = json!({"matchExpressions": [
        {"key": ZONE, "operator": "In", "values": [format!("zone-{}", chance.usize(..ZONES))]}]});
    [
        json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": labels}}),
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata,
               "spec": {"selector": {"matchLabels": labels}}}),
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
               "metadata": {"name": name, "namespace": NAMESPACE, "uid": claim_uid,
                            "annotations": {"pv.kubernetes.io/bind-completed": "true"}},
               "spec": {"accessModes": ["ReadWriteMany"], "volumeName": name, "storageClassName": "",
                        "resources": {"requests": {"storage": "1Gi"}}},
               "status": {"phase": "Bound"}}),
        json!({"apiVersion": "v1", "kind": "PersistentVolume",
               "metadata": {"name": name, "uid": format!("uid-volume-{app}")},
               "spec": {"accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"},
                        "nodeAffinity": {"required": {"nodeSelectorTerms": [in_zone]}},
                        "csi": {"driver": "example.com", "volumeHandle": name},
                        "claimRef": {"namespace": NAMESPACE, "name": name, "uid": claim_uid}},
               "status": {"phase": "Bound"}}),
    ]
}

/// Returns a pod of an app. Pods of one app and seed are equal except for their names and uids.
#[must_use]
pub fn pod(number: usize, app: usize, seed: u64) -> Value {
    let mut chance = Rng::with_seed(seed ^ app as u64);
    let name = app_name(app);
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("pod-{number}"), "namespace": NAMESPACE, "uid": format!("uid-pod-{number}"),
                     "labels": {"app": name, "serial": app.to_string()}},
        "spec": {
            "schedulerName": "default-scheduler", "priority": if chance.u8(..8) == 0 { 1_000 } else { 0 },
            "containers": [{"name": "c", "image": image(app),
                "resources": {"requests": {"cpu": format!("{}m", 10 + app % 353), "memory": format!("{}Ki", 1_000 + app)}}}],
        },
        "status": {"phase": "Pending"},
    });
    demand(&mut pod["spec"], app, &mut chance);
    pod
}

/// Adds one constraint, drawn at random, to the pod.
fn demand(spec: &mut Value, app: usize, chance: &mut Rng) {
    let selector = json!({"matchLabels": {"app": app_name(app)}});
    let of_this = |topology: &str| json!({"labelSelector": selector, "topologyKey": topology});
    let spread = |topology: &str, unsatisfiable: &str| json!([{"maxSkew": 1, "topologyKey": topology, "whenUnsatisfiable": unsatisfiable, "labelSelector": selector}]);
    let weighted = |weight: u8, term: Value| json!({"weight": weight, "podAffinityTerm": term});
    let on_racks = |rack: usize| {
        json!({"matchExpressions": [{"key": "rack", "operator": "In",
         "values": [format!("rack-{rack}"), format!("rack-{}", rack + 1)]}]})
    };
    let rack = chance.usize(..RACKS);
    let serial = chance.u16(..5_000).to_string();
    match chance.u8(..15) {
        0 => spec["nodeSelector"] = json!({"rack": format!("rack-{rack}")}),
        1 => spec["topologySpreadConstraints"] = spread(ZONE, "DoNotSchedule"),
        2 => spec["topologySpreadConstraints"] = spread("rack", "ScheduleAnyway"),
        3 => {
            spec["affinity"] = json!({"podAntiAffinity": {
                 "requiredDuringSchedulingIgnoredDuringExecution": [of_this(HOSTNAME)]}})
        }
        4 => {
            spec["affinity"] = json!({"podAffinity": {
                 "requiredDuringSchedulingIgnoredDuringExecution": [of_this("rack")]}})
        }
        5 => {
            spec["affinity"] = json!({
                "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted(60, of_this(ZONE))]},
                "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted(40, of_this("rack"))]}})
        }
        6 => {
            let mut of_any = of_this(ZONE);
            of_any["namespaceSelector"] = json!({"matchLabels": {"team": "a"}});
            spec["affinity"] = json!({"podAntiAffinity": {
                 "preferredDuringSchedulingIgnoredDuringExecution": [weighted(10, of_any)]}})
        }
        7 => spec["tolerations"] = json!([{"key": "reserved", "operator": "Equal", "value": "1"}]),
        8 => spec["tolerations"] = json!([{"key": format!("team-{}", app % 13), "operator": "Exists"}]),
        9 => spec["containers"][0]["ports"] = json!([{"containerPort": 80, "hostPort": 1_024 + app % 60_000}]),
        10 => {
            spec["affinity"] = json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 7, "preference": on_racks(rack)},
                {"weight": 3, "preference": {"matchExpressions": [{"key": "serial", "operator": "Gt", "values": [serial]}]}}]}})
        }
        11 => {
            spec["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [on_racks(rack),
                    {"matchExpressions": [{"key": "serial", "operator": "Lt", "values": [serial]}]}]}}})
        }
        12 => {
            let device = format!("example.com/device-{}", app % DEVICES);
            spec["containers"][0]["resources"]["requests"][&device] = json!("1");
            spec["containers"][0]["resources"]["limits"] = json!({device: "1"});
        }
        13 => {
            spec["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": app_name(app)}}]);
        }
        _ => {}
    }
}

/// Returns the pods' namespace. Its label changes which pods a namespace selector matches.
#[must_use]
pub fn namespace(team: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace",
           "metadata": {"name": NAMESPACE, "uid": "uid-namespace", "labels": {"team": team}}})
}

fn app_name(app: usize) -> String {
    format!("app-{app}")
}

fn image(number: usize) -> String {
    format!("registry.example/image-{number}:1")
}
