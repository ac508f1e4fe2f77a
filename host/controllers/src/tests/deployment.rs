//! Tests the rollout, scaling, pause and clean-up of Deployments.

use serde_json::{Value, json};

use super::super::cluster::Cluster;
use super::super::deployment;
use super::super::kinds::Kind;
use super::super::write::Plan;
use super::{ago, cluster, created, heads, key, lines, now, owned_by, pod, status, with};

fn template(image: &str) -> Value {
    json!({ "metadata": { "labels": { "app": "a" } }, "spec": { "containers": [{ "name": "main", "image": image }] } })
}

fn deployment(replicas: i32, more: Value) -> Value {
    let deployment = json!({
        "kind": "Deployment",
        "metadata": { "namespace": "default", "name": "d", "annotations": { "deployment.kubernetes.io/revision": "2" } },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": "a" } },
            "template": template("new"),
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
        },
    });
    with(deployment, more)
}

/// Returns a ReplicaSet of the Deployment, with this image, revision, replicas, available replicas, and the
/// Deployment's replicas when the ReplicaSet was last scaled (`desired`).
fn set(image: &str, revision: i32, replicas: i32, available: i32, desired: i32) -> Value {
    let mut template = template(image);
    template["metadata"]["labels"]["pod-template-hash"] = json!(image);
    json!({
        "kind": "ReplicaSet",
        "metadata": {
            "namespace": "default",
            "name": format!("d-{image}"),
            "creationTimestamp": ago(1000 - i64::from(revision)),
            "labels": { "app": "a", "pod-template-hash": image },
            "annotations": {
                "deployment.kubernetes.io/revision": revision.to_string(),
                "deployment.kubernetes.io/desired-replicas": desired.to_string(),
                "deployment.kubernetes.io/max-replicas": (desired + 1).to_string(),
            },
            "ownerReferences": owned_by("apps/v1", "Deployment", "d"),
        },
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "a" } }, "template": template },
        "status": {
            "replicas": replicas, "readyReplicas": available, "availableReplicas": available, "observedGeneration": 1,
        },
    })
}

fn plan(cluster: &Cluster) -> Plan {
    deployment::plan(cluster, &key("default/d"), now())
}

/// Returns the new sizes of the ReplicaSets, and the other writes except status writes.
fn steps(objects: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut steps = Vec::new();
    for line in lines(&plan(&cluster(objects))) {
        let Some((head, body)) = line.split_once(" {") else {
            steps.push(line);
            continue;
        };
        let body: Value = serde_json::from_str(&format!("{{{body}")).expect("JSON");
        if head.starts_with("patch ReplicaSet ") && body["spec"]["replicas"].is_i64() {
            steps.push(format!(
                "{} {}",
                head.trim_start_matches("patch ReplicaSet default/d-"),
                body["spec"]["replicas"]
            ));
        } else if !head.contains("/status") {
            steps.push(head.to_owned());
        }
    }
    steps
}

