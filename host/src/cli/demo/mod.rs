//! `berth demo`: runs a cluster, a scheduler and a workload in one process, and prints a table of the result.
//!
//! On a terminal, the cluster runs on until Ctrl-C. Otherwise the command ends after the table, with an error if the
//! outcome differs from `demo/expected.yaml`.

pub mod files;
mod outcome;
mod table;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures::{StreamExt, TryStreamExt};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde_json::Value;

use self::outcome::Outcomes;
use super::cluster::{Cluster, Parts};
use super::out;
use berth_admin::DebugSignal;

/// The maximum time without a change of any pod.
const PATIENCE: Duration = Duration::from_secs(120);

/// Arguments of `berth demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Directory of further plugins (*.wasm), watched.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// Kubeconfig file to write [default: in a temporary directory].
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,
}

/// Runs the demo.
///
/// # Errors
/// A part can't be started; or, without a terminal, the outcome is not the expected one.
pub async fn run(args: Args) -> Result<()> {
    let debug_signal = DebugSignal::install()?;
    let nodes = files::nodes()?;
    let workload = files::workload()?;
    let expected = files::expected()?;
    out::line("Starting an API server, its controllers and the scheduler in this process …")?;
    let parts = Parts { kubeconfig: args.kubeconfig, plugins: args.plugins, ..Parts::default() };
    let mut cluster = Cluster::start(&parts).await?;
    out::line(format_args!("Making {} nodes and {} Deployments …", nodes.len(), workload.len()))?;
    let zone_of = zones(&nodes);
    cluster.create_all(&nodes).await?;
    cluster.start_parts(&parts).await?;
    cluster.write_kubeconfig()?;
    out::line(format_args!("kubeconfig: {}", cluster.kubeconfig().display()))?;
    cluster.create_all(&workload).await?;

    let pods: usize = expected.values().map(|expectation| expectation.placed + expectation.pending).sum();
    let outcomes = follow(&cluster.client(), pods).await?;
    let apps: Vec<String> = workload.iter().filter_map(|object| Some(text(object, "name")?.to_owned())).collect();
    out::line(table::of_outcomes(&apps, &outcomes, &zone_of))?;
    let (placed, rejected) = outcomes.counts();
    out::line(format_args!("{placed} of {} pods placed on {} nodes.", placed + rejected, nodes.len()))?;

    let differences = outcomes.differences(&expected);
    if std::io::stdout().is_terminal() {
        tokio::select! {
            served = serve(&cluster, &differences) => served?,
            ended = cluster.scheduler_lives(debug_signal) => ended?,
        }
        return cluster.stop().await;
    }
    cluster.stop().await?;
    if !differences.is_empty() {
        bail!("the result differs from host/demo/expected.yaml:\n  {}", differences.join("\n  "));
    }
    Ok(())
}

async fn serve(cluster: &Cluster, differences: &[String]) -> Result<()> {
    for difference in differences {
        out::line(format_args!("unexpected: {difference}"))?;
    }
    let kubeconfig = cluster.kubeconfig().display();
    out::line("\nThe cluster serves on until Ctrl-C. From another terminal:\n")?;
    out::line(format_args!("  export KUBECONFIG={kubeconfig}"))?;
    out::line("  kubectl get pods -o wide")?;
    out::line("  kubectl describe pod -l app=giant")?;
    out::line("  kubectl scale deployment web --replicas=80\n")?;
    tokio::signal::ctrl_c().await.context("waiting for Ctrl-C")
}

/// Follows the pods until each has a node or a reason, with a progress bar.
async fn follow(client: &Client, pods: usize) -> Result<Outcomes> {
    let bar = ProgressBar::with_draw_target(Some(pods as u64), ProgressDrawTarget::stdout());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} pods decided  {msg}");
    bar.set_style(style.context("the progress bar's template")?);
    let api: Api<Pod> = Api::default_namespaced(client.clone());
    let mut watch = watcher::watcher(api, watcher::Config::default()).boxed();
    let mut outcomes = Outcomes::default();
    loop {
        let next = tokio::time::timeout(PATIENCE, watch.try_next()).await;
        let (placed, rejected) = outcomes.counts();
        let Ok(event) = next else {
            bail!(
                "no pod has changed for {PATIENCE:?}: {placed} pods are scheduled, {rejected} are rejected, {pods} are expected; run it with --log=info"
            )
        };
        match event.context("watching pods")? {
            Some(Event::Apply(pod) | Event::InitApply(pod)) => outcomes.set(&pod),
            Some(Event::Delete(pod)) => outcomes.remove(&pod),
            Some(Event::Init | Event::InitDone) => {}
            None => bail!("the watch of the pods has ended"),
        }
        let (placed, rejected) = outcomes.counts();
        bar.set_position((placed + rejected) as u64);
        bar.set_message(format!("{placed} placed, {rejected} without a node"));
        if placed + rejected >= pods {
            bar.finish();
            return Ok(outcomes);
        }
    }
}

fn text<'a>(object: &'a Value, field: &str) -> Option<&'a str> {
    object["metadata"][field].as_str()
}

fn zones(nodes: &[Value]) -> BTreeMap<String, String> {
    let zone = |node: &Value| {
        let zone = node["metadata"]["labels"]["topology.kubernetes.io/zone"].as_str()?;
        Some((text(node, "name")?.to_owned(), zone.to_owned()))
    };
    nodes.iter().filter_map(zone).collect()
}
