//! A workload with pods that are placed, rejected, gated, that preempt others, and that fail. The pods are
//! created one after the other, so that all counts are determined.

use anyhow::Result;
use berth_test_kit::wait::Look;
use berth_tests::extender::{Extender, Reply};
use berth_tests::objects::{node, pod, priority_class, with};
use berth_tests::{Journal, Target, api};
use serde_json::{Value, json};

use super::scrape::Scrape;
use super::until_count;

/// The objects and the extender that exist before the scheduler starts.
pub struct Workload<'a> {
    target: &'a Target,
    journal: Journal,
    extender: Extender,
}

/// Creates two empty nodes and the node `full`, whose pod takes three of four CPUs. Starts an extender that always
/// fails.
///
/// # Errors
/// Returns the API server's error.
pub async fn prepare(target: &Target) -> Result<Workload<'_>> {
    let full = with(node("full", 4), &json!({"metadata": {"labels": {"pool": "full"}}}));
    api::create_all(&target.client, [node("a", 8), node("b", 8), full]).await?;
    api::create(&target.client, &priority_class("low", 1)).await?;
    api::create(&target.client, &priority_class("high", 1000)).await?;
    // There is a single victim, because kube-scheduler waits for the last of several victims.
    let spec = json!({"nodeName": "full", "priorityClassName": "low", "terminationGracePeriodSeconds": 0});
    api::create(&target.client, &with(pod("low", "3"), &json!({"spec": spec}))).await?;
    let extender = Extender::start(&target.client, |_, _| Reply::Status(500)).await?;
    Ok(Workload { target, journal: Journal::start(&target.client).await?, extender })
}

impl Workload<'_> {
    /// Returns the configuration for both schedulers: the extender, and a backoff that lasts longer than the test, so
    /// that no pod leaves the backoff queue.
    pub fn configuration(&self) -> Value {
        json!({
            "podInitialBackoffSeconds": 600,
            "podMaxBackoffSeconds": 600,
            "extenders": [{
                "urlPrefix": self.extender.url(),
                "filterVerb": "filter",
                "managedResources": [{"name": "example.com/chip", "ignoredByScheduler": true}],
            }],
        })
    }

    /// Runs the workload with the scheduler that serves at this address. Returns the final scrape.
    ///
    /// # Errors
    /// Returns an error if a pod or a metric does not reach the expected state in time.
    pub async fn run(&self, address: &str) -> Result<Scrape> {
        until_count(address, "scheduler_cache_size", json!({"type": "nodes"}), 3.0).await?;
        until_count(address, "scheduler_cache_size", json!({"type": "pods"}), 1.0).await?;
        for n in 0..12 {
            self.create_and_await_node(pod(&format!("placed-{n}"), "100m")).await?;
        }
        self.place_after_node_change(address).await?;
        self.ungate_one_of_two(address).await?;
        let preempting = json!({"nodeSelector": {"pool": "full"}, "priorityClassName": "high"});
        self.create_and_await_node(with(pod("preempting", "3"), &json!({"spec": preempting}))).await?;
        self.create_and_await_rejection(pod("too-large", "64")).await?;
        self.create_and_await_rejection(with(
            pod("nowhere", "1m"),
            &json!({"spec": {"nodeSelector": {"disk": "none"}}}),
        ))
        .await?;
        let mut failing = pod("failing", "1m");
        let chips = json!({"limits": {"example.com/chip": "1"}, "requests": {"example.com/chip": "1"}});
        json_patch::merge(&mut failing["spec"]["containers"][0]["resources"], &chips);
        api::create(&self.target.client, &failing).await?;
        until_count(address, "scheduler_pending_pods", json!({"queue": "backoff"}), 1.0).await?;
        until_count(address, "scheduler_cache_size", json!({"type": "assumed_pods"}), 0.0).await?;
        until_count(address, "scheduler_cache_size", json!({"type": "pods"}), 15.0).await
    }

    /// Creates a pod that no node fits, and adds the label that the pod selects to a node.
    async fn place_after_node_change(&self, address: &str) -> Result<()> {
        let selecting = with(pod("helped", "100m"), &json!({"spec": {"nodeSelector": {"disk": "ssd"}}}));
        self.create_and_await_rejection(selecting).await?;
        until_count(address, "scheduler_pending_pods", json!({"queue": "unschedulable"}), 1.0).await?;
        api::patch(&self.target.client, &node("a", 8), json!({"metadata": {"labels": {"disk": "ssd"}}})).await?;
        self.journal.until_pod_placed("helped").await?;
        Ok(())
    }

    /// Creates two gated pods, and removes the gate of one.
    async fn ungate_one_of_two(&self, address: &str) -> Result<()> {
        for name in ["let-through", "gated"] {
            let gated = with(pod(name, "100m"), &json!({"spec": {"schedulingGates": [{"name": "example.com/wait"}]}}));
            api::create(&self.target.client, &gated).await?;
        }
        until_count(address, "scheduler_pending_pods", json!({"queue": "gated"}), 2.0).await?;
        let without = json!({"spec": {"schedulingGates": null}});
        api::patch(&self.target.client, &pod("let-through", "100m"), without).await?;
        self.journal.until_pod_placed("let-through").await?;
        Ok(())
    }

    async fn create_and_await_node(&self, pod: Value) -> Result<()> {
        api::create(&self.target.client, &pod).await?;
        self.journal.until_pod_placed(pod["metadata"]["name"].as_str().unwrap_or_default()).await?;
        Ok(())
    }

    async fn create_and_await_rejection(&self, pod: Value) -> Result<()> {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        api::create(&self.target.client, &pod).await?;
        self.journal
            .until(&format!("pod {name} has a message"), |pods| {
                let seen = pods.by_name.get(name).cloned().unwrap_or_default();
                Look::at(seen.rejection().is_some(), || format!("{seen:?}"))
            })
            .await
    }
}
