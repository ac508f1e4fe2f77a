//! Schedulers end during their work, start during another's work, and run side by side.

use anyhow::{Result, ensure};
use berth_test_kit::wait::Look;
use berth_tests::objects::{nodes, pod, pods, with};
use berth_tests::{Journal, Target, api, capacity};
use serde_json::{Value, json};

crate::case::cases!(Both:
    a_scheduler_is_stopped_during_work,
    a_scheduler_is_killed_during_work,
    two_schedulers_run_side_by_side,
);

const PODS: usize = 300;

async fn a_scheduler_is_stopped_during_work(target: &Target) -> Result<()> {
    let journal = create_nodes_and_pods(target).await?;
    let first = target.scheduler().await?;
    until_some_pods_placed(&journal).await?;
    target.stop(first).await?;
    let second = target.scheduler().await?;
    journal.until_placed("p-", PODS).await?;
    target.stop(second).await?;
    capacity::check(&target.client).await?;
    journal.check()
}

/// The first scheduler ends without notice, like a killed process. Its last requests may arrive after the second
/// scheduler has listed the pods. A node may then exceed its capacity, so the test does not check the capacity. A
/// kubelet rejects pods that exceed its node's capacity.
async fn a_scheduler_is_killed_during_work(target: &Target) -> Result<()> {
    let journal = create_nodes_and_pods(target).await?;
    let first = target.scheduler().await?;
    until_some_pods_placed(&journal).await?;
    drop(first);
    let second = target.scheduler().await?;
    journal.until_placed("p-", PODS).await?;
    target.stop(second).await?;
    journal.check()
}

async fn create_nodes_and_pods(target: &Target) -> Result<Journal> {
    api::create_all(&target.client, nodes("n", 30, 4)).await?;
    let journal = Journal::start(&target.client).await?;
    api::create_all(&target.client, pods("p", PODS, "350m")).await?;
    Ok(journal)
}

async fn until_some_pods_placed(journal: &Journal) -> Result<()> {
    let condition = "some of the pods are placed";
    journal
        .until(condition, |pods| Look::at(pods.placed_count("p-") > 20, || format!("{} are", pods.placed_count("p-"))))
        .await
}

/// Both schedulers try to place every pod. One scheduler succeeds, and the other scheduler must release the resources
/// that it assumed for the pod.
async fn two_schedulers_run_side_by_side(target: &Target) -> Result<()> {
    api::create_all(&target.client, nodes("n", 10, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let (first, second) = (target.scheduler().await?, target.scheduler().await?);
    api::create_all(&target.client, pods("p", PODS, "10m")).await?;
    journal.until_placed("p-", PODS).await?;
    // If the second scheduler still assumes a pod on another node than the first scheduler bound the pod to, one of
    // the fillers does not fit.
    let fillers: Vec<Value> =
        capacity::free(&target.client).await?.iter().map(|(node, free)| filler(node, free["cpu"])).collect();
    let count = fillers.len();
    target.stop(first).await?;
    api::create_all(&target.client, fillers).await?;
    journal.until_placed("filler-", count).await?;
    target.stop(second).await?;
    capacity::check(&target.client).await?;
    let after = capacity::free(&target.client).await?;
    ensure!(after.values().all(|free| free["cpu"] == 0), "the fillers do not fill the nodes: {after:?}");
    journal.check()
}

/// Returns a pod for this node that requests all remaining CPU.
fn filler(node: &str, milli_cpu: i64) -> Value {
    let selector = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": node}}});
    with(pod(&format!("filler-{node}"), &format!("{milli_cpu}m")), &selector)
}
