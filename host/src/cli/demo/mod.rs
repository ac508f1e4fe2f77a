//! `berth demo`: runs a cluster, a scheduler and a workload in one process, and prints a table of the result.
//!
//! On a terminal, the cluster runs on until Ctrl-C, unless the output is JSON or YAML. Otherwise the command ends after
//! the result, with an error if the result differs from `demo/expected.yaml`.

pub mod files;
mod outcome;
mod table;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use berth_analysis::{PodAnswer, text};
use futures::{StreamExt, TryStreamExt};
use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde_json::Value;

use self::outcome::Outcomes;
use self::table::{DemoReport, DeploymentReport};
use super::capture::CaptureFlags;
use super::cluster::{Cluster, Parts};
use super::hint::{Hint, quoted};
use super::output::{self, OutputFlag};
use super::progress::Progress;
use super::{exit_status, out};
use berth_admin::DebugSignal;

/// The time without a change of any pod after which the demo fails.
const PATIENCE: Duration = Duration::from_secs(120);

const EXIT: &[(u8, &str)] = &[
    (0, "the result is the expected one, or Ctrl-C ended the demo on a terminal"),
    (1, "a part can't be started, or the result differs from the expected one"),
];

/// Arguments of `berth demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = exit_status::section(EXIT))]
pub struct Args {
    /// Directory of further plugins (*.wasm), watched.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// Kubeconfig file to write [default: in a temporary directory].
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,
    #[command(flatten)]
    capture: CaptureFlags,
    #[command(flatten)]
    output: OutputFlag,
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
    let format = args.output.format;
    // With JSON or YAML, standard output has only the result.
    let print = |line: String| if format.is_table() { out::line(line) } else { Ok(()) };
    print("Starting an API server, its controllers and the scheduler in this process …".to_owned())?;
    let capture = args.capture.directory().map(Path::to_owned);
    let parts = Parts {
        port: 0,
        kubeconfig: args.kubeconfig,
        plugins: args.plugins,
        capture: args.capture,
        no_scheduler: false,
        no_controllers: false,
        speed: 1.0,
    };
    let mut cluster = Cluster::start(&parts).await?;
    print(format!("Creating {} nodes and {} Deployments …", nodes.len(), workload.len()))?;
    let zone_of = zones(&nodes);
    cluster.create_all(&nodes).await?;
    cluster.start_parts(&parts).await?;
    cluster.write_kubeconfig()?;
    print(format!("kubeconfig: {}", cluster.kubeconfig().display()))?;
    cluster.create_all(&workload).await?;

    let pods: usize = expected.values().map(|expectation| expectation.placed + expectation.pending).sum();
    let outcomes = follow(&cluster.client(), pods).await?;
    let apps = workload.iter().filter_map(|object| field(object, "name"));
    let (placed, rejected) = outcomes.counts();
    let report = DemoReport {
        deployments: apps.map(|app| DeploymentReport::new(app, &outcomes, &zone_of)).collect(),
        placed,
        rejected,
        nodes: nodes.len(),
        unexpected: outcomes.differences(&expected),
    };
    output::print(&report, format)?;
    let rejected = outcomes.first_rejected().filter(|_| format.is_table());
    if let Some(pod) = rejected {
        explain(&cluster.client(), pod).await?;
    }
    if let Some(directory) = capture {
        let replay = quoted(directory.display());
        print(format!(
            "\nEvery event and decision was recorded. To play them back: berth replay {replay}\nTo look at them in a \
             browser: berth replay {replay} --ui"
        ))?;
    }
    if std::io::stdout().is_terminal() && format.is_table() {
        tokio::select! {
            served = serve(&cluster, rejected, &report.unexpected) => served?,
            ended = cluster.scheduler_ended(debug_signal) => ended?,
        }
        return cluster.stop().await;
    }
    cluster.stop().await?;
    if !report.unexpected.is_empty() {
        bail!("the result differs from host/demo/expected.yaml:\n  {}", report.unexpected.join("\n  "));
    }
    Ok(())
}

/// Explains why this pod is pending, as `berth explain pod` does.
async fn explain(client: &Client, pod: &str) -> Result<()> {
    let request = Request::get(format!("/berth/v1/namespaces/default/pods/{pod}")).body(Vec::new())?;
    let answer: PodAnswer = client.request(request).await.with_context(|| format!("explaining pod {pod}"))?;
    out::line(format_args!("\nWhy is one of them pending? `berth explain pod {pod}`:\n"))?;
    answer.explanation.iter().try_for_each(|explanation| out::text(text::explanation(explanation)))?;
    Ok(())
}

/// Keeps the cluster running until Ctrl-C. `rejected` is a pending pod.
async fn serve(cluster: &Cluster, rejected: Option<&str>, differences: &[String]) -> Result<()> {
    differences.iter().try_for_each(|difference| out::line(format_args!("unexpected: {difference}")))?;
    let kubeconfig = cluster.kubeconfig().display();
    let page = cluster.page();
    out::line(format_args!("\nThe cluster runs until Ctrl-C. In a browser:\n\n  {page}\n\nFrom another terminal:\n"))?;
    out::line(format_args!("  export KUBECONFIG={kubeconfig}"))?;
    out::line("  kubectl get pods -o wide")?;
    out::line("  kubectl describe pod -l app=giant")?;
    out::line(format_args!("  berth explain pod {}", rejected.unwrap_or("NAME")))?;
    out::line("  berth explain queue")?;
    out::line("  kubectl scale deployment web --replicas=80\n")?;
    tokio::signal::ctrl_c().await.context("waiting for Ctrl-C")
}

/// Watches until `pods` pods have a node or a reason for having none. Shows a progress bar.
async fn follow(client: &Client, pods: usize) -> Result<Outcomes> {
    let decided = Arc::new(AtomicUsize::new(0));
    let _progress = Progress::counted("pods decided", pods, Arc::clone(&decided));
    let api: Api<Pod> = Api::default_namespaced(client.clone());
    let mut watch = watcher::watcher(api, watcher::Config::default()).boxed();
    let mut outcomes = Outcomes::default();
    loop {
        let next = tokio::time::timeout(PATIENCE, watch.try_next()).await;
        let (placed, rejected) = outcomes.counts();
        let Ok(event) = next else {
            let stuck = format!(
                "no pod has changed for {PATIENCE:?}: {placed} pods are scheduled, {rejected} are rejected, {pods} are expected"
            );
            return Err(anyhow!(stuck)).or_hint(|| "berth demo --log=info".to_owned());
        };
        match event.context("watching pods")? {
            Some(Event::Apply(pod) | Event::InitApply(pod)) => outcomes.set(&pod),
            Some(Event::Delete(pod)) => outcomes.remove(&pod),
            Some(Event::Init | Event::InitDone) => {}
            None => bail!("the watch of the pods has ended"),
        }
        let (placed, rejected) = outcomes.counts();
        decided.store(placed + rejected, Relaxed);
        if placed + rejected >= pods {
            return Ok(outcomes);
        }
    }
}

fn field<'a>(object: &'a Value, field: &str) -> Option<&'a str> {
    object["metadata"][field].as_str()
}

fn zones(nodes: &[Value]) -> BTreeMap<String, String> {
    let zone = |node: &Value| {
        let zone = node["metadata"]["labels"]["topology.kubernetes.io/zone"].as_str()?;
        Some((field(node, "name")?.to_owned(), zone.to_owned()))
    };
    nodes.iter().filter_map(zone).collect()
}
