//! The metrics of kube-scheduler and of Berth for the same workload. [`compared::METRICS`] says which parts of each
//! metric must be equal.
//!
//! `PARITY_SCHEDULER` is the path of kube-scheduler.

mod compared;
mod scrape;
mod workload;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::with;
use berth_tests::{Process, Target, served};
use serde_json::{Value, json};

use self::scrape::Scrape;
use crate::kube_scheduler::KubeScheduler;

crate::case::cases!(Real: match_kube_scheduler);

async fn match_kube_scheduler(target: &Target) -> Result<()> {
    let theirs = by_kube_scheduler(target).await.context("kube-scheduler")?;
    target.clean_up().await?;
    let ours = by_berth(target).await.context("Berth")?;
    let differ = compared::differences(&theirs, &ours);
    ensure!(differ.is_empty(), "{}", differ.join("\n"));
    Ok(())
}

async fn by_kube_scheduler(target: &Target) -> Result<Scrape> {
    let workload = workload::prepare(target).await?;
    let (running, address) = KubeScheduler::start_serving(target, &workload.configuration())?;
    let scrape = workload.run(&address).await?;
    running.stop().await?;
    Ok(scrape)
}

async fn by_berth(target: &Target) -> Result<Scrape> {
    let workload = workload::prepare(target).await?;
    let head = json!({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"});
    let file = target.home().join("berth.json");
    std::fs::write(&file, with(head, &workload.configuration()).to_string())?;
    let mut berth = Process::start(&target.kubeconfig, &["--leader-elect=false", "--config", &path_text(&file)])?;
    let scrape = workload.run(&berth.address().await?).await.with_context(|| berth.log())?;
    berth.stop().await?;
    Ok(scrape)
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

/// Waits until a scrape at this address shows this count for a metric. The count is the sum of all series that have
/// these labels.
async fn until_count(address: &str, metric: &str, labels: Value, count: f64) -> Result<Scrape> {
    let has_labels = |shown: &scrape::Labels| {
        let expected = labels.as_object().into_iter().flatten();
        expected.into_iter().all(|(name, value)| shown.get(name).map(String::as_str) == value.as_str())
    };
    eventually(&format!("{metric} {labels} is {count}"), || async {
        // The scheduler may not serve yet.
        let text = match served::get(address, "/metrics", None).await {
            Ok((200, text)) => text,
            other => return Ok(Look::NotYet(format!("{other:?}"))),
        };
        let scrape = Scrape::read(&text)?;
        let counts = scrape.counts(metric);
        let sum: f64 = counts.iter().filter(|(labels, _)| has_labels(labels)).map(|(_, count)| count).sum();
        Ok(if sum == count { Look::Yes(scrape) } else { Look::NotYet(format!("{counts:?}")) })
    })
    .await
}
