//! `berth run`: places the pods of a cluster until stopped.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use tracing::{info, warn};

use crate::config::{self, Configuration};
use crate::scheduler::{Options, Scheduler};

/// How long bindings, conditions and events that are under way may take at the end.
const DRAIN: Duration = Duration::from_secs(10);

/// Arguments of `berth run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cluster to work in [default: the one whose pod this is].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// A directory of plugins (`*.wasm`), watched: what is dropped there takes effect.
    #[arg(long, value_name = "DIR")]
    plugins: Option<PathBuf>,
    /// A KubeSchedulerConfiguration, of which profiles, plugins, weights and pluginConfig are read.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Place pods whose spec.schedulerName is this [default: default-scheduler].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    scheduler_name: Option<String>,
    /// Where compiled plugins are kept between runs [default: a folder of the user's cache].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

/// Runs until SIGTERM or Ctrl-C, then ends what is under way.
///
/// # Errors
/// The configuration, the cluster's address, or the plugins are not right.
pub async fn run(args: Args) -> Result<()> {
    let configuration = match &args.config {
        Some(file) => config::load(file)?,
        None => Configuration::default_profile(args.scheduler_name.as_deref()),
    };
    let client = crate::kube::connect(args.kubeconfig.as_deref()).await?;
    let options = Options { configuration, plugins_dir: args.plugins, cache_dir: args.cache_dir, ..Options::default() };
    let starting = Scheduler::start(client, options);
    let scheduler = tokio::select! {
        scheduler = starting => scheduler?,
        stopped = super::stopped() => return stopped,
    };
    info!("ready: placing pods");
    super::stopped().await?;
    info!("stopping: ending what is under way");
    let undone = scheduler.stop(DRAIN).await?;
    if undone != crate::kube::Undone::default() {
        warn!("not awaited at the end: {undone:?}");
    }
    Ok(())
}
