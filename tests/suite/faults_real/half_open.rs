//! Watches that the API server accepts and never answers.

use anyhow::Result;
use berth::scheduler::{Options, Scheduler};
use berth_tests::objects::{node, nodes, pod, with};
use berth_tests::{Fault, Journal, Proxy, RequestSelector, Target, api};
use serde_json::json;

crate::case::cases!(Both: watches_without_an_answer);

/// The connections stay open without data. The scheduler must give up these watches and open new watches.
async fn watches_without_an_answer(target: &Target) -> Result<()> {
    let proxy = Proxy::start(target.client.clone()).await?;
    api::create_all(&target.client, nodes("n", 2, 8)).await?;
    let journal = Journal::start(&target.client).await?;
    let scheduler = Scheduler::start(proxy.client().await?, target.recorded(Options::default())).await?;
    // The cut also ends the watches of other kinds, which the scheduler may open again first. So the fault is for
    // watches of pods and nodes only.
    proxy.begin_for(RequestSelector::WatchesOf("pods"), Fault::Silence);
    proxy.begin_for(RequestSelector::WatchesOf("nodes"), Fault::Silence);
    proxy.cut();
    // One watch of pods and one watch of nodes have the fault. Both stay silent after the fault has ended.
    proxy.until_hit(2).await?;
    proxy.end();
    api::create(&target.client, &node("late", 4)).await?;
    let on_late_node = json!({"spec": {"nodeSelector": {"kubernetes.io/hostname": "late"}}});
    api::create(&target.client, &with(pod("late", "1"), &on_late_node)).await?;
    journal.until_pod_placed("late").await?;
    target.stop(scheduler).await?;
    journal.check()
}
