//! `berth sim`: runs the in-memory API server.

use std::path::PathBuf;

use anyhow::Result;

use super::cluster::{Cluster, Parts};
use super::demo::files;
use super::out;
use super::stop_signal::StopSignal;
use berth_admin::DebugSignal;

/// Arguments of `berth sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The port on 127.0.0.1 [default: any free one].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Where the kubeconfig goes, when all is ready; a private temporary directory if not given.
    #[arg(long, value_name = "PATH")]
    kubeconfig: Option<PathBuf>,
    /// A directory of further plugins (`*.wasm`) for the scheduler, watched while it runs.
    #[arg(long, value_name = "DIR", conflicts_with = "no_scheduler")]
    plugins: Option<PathBuf>,
    /// Start without the demo's nodes.
    #[arg(long)]
    empty: bool,
    /// Leave the place to another scheduler.
    #[arg(long)]
    no_scheduler: bool,
    /// Without the cluster's other hands: kubelets, workload controllers, garbage collection.
    #[arg(long)]
    no_controllers: bool,
}

/// Serves until stopped.
///
/// # Errors
/// A part can't be started, or a part of the scheduler has ended.
pub async fn run(args: Args) -> Result<()> {
    let mut stop = StopSignal::install()?;
    let debug_signal = DebugSignal::install()?;
    let cluster = tokio::select! {
        started = start(args) => started?,
        () = stop.received() => return Ok(()),
    };
    let (url, kubeconfig) = (cluster.url(), cluster.kubeconfig().display());
    out::line(format_args!("Serving at {url} until stopped. From another terminal:\n"))?;
    out::line(format_args!("  export KUBECONFIG={kubeconfig}\n  kubectl get nodes\n"))?;
    tokio::select! {
        () = stop.received() => {}
        ended = cluster.scheduler_lives(debug_signal) => ended?,
    }
    cluster.stop().await
}

async fn start(args: Args) -> Result<Cluster> {
    let parts = Parts {
        port: args.port,
        kubeconfig: args.kubeconfig,
        plugins: args.plugins,
        no_scheduler: args.no_scheduler,
        no_controllers: args.no_controllers,
    };
    let mut cluster = Cluster::start(&parts).await?;
    if !args.empty {
        cluster.create_all(&files::nodes()?).await?;
    }
    cluster.start_parts(&parts).await?;
    cluster.write_kubeconfig()?;
    Ok(cluster)
}
