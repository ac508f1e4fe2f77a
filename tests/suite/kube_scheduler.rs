//! Runs kube-scheduler as a process.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use berth_test_kit::ControlPlane;
use berth_tests::objects::with;
use berth_tests::{Target, programs};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// Returns true if kube-scheduler and a control plane are available for comparisons.
pub fn is_available() -> bool {
    KubeScheduler::program().is_some() && ControlPlane::assets().is_some()
}

/// A running kube-scheduler, which is killed when dropped.
pub struct KubeScheduler(Child);

impl KubeScheduler {
    /// Returns the path of the program, if `PARITY_SCHEDULER` is set.
    pub fn program() -> Option<PathBuf> {
        std::env::var_os("PARITY_SCHEDULER").map(PathBuf::from)
    }

    /// Starts kube-scheduler for this API server, with the default profile.
    ///
    /// # Errors
    /// Returns an error if kube-scheduler can't be started.
    pub fn start(target: &Target) -> Result<Self> {
        Self::start_with(target, &json!({}))
    }

    /// Starts kube-scheduler as [`KubeScheduler::start`] does. `more` is merged into the configuration.
    ///
    /// # Errors
    /// As [`KubeScheduler::start`].
    pub fn start_with(target: &Target, more: &Value) -> Result<Self> {
        Self::start_with_flags(target, more, &["--secure-port=0"])
    }

    /// Starts kube-scheduler with a port that serves every client without authorization. Also returns the port's
    /// address. `more` is merged into the configuration.
    ///
    /// # Errors
    /// As [`KubeScheduler::start`].
    pub fn start_serving(target: &Target, more: &Value) -> Result<(Self, String)> {
        // kube-scheduler can't choose a free port by itself.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let port = format!("--secure-port={}", address.port());
        let flags = ["--bind-address=127.0.0.1", &port, "--authorization-always-allow-paths=/*"];
        Ok((Self::start_with_flags(target, more, &flags)?, address.to_string()))
    }

    fn start_with_flags(target: &Target, more: &Value, flags: &[&str]) -> Result<Self> {
        let program = Self::program().context("PARITY_SCHEDULER is not set")?;
        let file = target.home().join("kube-scheduler.json");
        std::fs::write(&file, with(configuration(&target.kubeconfig), more).to_string())?;
        let log = std::fs::File::create(target.home().join("kube-scheduler.log"))?;
        let mut command = Command::new(&program);
        command.arg("--config").arg(file).arg("--leader-elect=false").args(flags);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).kill_on_drop(true);
        let child = command.spawn().with_context(|| format!("starting {}", program.display()))?;
        Ok(Self(child))
    }

    /// Sends SIGTERM, and waits until kube-scheduler has ended.
    ///
    /// # Errors
    /// Returns an error if kube-scheduler had ended before.
    pub async fn stop(mut self) -> Result<()> {
        let ended = self.0.try_wait()?;
        ensure!(ended.is_none(), "kube-scheduler has ended by itself with {ended:?}");
        programs::terminate(&mut self.0).await.context("stopping kube-scheduler")?;
        Ok(())
    }
}

fn configuration(kubeconfig: &Path) -> Value {
    json!({
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": kubeconfig, "qps": 1000, "burst": 1000},
        "leaderElection": {"leaderElect": false},
        "profiles": [{
            "schedulerName": "default-scheduler",
            "percentageOfNodesToScore": 100,
        }],
    })
}