#[test]
fn a_new_template_gets_its_own_replica_set() {
    let plan = plan(&cluster([deployment(3, json!({})), set("old", 2, 3, 3, 3)]));
    let made = created(&plan);
    let hash = made["spec"]["template"]["metadata"]["labels"]["pod-template-hash"].clone();
    assert_eq!(made["metadata"]["name"], json!(format!("d-{}", hash.as_str().expect("a hash"))));
    assert_eq!(made["spec"]["selector"]["matchLabels"]["pod-template-hash"], hash);
    assert_eq!(made["metadata"]["ownerReferences"], owned_by("apps/v1", "Deployment", "d"));
    assert_eq!(made["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    assert_eq!(made["spec"]["replicas"], 1, "as many as the surge allows");
}

#[test]
fn a_rolling_update_proceeds_in_steps() {
    let zero_surge = json!({ "spec": { "strategy": { "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } } } });
    // Each case: strategy; size and available pods of the new set; size and available pods of the old set; the expected
    // steps.
    let cases: [(&Value, _, _, &[&str]); 8] = [
        (&json!({}), (1, 0), (3, 3), &[]),
        (&json!({}), (1, 1), (3, 3), &["old 2"]),
        (&json!({}), (1, 1), (2, 2), &["new 2"]),
        (&json!({}), (3, 3), (1, 1), &["old 0"]),
        (&json!({}), (1, 1), (3, 2), &["old 2"]),
        (&zero_surge, (0, 0), (3, 3), &["old 2"]),
        (&zero_surge, (0, 0), (2, 2), &["new 1"]),
        (&json!({}), (3, 3), (0, 0), &[]),
    ];
    for (strategy, new, old, wanted) in cases {
        let objects = [deployment(3, strategy.clone()), set("new", 2, new.0, new.1, 3), set("old", 1, old.0, old.1, 3)];
        assert_eq!(steps(objects), wanted, "new {new:?} old {old:?}");
    }
}

#[test]
fn recreate_waits_until_the_old_pods_are_gone() {
    let recreate = || deployment(3, json!({ "spec": { "strategy": { "type": "Recreate", "rollingUpdate": null } } }));
    assert_eq!(steps([recreate(), set("old", 1, 3, 3, 3)]), ["old 0"]);
    let left = pod("p", json!({ "metadata": { "ownerReferences": owned_by("apps/v1", "ReplicaSet", "d-old") } }));
    assert_eq!(steps([recreate(), set("old", 1, 0, 0, 3), left]), [] as [&str; 0]);
    assert_eq!(created(&plan(&cluster([recreate(), set("old", 1, 0, 0, 3)])))["spec"]["replicas"], 3);
}

#[test]
fn scaling_keeps_proportions() {
    let ten = || deployment(10, json!({}));
    assert_eq!(steps([ten(), set("new", 2, 3, 3, 3)]), ["new 10"], "one set follows");
    let both = [ten(), set("new", 2, 2, 1, 5), set("old", 1, 4, 4, 5)];
    assert_eq!(steps(both), ["old 7", "new 4"], "both grow by their share, up to the surge");
    let done = [deployment(3, json!({})), set("new", 2, 3, 3, 3), set("old", 1, 1, 1, 5)];
    assert_eq!(steps(done), ["old 0"], "the new one does all the work");
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    let paused = |replicas| deployment(replicas, json!({ "spec": { "paused": true } }));
    assert_eq!(steps([paused(3), set("old", 2, 3, 3, 3)]), [] as [&str; 0]);
    assert_eq!(steps([paused(5), set("old", 2, 3, 3, 3)]), ["old 5"]);
}

#[test]
fn a_rollback_makes_the_old_template_the_latest_revision() {
    let objects = [deployment(3, json!({})), set("new", 1, 0, 0, 3), set("old", 2, 3, 3, 3)];
    let heads = heads(&plan(&cluster(objects)));
    assert!(heads.contains(&"patch ReplicaSet default/d-new".to_owned()), "{heads:?}");
    assert!(heads.contains(&"patch Deployment default/d".to_owned()), "{heads:?}");
}

#[test]
fn old_sets_beyond_the_history_are_deleted() {
    let deployment = deployment(
        1,
        json!({
            "metadata": { "annotations": { "deployment.kubernetes.io/revision": "9" } },
            "spec": { "revisionHistoryLimit": 1 },
        }),
    );
    let old = [("b", 2), ("c", 3), ("a", 1)].map(|(image, revision)| set(image, revision, 0, 0, 1));
    let objects = [deployment, set("new", 9, 1, 1, 1)].into_iter().chain(old);
    assert_eq!(steps(objects), ["delete ReplicaSet default/d-a", "delete ReplicaSet default/d-b"]);
}

#[test]
fn a_name_collision_leads_to_another_name() {
    let taken = created(&plan(&cluster([deployment(1, json!({}))])))["metadata"]["name"].clone();
    let stranger = json!({
        "kind": "ReplicaSet",
        "metadata": { "namespace": "default", "name": taken },
        "spec": { "replicas": 0, "selector": { "matchLabels": { "app": "other" } } },
    });
    let collided = plan(&cluster([deployment(1, json!({})), stranger.clone()]));
    assert_eq!(status(&collided, Kind::Deployment)["collisionCount"], 1);
    let next = deployment(1, json!({ "status": { "collisionCount": 1 } }));
    assert_ne!(created(&plan(&cluster([next, stranger])))["metadata"]["name"], taken);
}

#[test]
fn the_status_reports_progress() {
    let of = |status: &Value, type_: &str| {
        let condition =
            status["conditions"].as_array().into_iter().flatten().find(|condition| condition["type"] == type_);
        condition.map(|condition| {
            format!("{} {}", condition["status"].as_str().unwrap_or(""), condition["reason"].as_str().unwrap_or(""))
        })
    };
    let half = status(
        &plan(&cluster([deployment(3, json!({})), set("new", 2, 1, 1, 3), set("old", 1, 3, 2, 3)])),
        Kind::Deployment,
    );
    let counts = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"];
    assert_eq!(counts.map(|count| half[count].as_i64()), [4, 1, 3, 3, 1].map(Some));
    assert_eq!(half["observedGeneration"], 1);
    assert_eq!(of(&half, "Progressing").as_deref(), Some("True ReplicaSetUpdated"));
    assert_eq!(of(&half, "Available").as_deref(), Some("True MinimumReplicasAvailable"));
    let done = status(&plan(&cluster([deployment(3, json!({})), set("new", 2, 3, 3, 3)])), Kind::Deployment);
    assert_eq!(of(&done, "Progressing").as_deref(), Some("True NewReplicaSetAvailable"));
    let settled = deployment(3, json!({ "status": done }));
    assert!(lines(&plan(&cluster([settled, set("new", 2, 3, 3, 3)]))).is_empty(), "nothing new, no write");
}

#[test]
fn a_stalled_rollout_exceeds_its_deadline() {
    let standing = |seconds: i64| {
        let progressing = json!({
            "type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "lastUpdateTime": ago(seconds),
        });
        let available = json!({ "type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable" });
        deployment(
            1,
            json!({
                "spec": { "progressDeadlineSeconds": 60 },
                "status": {
                    "replicas": 1, "updatedReplicas": 1, "unavailableReplicas": 1, "observedGeneration": 1,
                    "conditions": [progressing, available],
                },
            }),
        )
    };
    let waiting = plan(&cluster([standing(20), set("new", 2, 1, 0, 1)]));
    assert_eq!((waiting.writes.len(), waiting.rerun_after.map(|after| after.as_secs())), (0, Some(40)));
    let failed = status(&plan(&cluster([standing(60), set("new", 2, 1, 0, 1)])), Kind::Deployment);
    assert_eq!(failed["conditions"][0]["reason"], "ProgressDeadlineExceeded");
    assert_eq!(failed["conditions"][0]["status"], "False");
}
