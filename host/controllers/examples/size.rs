//! Measures the memory of the in-memory API server with the controllers, for a large cluster that is at rest.
//!
//! `cargo run -p berth-controllers --example size -- NODES PODS` prints the resident memory of the process after each
//! step. The default is 10,000 nodes and 100,000 bound, running pods. Linux only, because it reads `/proc/self/status`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a tool for contributors")]
#![allow(clippy::disallowed_methods, reason = "the measured times are real times")]

use std::time::{Duration, Instant};

use berth_controllers::{KubeStore, Options};
use berth_sim::{Options as ServerOptions, Server};
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

/// The number of pods of one ReplicaSet.
const REPLICAS: usize = 200;

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let (nodes, pods) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(100_000));
    report("start", Instant::now());
    let server = Server::start(ServerOptions::default()).await.expect("a server");
    let begin = Instant::now();
    for number in 0..nodes {
        put(&server, "", "nodes", node(number));
    }
    report("nodes stored", begin);
    let begin = Instant::now();
    for number in 0..pods.div_ceil(REPLICAS) {
        put(&server, "apps", "replicasets", replica_set(number, REPLICAS.min(pods - number * REPLICAS)));
    }
    for number in 0..pods {
        put(&server, "", "pods", pod(number, nodes));
    }
    report("pods stored", begin);
    let config = Kubeconfig::from_yaml(&server.kubeconfig()).expect("a kubeconfig");
    let config = kube::Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await.expect("a config");
    let store = KubeStore::new(kube::Client::try_from(config).expect("a client"));
    let begin = Instant::now();
    let options = Options { lease_rate: 10_000, ..Options::default() };
    let _controllers = tokio::spawn(berth_controllers::run(store, options, std::future::pending::<()>()));
    at_rest(&server, nodes).await;
    report("controllers at rest", begin);
}

/// Waits until every node has a Lease, and nothing but Leases changes for three seconds.
async fn at_rest(server: &Server, nodes: usize) {
    let find = |group, plural| server.store().registry.find(group, "v1", plural).expect("a kind");
    let (pods, sets) = (find("", "pods"), find("apps", "replicasets"));
    let leases = find("coordination.k8s.io", "leases");
    let mut seen = (0, 0);
    let mut since = Instant::now();
    while leases.objects.len() < nodes || since.elapsed() < Duration::from_secs(3) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let newest = |objects: &berth_sim::store::Collection| *objects.subscribe().borrow();
        let now = (newest(&pods.objects), newest(&sets.objects));
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
    }
}

fn put(server: &Server, group: &str, plural: &str, object: Value) {
    let resource = server.store().registry.find(group, "v1", plural).expect("a kind");
    resource.objects.create(resource.draft(object)).expect("a new object");
}

fn report(step: &str, begin: Instant) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned();
    println!("{step}: resident {}, peak {}, after {:.1?}", of("VmRSS:"), of("VmHWM:"), begin.elapsed());
}

fn uid(kind: u8, number: usize) -> String {
    format!("{kind:08x}-0000-4000-8000-{number:012x}")
}

fn node(number: usize) -> Value {
    let name = format!("node-{number:05}.example.com");
    let time = "2026-01-02T03:04:05Z";
    let condition = |type_: &str, status: &str, reason: &str| {
        json!({ "type": type_, "status": status, "reason": reason, "message": "kubelet is fine",
            "lastHeartbeatTime": time, "lastTransitionTime": time })
    };
    let image = |image: usize| {
        let digest = format!("registry.example.com/team/image-{image}@sha256:{image:064x}");
        json!({ "names": [digest, format!("registry.example.com/team/image-{image}:v1.2.3")], "sizeBytes": 123_456_789 })
    };
    let amounts = json!({ "cpu": "64", "memory": "263900432Ki", "pods": "250", "ephemeral-storage": "1048320Mi", "hugepages-2Mi": "0" });
    json!({
        "metadata": {
            "name": name, "uid": uid(1, number), "creationTimestamp": time,
            "labels": {
                "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
                "node.kubernetes.io/instance-type": "m.large", "topology.kubernetes.io/region": "r1",
                "topology.kubernetes.io/zone": format!("r1-{}", number % 3),
            },
        },
        "spec": { "podCIDR": format!("10.{}.{}.0/24", number / 256, number % 256), "providerID": format!("cloud:///{number}") },
        "status": {
            "capacity": amounts, "allocatable": amounts,
            "addresses": [
                { "type": "InternalIP", "address": format!("192.{}.{}.1", number / 256, number % 256) },
                { "type": "Hostname", "address": name },
            ],
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID"),
                condition("Ready", "True", "KubeletReady"),
            ],
            "images": (0..10).map(|offset| image((number + offset) % 500)).collect::<Vec<_>>(),
            "nodeInfo": {
                "architecture": "amd64", "bootID": uid(2, number), "containerRuntimeVersion": "containerd://2.1.0",
                "kernelVersion": "6.12.0", "kubeProxyVersion": "v1.36.3", "kubeletVersion": "v1.36.3",
                "machineID": uid(3, number), "operatingSystem": "linux", "osImage": "Linux", "systemUUID": uid(4, number),
            },
        },
    })
}

