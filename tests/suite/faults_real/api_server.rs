//! An API server that is slow.

use std::time::Duration;

use anyhow::Result;
use berth::scheduler::{Options, Scheduler};
use berth_tests::objects::{node, nodes, pod, pods, with};
use berth_tests::{Fault, Journal, Proxy, Target, api, capacity};
use serde_json::json;

crate::case::cases!(Both: every_request_takes_five_seconds);

/// The fault delays all new requests, also new watches. The test then cuts the watches that were open before.
async fn every_request_takes_five_seconds(target: &Target) -> Result<()> {
    const PODS: usize = 40;
    let proxy = Proxy::start(target.client.clone()).await?;
    // The nodes have exactly enough CPU for the pods.
    api::create_all(&target.client, nodes("n", 5, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let scheduler = Scheduler::start(proxy.client().await?, target.recorded(Options::default())).await?;
    proxy.begin(Fault::Slow(Duration::from_secs(5)));
    api::create_all(&target.client, pods("p", PODS, "1")).await?;
    proxy.until_hit(1).await?;
    proxy.cut();
    // Only the new watches can report these objects.
    api::create(&target.client, &node("late", 4)).await?;
    let on_late_node = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "late"}}});
    api::create(&target.client, &with(pod("late", "1"), &on_late_node)).await?;
    journal.until_placed("p-", PODS).await?;
    journal.until_pod_placed("late").await?;
    proxy.end();
    target.stop(scheduler).await?;
    capacity::check(&target.client).await?;
    journal.check()
}
