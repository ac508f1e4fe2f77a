//! Tests a simulated cluster on a clock that the test moves: the in-memory API server and the controllers
//! share the clock.

use std::sync::Arc;
use std::time::Duration;

use berth_clock::ManualClock;
use berth_controllers::{KubeStore, Options};
use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};

use super::cluster::{Cluster, is_true, pod_on};

const START: &str = "2030-01-02T03:00:00Z";

/// The time by which a wait advances the clock at each check of its condition. The pauses of the controllers use the
/// same clock.
const STEP: Duration = Duration::from_millis(100);

/// Returns a client that uses the server's kubeconfig.
pub async fn client_of(server: &berth_sim::Server) -> Client {
    let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig()).expect("a kubeconfig");
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.expect("a complete kubeconfig")).expect("a client")
}

fn job(node: &str, seconds: u32, deadline: u32) -> Value {
    let mut pod = pod_on(node, "busybox");
    pod["restartPolicy"] = json!("Never");
    let meta = json!({ "annotations": { "sim.berth.dev/run-seconds": seconds.to_string() } });
    json!({ "activeDeadlineSeconds": deadline, "template": { "metadata": meta, "spec": pod } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hours_of_a_cluster_pass_without_real_time() {
    let clock = Arc::new(ManualClock::at(START.parse().expect("a timestamp")));
    let options = berth_sim::Options { clock: clock.clone(), ..berth_sim::Options::default() };
    let server = berth_sim::Server::start(options).await.expect("a server");
    let client = client_of(&server).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let options = Options { clock: clock.clone(), ..Options::default() };
    let controllers = tokio::spawn(berth_controllers::run(KubeStore::new(client.clone()), options, stopped));
    let cluster = Cluster { client, namespace: "default".to_owned() };
    let step = |found: bool| {
        clock.advance(STEP);
        found
    };

    cluster.create("Node", json!({ "metadata": { "name": "n" } })).await;
    cluster.until("Node", "n", "Ready", |node| step(is_true(node, "Ready"))).await;
    for (name, seconds, deadline) in [("runs", 3000, 86_400), ("hangs", 86_400, 3000)] {
        let meta = json!({ "name": name });
        cluster.create("Job", json!({ "metadata": meta, "spec": job("n", seconds, deadline) })).await;
        cluster.until("Job", name, "running", |job| step(job["status"]["ready"] == 1)).await;
    }
    for name in ["runs", "hangs"] {
        assert_eq!(cluster.get("Job", name).await["status"]["active"], 1, "{name}: its time has not passed");
    }

    let nightly = json!({ "schedule": "0 4 * * *", "jobTemplate": { "spec": job("n", 1, 3000) } });
    cluster.create("CronJob", json!({ "metadata": { "name": "nightly" }, "spec": nightly })).await;

    clock.advance(Duration::from_secs(3600));
    let runs = cluster.until("Job", "runs", "complete", |job| step(is_true(job, "Complete"))).await;
    let hangs = cluster.until("Job", "hangs", "failed", |job| step(is_true(job, "Failed"))).await;
    let conditions = hangs["status"]["conditions"].as_array().expect("conditions");
    assert!(conditions.iter().any(|held| held["reason"] == "DeadlineExceeded"), "{conditions:?}");
    let later = |time: &Value| time.as_str().is_some_and(|time| time.starts_with("2030-01-02T04:"));
    assert!(later(&runs["status"]["completionTime"]), "an hour later: {runs:#}");
    cluster
        .until("CronJob", "nightly", "successful at four", |held| step(later(&held["status"]["lastSuccessfulTime"])))
        .await;
    let leases = cluster.within("kube-node-lease");
    leases.until("Lease", "n", "renewed an hour later", |lease| step(later(&lease["spec"]["renewTime"]))).await;

    stop.send(()).expect("the controllers still run");
    controllers.await.expect("the controllers don't panic").expect("the controllers end well");
    server.shutdown().await.expect("the server ends well");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pods_of_a_failed_node_are_replaced_and_end_when_it_comes_back() {
    let clock = Arc::new(ManualClock::at(START.parse().expect("a timestamp")));
    let options = berth_sim::Options { clock: clock.clone(), ..berth_sim::Options::default() };
    let server = berth_sim::Server::start(options).await.expect("a server");
    let client = client_of(&server).await;
    let (_stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let options = Options { clock: clock.clone(), ..Options::default() };
    let controllers = tokio::spawn(berth_controllers::run(KubeStore::new(client.clone()), options, stopped));
    let cluster = Cluster { client, namespace: "default".to_owned() };
    let after = |pause: Duration| {
        let clock = clock.clone();
        move |found: bool| {
            clock.advance(if found { Duration::ZERO } else { pause });
            found
        }
    };
    let (step, second) = (after(STEP), after(Duration::from_secs(1)));
    cluster.create("Node", json!({ "metadata": { "name": "n" } })).await;
    let labels = json!({ "app": "a" });
    let set = json!({
        "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels }, "spec": pod_on("n", "nginx") },
    });
    cluster.create("ReplicaSet", json!({ "metadata": { "name": "r" }, "spec": set })).await;
    let ready = |set: &Value, count: i64| set["status"]["readyReplicas"].as_i64().unwrap_or(0) == count;
    cluster.until("ReplicaSet", "r", "ready", |set| step(ready(set, 1))).await;

    let kubelet = |state: Value| json!({ "metadata": { "annotations": { "sim.berth.dev/kubelet": state } } });
    cluster.patch("Node", "n", kubelet(json!("stopped"))).await;
    cluster.until("ReplicaSet", "r", "not ready", |set| second(ready(set, 0))).await;
    let pods = cluster.until_all("Pod", "app=a", "replaced", |pods| second(pods.len() == 2)).await;
    let is_terminating = |pod: &&Value| pod["metadata"]["deletionTimestamp"].is_string();
    assert_eq!(pods.iter().filter(is_terminating).count(), 1, "{pods:#?}");

    cluster.patch("Node", "n", kubelet(Value::Null)).await;
    cluster.until("Node", "n", "ready again", |node| step(is_true(node, "Ready"))).await;
    cluster
        .until("Node", "n", "without taints", |node| step(node["spec"]["taints"].as_array().is_none_or(Vec::is_empty)))
        .await;
    cluster
        .until_all("Pod", "app=a", "one ready pod", |pods| step(pods.len() == 1 && is_true(&pods[0], "Ready")))
        .await;
    controllers.abort();
}