fn labels(set: usize) -> Value {
    json!({ "app.kubernetes.io/name": format!("service-{set}"), "app.kubernetes.io/part-of": "shop",
        "team": format!("team-{}", set % 20), "pod-template-hash": format!("5d4f{set:06}") })
}

fn spec(set: usize) -> Value {
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/team/{name}-{set}:v1.2.3"), "imagePullPolicy": "IfNotPresent",
            "env": [
                { "name": "LOG_LEVEL", "value": "info" }, { "name": "REGION", "value": "r1" },
                { "name": "POD_IP", "valueFrom": { "fieldRef": { "apiVersion": "v1", "fieldPath": "status.podIP" } } },
            ],
            "ports": [{ "containerPort": 8080, "name": "http", "protocol": "TCP" }],
            "resources": { "requests": { "cpu": "250m", "memory": "512Mi" }, "limits": { "memory": "1Gi" } },
            "readinessProbe": {
                "httpGet": { "path": "/ready", "port": 8080, "scheme": "HTTP" }, "failureThreshold": 3,
                "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1,
            },
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": [{ "name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true }],
        })
    };
    let tolerates = |key: &str| json!({ "key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300 });
    json!({
        "containers": [container("server"), container("agent")], "dnsPolicy": "ClusterFirst", "enableServiceLinks": true,
        "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "restartPolicy": "Always",
        "schedulerName": "default-scheduler", "securityContext": {}, "serviceAccount": "default",
        "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
        "tolerations": [tolerates("not-ready"), tolerates("unreachable")],
        "topologySpreadConstraints": [{ "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": { "matchLabels": { "app.kubernetes.io/name": format!("service-{set}") } } }],
        "volumes": [{ "name": "token", "projected": { "defaultMode": 420, "sources": [
            { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
            { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
        ] } }],
    })
}

fn replica_set(number: usize, replicas: usize) -> Value {
    let name = format!("service-{number}-5d4f{number:06}");
    json!({
        "metadata": { "namespace": "default", "name": name, "uid": uid(5, number), "generation": 1, "labels": labels(number),
            "creationTimestamp": "2026-01-02T03:04:05Z" },
        "spec": { "replicas": replicas, "selector": { "matchLabels": labels(number) },
            "template": { "metadata": { "labels": labels(number) }, "spec": spec(number) } },
        "status": { "replicas": replicas, "fullyLabeledReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas, "observedGeneration": 1 },
    })
}

fn pod(number: usize, nodes: usize) -> Value {
    let set = number / REPLICAS;
    let owner = format!("service-{set}-5d4f{set:06}");
    let node = number % nodes;
    let time = format!("2026-01-02T03:{:02}:{:02}Z", number / 60 % 60, number % 60);
    let mut spec = spec(set);
    spec["nodeName"] = json!(format!("node-{node:05}.example.com"));
    let types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    let condition =
        |type_: &str| json!({ "type": type_, "status": "True", "lastProbeTime": null, "lastTransitionTime": time });
    let container = |name: &str| {
        let image = format!("registry.example.com/team/{name}-{set}:v1.2.3");
        json!({ "name": name, "image": image, "imageID": format!("registry.example.com/team/{name}-{set}@sha256:{set:064x}"),
            "containerID": format!("containerd://{number:064x}"), "restartCount": 0, "ready": true, "started": true,
            "state": { "running": { "startedAt": time } }, "lastState": {} })
    };
    let address = format!("10.{}.{}.{}", 64 + number / 65_536, number / 256 % 256, number % 256);
    let host = format!("192.{}.{}.1", node / 256, node % 256);
    json!({
        "metadata": {
            "namespace": "default", "name": format!("{owner}-{number:05}"), "generateName": format!("{owner}-"),
            "uid": uid(6, number), "creationTimestamp": time, "generation": 1, "labels": labels(set),
            "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": uid(5, set),
                "controller": true, "blockOwnerDeletion": true }],
        },
        "spec": spec,
        "status": {
            "phase": "Running", "qosClass": "Burstable", "observedGeneration": 1, "startTime": time, "podIP": address,
            "podIPs": [{ "ip": address }], "hostIP": host, "hostIPs": [{ "ip": host }],
            "conditions": types.map(condition),
            "containerStatuses": [container("server"), container("agent")],
        },
    })
}
