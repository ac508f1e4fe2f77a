//! The effective configuration, as both schedulers serve it at /configz.

use anyhow::{Context, Result, ensure};
use berth_test_kit::wait::{Look, eventually};
use berth_tests::objects::with;
use berth_tests::{Process, Target, served};
use serde_json::{Value, json};

use crate::kube_scheduler::KubeScheduler;

crate::case::cases!(Real: configz_matches_kube_scheduler);

/// Both schedulers get the same configuration file. The file sets two fields whose defaults differ between the
/// schedulers (docs/configuration.md).
async fn configz_matches_kube_scheduler(target: &Target) -> Result<()> {
    let more = json!({"leaderElection": {"resourceName": "kube-scheduler"}, "podMaxBackoffSeconds": 20});
    let (running, address) = KubeScheduler::start_serving(target, &more)?;
    let theirs = read_configz(&address).await.context("kube-scheduler")?;
    running.stop().await?;
    let file = target.home().join("kube-scheduler.json");
    let file = file.to_str().context("the path is not UTF-8")?;
    let mut berth = Process::start(&target.kubeconfig, &["--config", file, "--leader-elect=false"])?;
    let ours = read_configz(&berth.address().await?).await.context("Berth")?;
    berth.stop().await?;
    // kube-scheduler has the kubeconfig's path from the file, Berth from a flag.
    let path = json!({"componentconfig": {"clientConnection": {"kubeconfig": target.kubeconfig}}});
    let (theirs, ours) = (with(theirs, &path), with(ours, &path));
    ensure!(ours == theirs, "kube-scheduler shows\n{theirs:#}\nand Berth\n{ours:#}");
    Ok(())
}

async fn read_configz(address: &str) -> Result<Value> {
    let text = eventually("/configz is served", || async {
        Ok(match served::get(address, "/configz", None).await {
            Ok((200, text)) => Look::Yes(text),
            other => Look::NotYet(format!("{other:?}")),
        })
    });
    Ok(serde_json::from_str(&text.await?)?)
}
