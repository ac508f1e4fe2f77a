//! Signals to the process: SIGUSR2 at any time, and SIGTERM right after the start.

use anyhow::Result;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::{node, pod, service};
use berth_tests::{Journal, Process, Target, api, programs};
use libtest_mimic::Trial;
use tokio::process::Command;

use crate::harness::standalone_trial;

crate::case::cases!(Both:
    a_dump_shows_cache_and_queue,
    a_dump_works_before_the_plugins_are_ready,
    a_stop_right_after_the_start_succeeds,
);

/// Returns the trials that need no cluster.
pub fn trials() -> Vec<Trial> {
    vec![standalone_trial("signals::a_simulator_without_a_scheduler_ignores_a_dump_signal", || {
        Box::pin(a_simulator_without_a_scheduler_ignores_a_dump_signal())
    })]
}

/// On SIGUSR2, the scheduler dumps its cache, queue and objects to the log, and compares the cache and the queue with
/// the API server.
async fn a_dump_shows_cache_and_queue(target: &Target) -> Result<()> {
    let journal = Journal::start(&target.client).await?;
    api::create(&target.client, &node("n1", 4)).await?;
    api::create(&target.client, &service("dumped")).await?;
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false"])?;
    api::create(&target.client, &pod("small", "100m")).await?;
    journal.until_pod_placed("small").await?;
    api::create(&target.client, &pod("large", "640")).await?;
    berth.until_metric("scheduler_pending_pods{queue=\"unschedulable\"} 1").await?;
    berth.signal("USR2").await?;
    berth.until_logged("cache and queue match the API server").await?;
    let of_cache = ["dump of the cache: 1 nodes, 1 pods on them", "node n1: 100 of", "default/small"];
    let of_objects = ["dump of the objects that plugins read: ", "v1 Service default/dumped"];
    for message in of_cache.into_iter().chain(of_objects) {
        berth.until_logged(message).await?;
    }
    berth.until_logged("unschedulable pod default/large, tried").await?;
    berth.stop().await
}

/// SIGUSR2 right after the start does not end the process, and causes a dump.
async fn a_dump_works_before_the_plugins_are_ready(target: &Target) -> Result<()> {
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false"])?;
    berth.until_logged("using the API server").await?;
    berth.signal("USR2").await?;
    berth.until_logged("dump of the cache: ").await?;
    berth.until_logged("scheduling pods").await?;
    berth.stop().await
}

/// SIGTERM right after the start ends the process with success.
async fn a_stop_right_after_the_start_succeeds(target: &Target) -> Result<()> {
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false"])?;
    berth.until_logged("using the API server").await?;
    berth.stop().await
}

/// SIGUSR2 does not end `berth sim`, which logs that there is no scheduler.
async fn a_simulator_without_a_scheduler_ignores_a_dump_signal() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = directory.path().join("kubeconfig");
    let mut command = Command::new(programs::berth()?);
    command.args(["sim", "--empty", "--no-scheduler", "--kubeconfig"]).arg(&kubeconfig);
    let mut sim = Process::spawn(command)?;
    eventually("the simulator is ready", || async { Ok(Look::at(kubeconfig.exists(), || sim.log())) }).await?;
    sim.signal("USR2").await?;
    sim.until_logged("because there is no scheduler in this process").await?;
    sim.stop().await
}
