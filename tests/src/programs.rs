//! Programs that tests run: the built `berth` binary, and kubectl.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use berth_test_kit::{ControlPlane, wait};

/// Returns the path of the binary: `BERTH_BIN`, or the binary in the target directory of this test.
///
/// # Errors
/// Returns an error if the binary has not been built.
pub fn berth() -> Result<PathBuf> {
    let beside = || -> Result<PathBuf> {
        let test = std::env::current_exe()?;
        let release = test.parent().and_then(Path::parent).context("the test's binary is not in a target directory")?;
        Ok(release.join("berth"))
    };
    let binary = match std::env::var_os("BERTH_BIN") {
        Some(path) => PathBuf::from(path),
        None => beside()?,
    };
    ensure!(binary.is_file(), "{} does not exist: run `make build`, or set BERTH_BIN", binary.display());
    Ok(binary)
}

/// Returns an example's component, as built by `scripts/guests`.
///
/// # Errors
/// Returns an error if the component has not been built.
pub fn example(name: &str) -> Result<Vec<u8>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/plugins").join(format!("{name}.wasm"));
    std::fs::read(&file).with_context(|| format!("{} can't be read: run scripts/guests {name}", file.display()))
}

/// Returns what the configuration must grant to an example: the value of `plugins[].grants`, in YAML on one line.
pub fn grants_of(example: &str) -> &'static str {
    match example {
        "warm-up" => {
            "{write: [{apiVersion: v1, kind: Node, verbs: [patch], \
             fields: ['metadata.annotations[\"warm-up.example.com/wanted\"]']}]}"
        }
        "binder" => "{write: [{apiVersion: v1, kind: Pod, verbs: [bind]}]}",
        _ => "{}",
    }
}

/// Returns the path of kubectl, from `PATH` or from the folder of the control plane's binaries.
pub fn kubectl_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(ControlPlane::assets());
    folders.map(|folder| folder.join("kubectl")).find(|kubectl| kubectl.is_file())
}

/// kubectl for one cluster.
pub struct Kubectl {
    binary: PathBuf,
    kubeconfig: PathBuf,
}

/// The result of a program that has ended.
#[derive(Debug)]
pub struct Output {
    /// True if the exit status is 0.
    pub success: bool,
    /// The exit status; `None` if a signal ended the program.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Kubectl {
    /// Creates a kubectl for the cluster of this kubeconfig.
    ///
    /// # Errors
    /// Returns an error if there is no kubectl.
    pub fn new(kubeconfig: &Path) -> Result<Self> {
        let binary = kubectl_path().context("no kubectl in the PATH or in KUBEBUILDER_ASSETS")?;
        Ok(Self { binary, kubeconfig: kubeconfig.to_owned() })
    }

    /// Runs kubectl with these arguments. Returns its standard output.
    ///
    /// # Errors
    /// Returns an error with the output if kubectl failed.
    pub async fn run(&self, arguments: &[&str]) -> Result<String> {
        self.run_with(arguments, "").await
    }

    /// Runs kubectl as [`Kubectl::run`] does, with standard input.
    ///
    /// # Errors
    /// As [`Kubectl::run`].
    pub async fn run_with(&self, arguments: &[&str], stdin: &str) -> Result<String> {
        let output = self.output(arguments, stdin).await?;
        ensure!(output.success, "kubectl {arguments:?}: {}{}", output.stdout, output.stderr);
        Ok(output.stdout)
    }

    /// Runs kubectl with `--output=json`. Returns its output as JSON.
    ///
    /// # Errors
    /// As [`Kubectl::run`].
    pub async fn json(&self, arguments: &[&str]) -> Result<Value> {
        let arguments = [arguments, &["--output=json"]].concat();
        serde_json::from_str(&self.run(&arguments).await?).with_context(|| format!("kubectl {arguments:?}"))
    }

    /// Runs kubectl, and returns its output whether or not it succeeds.
    ///
    /// # Errors
    /// Returns an error if kubectl can't be run.
    pub async fn output(&self, arguments: &[&str], stdin: &str) -> Result<Output> {
        wait::begin(&format!("kubectl {arguments:?} ends"));
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().context("running kubectl")?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(stdin.as_bytes()).await?;
        }
        wait_for_output(child).await
    }

    /// Starts a kubectl that keeps running, such as `get --watch`. It is killed when dropped.
    ///
    /// # Errors
    /// Returns an error if kubectl can't be run.
    pub fn spawn(&self, arguments: &[&str]) -> Result<Child> {
        self.command(arguments).stdin(Stdio::null()).spawn().context("running kubectl")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("--kubeconfig").arg(&self.kubeconfig).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }
}

/// Runs `berth` until it ends.
///
/// # Errors
/// Returns an error if `berth` can't be run.
pub async fn run_berth(arguments: &[&str]) -> Result<Output> {
    wait::begin(&format!("berth {arguments:?} ends"));
    wait_for_output(spawn_berth(arguments)?).await
}

/// Starts `berth`. The process is killed when dropped.
///
/// # Errors
/// Returns an error if `berth` can't be run.
pub fn spawn_berth(arguments: &[&str]) -> Result<Child> {
    let mut command = Command::new(berth()?);
    command.args(arguments).env_remove("BERTH_LOG").kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().with_context(|| format!("running berth {arguments:?}"))
}

/// Runs `berth` with a standard output whose reader is closed.
///
/// # Errors
/// Returns an error if `berth` can't be run.
pub async fn run_berth_with_closed_stdout(arguments: &[&str]) -> Result<Output> {
    wait::begin(&format!("berth {arguments:?} ends"));
    let (reader, writer) = std::io::pipe()?;
    drop(reader);
    let mut command = Command::new(berth()?);
    command.args(arguments).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
    wait_for_output(command.spawn().with_context(|| format!("running berth {arguments:?}"))?).await
}

/// Runs a program without input until it ends. It is killed if the test ends first.
///
/// # Errors
/// Returns an error if the program can't be run.
pub async fn run(mut command: Command) -> Result<Output> {
    let shown = format!("{:?}", command.as_std());
    wait::begin(&format!("{shown} ends"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    wait_for_output(command.spawn().with_context(|| format!("running {shown}"))?).await
}

/// Waits until the process has ended. Returns its output.
///
/// # Errors
/// Returns the operating system's error.
pub async fn wait_for_output(child: Child) -> Result<Output> {
    let output = child.wait_with_output().await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status;
    Ok(Output {
        success: status.success(),
        status: status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    })
}

/// Sends SIGTERM, as kubelets and service managers do, and waits until the process has ended.
///
/// # Errors
/// Returns an error if the process had ended before, or did not end within 30 seconds.
pub async fn terminate(child: &mut Child) -> Result<ExitStatus> {
    const STOP_LIMIT: Duration = Duration::from_secs(30);
    signal(child, "TERM").await?;
    let ended = tokio::time::timeout(STOP_LIMIT, child.wait()).await;
    Ok(ended.with_context(|| format!("the process did not end within {STOP_LIMIT:?} of SIGTERM"))??)
}

/// Sends a signal to the process.
///
/// # Errors
/// Returns an error if the process has ended.
pub async fn signal(child: &Child, name: &str) -> Result<()> {
    signal_process(child.id().context("the process has already ended")?, name).await
}

/// Sends a signal to the process with this id.
///
/// # Errors
/// Returns an error if there is no such process.
pub async fn signal_process(id: u32, name: &str) -> Result<()> {
    let status = Command::new("kill").args([format!("-{name}"), id.to_string()]).status().await?;
    ensure!(status.success(), "kill -{name} {id}: {status}");
    Ok(())
}
