//! Signals to the process beside those that end it.

use anyhow::Result;
use berth_tests::objects::{node, pod, service};
use berth_tests::{Journal, Process, Target, api};

crate::case::cases!(Both: a_dump_says_what_is_believed);

/// SIGUSR2: what the scheduler believes is in its log, and that it is so.
async fn a_dump_says_what_is_believed(target: &Target) -> Result<()> {
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node("n1", 4)).await?;
    api::create(&target.client, &service("dumped")).await?;
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false"])?;
    api::create(&target.client, &pod("small", "100m")).await?;
    journal.placed_pod("small").await?;
    api::create(&target.client, &pod("large", "640")).await?;
    berth.until_metric("scheduler_pending_pods{queue=\"unschedulable\"} 1").await?;
    berth.signal("USR2").await?;
    berth.until_logged("cache and queue are as the API server has nodes and pods").await?;
    let of_cache = ["dump of the cache: 1 nodes, 1 pods on them", "node n1: 100 of", "default/small"];
    let of_objects = ["dump of the objects that plugins read: ", "v1 Service default/dumped"];
    for words in of_cache.into_iter().chain(of_objects) {
        berth.until_logged(words).await?;
    }
    berth.until_logged("unschedulable pod default/large, tried").await?;
    berth.stop().await
}
