//! Priorities: each priority is tested with five nodes and a pod that can only go to these nodes. The priority must
//! prefer one of the nodes.

use anyhow::{Result, ensure};
use berth_tests::objects::{NAMESPACE, node, pod, service, with};
use serde_json::{Value, json};

use super::{Scene, labels, resident};

/// The number of nodes beside the preferred node, so that the preferred node is seldom chosen by chance.
const OTHERS: usize = 4;

/// The differences between the preferred node, which is called right, and the other nodes, which are called wrong.
struct Row {
    name: &'static str,
    right: Value,
    wrong: Value,
    /// The change of the pod that is already on the preferred node.
    on_right: Value,
    on_wrong: Value,
    pod: Value,
}

fn row(name: &'static str) -> Row {
    let none = || json!({});
    Row { name, right: none(), wrong: none(), on_right: none(), on_wrong: none(), pod: none() }
}

fn app(name: &str) -> Value {
    labels(&json!({"app": name}))
}

/// Returns a pod's spec with these requests.
fn requests(cpu: &str, memory: &str) -> Value {
    let requests = json!({"requests": {"cpu": cpu, "memory": memory}});
    json!({"spec": {"containers": [{"name": "main", "image": "a", "resources": requests}]}})
}

fn pod_affinity_term(app: &str) -> Value {
    json!({"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"})
}

/// Returns the rows for every-priority.json, a Policy with all priorities that can be combined.
fn combinable_rows() -> Vec<Row> {
    let node_affinity =
        json!([{"weight": 1, "preference": {"matchExpressions": [{"key": "fast", "operator": "Exists"}]}}]);
    let pod_affinity = json!([{"weight": 1, "podAffinityTerm": pod_affinity_term("friend")}]);
    let spread = json!([{
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": "even"}},
    }]);
    // `controller` must be set: kube-apiserver drops the connection of a request whose annotation lacks it.
    let controller = json!({"kind": "ReplicaSet", "uid": "set-uid", "controller": true});
    let avoid = json!({"preferAvoidPods": [{"podSignature": {"podController": controller}}]});
    let avoid =
        json!({"metadata": {"annotations": {"scheduler.alpha.kubernetes.io/preferAvoidPods": avoid.to_string()}}});
    let owner =
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set", "uid": "set-uid", "controller": true});
    let image = json!({"status": {"images": [{"names": ["registry.example/huge:1"], "sizeBytes": 6_000_000_000_u64}]}});
    let huge = json!({"spec": {"containers": [{"name": "main", "image": "registry.example/huge:1", "resources": {"requests": {"cpu": "1m"}}}]}});
    let hard =
        json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [pod_affinity_term("required")]}});
    vec![
        Row { on_wrong: requests("2", "8Gi"), ..row("least") },
        Row {
            on_right: requests("1m", "4Gi"),
            on_wrong: requests("1", "1Mi"),
            pod: requests("1", "64Mi"),
            ..row("balanced")
        },
        Row { on_right: app("other"), on_wrong: app("selector"), pod: app("selector"), ..row("selector") },
        Row {
            right: labels(&json!({"rack": "2"})),
            wrong: labels(&json!({"rack": "1"})),
            pod: app("apart"),
            ..row("apart")
        },
        Row {
            on_right: app("friend"),
            on_wrong: app("stranger"),
            pod: json!({"spec": {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": pod_affinity}}}}),
            ..row("friend")
        },
        Row { on_right: json!({"spec": {"affinity": hard}}), pod: app("required"), ..row("required") },
        Row {
            right: labels(&json!({"fast": ""})),
            pod: json!({"spec": {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": node_affinity}}}}),
            ..row("affinity")
        },
        Row { wrong: json!({"spec": {"taints": [{"key": "slow", "effect": "PreferNoSchedule"}]}}), ..row("taints") },
        Row { right: image, pod: huge, ..row("image") },
        Row { wrong: avoid, pod: json!({"metadata": {"ownerReferences": [owner]}}), ..row("avoid") },
        Row {
            on_right: app("other"),
            on_wrong: app("even"),
            pod: with(app("even"), &json!({"spec": {"topologySpreadConstraints": spread}})),
            ..row("even")
        },
        Row { right: labels(&json!({"preferred": ""})), ..row("present") },
        Row { wrong: labels(&json!({"avoided": ""})), ..row("absent") },
    ]
}

/// Returns the rows for other-priorities.json, a Policy with priorities that can't be combined with the others.
fn exclusive_rows() -> Vec<Row> {
    vec![
        Row { on_right: requests("2", "8Gi"), ..row("most") },
        Row { on_right: app("other"), on_wrong: app("services"), pod: app("services"), ..row("services") },
    ]
}

/// Returns the row for ratio.yaml, a Policy whose own scoring shape prefers medium utilization.
fn ratio_rows() -> Vec<Row> {
    vec![Row { on_right: requests("2", "1Mi"), on_wrong: requests("3500m", "1Mi"), ..row("ratio") }]
}

fn services() -> Vec<Value> {
    ["selector", "apart", "services"].map(service).to_vec()
}

pub async fn each_prefers_a_node(scene: &Scene<'_>) -> Result<()> {
    scene.create(services()).await?;
    for (policy, rows) in [
        ("every-priority.json", combinable_rows()),
        ("other-priorities.json", exclusive_rows()),
        ("ratio.yaml", ratio_rows()),
    ] {
        for row in &rows {
            create(scene, row).await?;
        }
        let mut scheduler = scene.scheduler(policy)?;
        let mut wrong = Vec::new();
        for row in &rows {
            let node = scene.journal.until_pod_placed(row.name).await?;
            if node != preferred_node(row) {
                wrong.push(format!("pod {} should be on {}, but is on {node}", row.name, preferred_node(row)));
            }
        }
        scheduler.stop().await?;
        ensure!(wrong.is_empty(), "{policy}: {}", wrong.join("\n"));
    }
    scene.delete(&services()).await?;
    scene.journal.check()
}

fn preferred_node(row: &Row) -> String {
    format!("{}-right", row.name)
}

/// Creates the nodes, a pod on each node, and the pod to schedule, which selects the nodes by a label.
async fn create(scene: &Scene<'_>, row: &Row) -> Result<()> {
    let Row { name, .. } = row;
    let one = |node_name: &str, change: &Value| with(with(node(node_name, 4), &labels(&json!({"row": name}))), change);
    let wrong: Vec<String> = (0..OTHERS).map(|n| format!("{name}-wrong-{n}")).collect();
    let mut objects = vec![one(&preferred_node(row), &row.right)];
    objects.extend(wrong.iter().map(|node| one(node, &row.wrong)));
    scene.create(objects).await?;
    let mut residents = vec![resident(&format!("on-{}", preferred_node(row)), &preferred_node(row), &row.on_right)];
    residents.extend(wrong.iter().map(|node| resident(&format!("on-{node}"), node, &row.on_wrong)));
    if *name == "apart" {
        // This pod is the first pod of the Service. Without the priority, three of the wrong nodes are as good as the
        // preferred node.
        residents.push(resident("apart-first", "apart-wrong-0", &app("apart")));
    }
    scene.create(residents).await?;
    let selected = json!({"metadata": {"namespace": NAMESPACE}, "spec": {"nodeSelector": {"row": name}}});
    scene.create(vec![with(with(pod(name, "10m"), &selected), &row.pod)]).await
}
