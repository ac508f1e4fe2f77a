//! The scheduler makes no new attempt for a pod without a node after a change that can't help the pod.

use anyhow::{Result, ensure};
use berth_tests::objects::{node, pod, tainted, with};
use berth_tests::{Journal, Process, Target, api};
use serde_json::{Value, json};

crate::case::cases!(Both:
    small_nodes_cause_no_attempt,
    nodes_with_other_taints_cause_no_attempt,
    pods_on_other_ports_cause_no_attempt,
);

const UNSCHEDULABLE_ATTEMPTS: &str =
    "scheduler_schedule_attempts_total{result=\"unschedulable\",profile=\"default-scheduler\"}";

async fn small_nodes_cause_no_attempt(target: &Target) -> Result<()> {
    let small = node("small", 1);
    let scene = Scene::start(target, &small, &pod("p", "2"), "1 Insufficient cpu").await?;
    api::create(&target.client, &node("too", 1)).await?;
    api::patch(&target.client, &small, json!({"metadata": {"labels": {"disk": "ssd"}}})).await?;
    api::patch(&target.client, &small, json!({"spec": {"unschedulable": true}})).await?;
    api::create(&target.client, &node("large", 4)).await?;
    scene.until_placed_by_second_attempt("large").await
}

async fn nodes_with_other_taints_cause_no_attempt(target: &Target) -> Result<()> {
    let batch = tainted(node("batch", 4), &["dedicated=batch:NoSchedule"]);
    let scene = Scene::start(target, &batch, &pod("p", "1"), "1 node(s) had untolerated taint(s)").await?;
    api::patch(&target.client, &batch, json!({"metadata": {"labels": {"disk": "ssd"}}})).await?;
    api::create(&target.client, &tainted(node("gpu", 4), &["gpu=:NoSchedule"])).await?;
    api::create(&target.client, &node("open", 4)).await?;
    scene.until_placed_by_second_attempt("open").await
}

async fn pods_on_other_ports_cause_no_attempt(target: &Target) -> Result<()> {
    let n = node("n", 4);
    api::create(&target.client, &n).await?;
    let on_port = |name: &str, port: u16| {
        let container = json!({"name": "main", "image": "registry.example/app:1", "ports": [{"containerPort": port, "hostPort": port}]});
        with(pod(name, "1"), &json!({"spec": {"containers": [container]}}))
    };
    let there = |name: &str, port| with(on_port(name, port), &json!({"spec": {"nodeName": "n"}}));
    let (other, same) = (there("other", 9090), there("same", 8080));
    api::create_all(&target.client, [other.clone(), same.clone()]).await?;
    let reason = "1 node(s) didn't have free ports for the requested pod ports";
    let scene = Scene::watch(target, &on_port("p", 8080), reason).await?;
    api::delete(&target.client, &other).await?;
    api::delete(&target.client, &same).await?;
    scene.until_placed_by_second_attempt("n").await
}

/// A scheduler process, and a pod that the scheduler has attempted once without success.
struct Scene {
    journal: Journal,
    berth: Process,
}

impl Scene {
    /// Starts the scene with one node that does not fit the pod.
    async fn start(target: &Target, node: &Value, pod: &Value, reason: &str) -> Result<Self> {
        api::create(&target.client, node).await?;
        Self::watch(target, pod, reason).await
    }

    async fn watch(target: &Target, pod: &Value, reason: &str) -> Result<Self> {
        let plugins = target.plugins_dir().display().to_string();
        let berth = Process::start(&target.kubeconfig, &["--leader-elect=false", "--plugins", &plugins])?;
        let journal = Journal::start(&target.client).await?;
        api::create(&target.client, pod).await?;
        journal.until_rejected("p", &format!("0/1 nodes are available: {reason}.")).await?;
        Ok(Self { journal, berth })
    }

    /// Checks that the scheduler has placed the pod in its second attempt. The changes reach the scheduler in order, so
    /// the earlier changes have caused no attempt.
    async fn until_placed_by_second_attempt(mut self, node: &str) -> Result<()> {
        let placed = self.journal.until_pod_placed("p").await?;
        ensure!(placed == node, "the pod is on {placed}, it should be on {node}");
        self.berth.until_metric(&format!("{UNSCHEDULABLE_ATTEMPTS} 1")).await?;
        self.berth.stop().await?;
        self.journal.check()
    }
}
