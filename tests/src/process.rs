//! Runs `berth run` as a process of its own, as in a cluster.

use std::path::Path;
use std::process::{ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;

use crate::{programs, served};
use berth_test_kit::wait::{self, Look, PATIENCE, eventually};

/// The log line that has the address of the server of health and metrics.
const SERVING: &str = "serving health and metrics";

/// A running scheduler process, which is killed when dropped.
pub struct Process {
    child: Child,
    log: watch::Receiver<Log>,
}

#[derive(Default)]
struct Log {
    text: String,
    ended: bool,
}

impl Process {
    /// Starts `berth run` for the cluster of this kubeconfig.
    ///
    /// # Errors
    /// Returns an error if the process can't be started.
    pub fn start(kubeconfig: &Path, arguments: &[&str]) -> Result<Self> {
        Self::start_as(kubeconfig, arguments, None)
    }

    /// Starts `berth run` as [`Process::start`] does, with the environment of the pod with this namespace and name.
    ///
    /// # Errors
    /// Returns an error if the process can't be started.
    pub fn start_as(kubeconfig: &Path, arguments: &[&str], pod: Option<(&str, &str)>) -> Result<Self> {
        let mut command = Command::new(programs::berth()?);
        command
            .args(["run", "--secure-port=any", "--authorization-always-allow-paths=/*", "--kubeconfig"])
            .arg(kubeconfig)
            .args(arguments);
        command.env_remove("BERTH_LOG").kill_on_drop(true);
        if let Some((namespace, name)) = pod {
            command.env("POD_NAMESPACE", namespace).env("POD_NAME", name);
        }
        Self::spawn(command)
    }

    /// Runs this command and follows its log.
    ///
    /// # Errors
    /// Returns an error if the process can't be started.
    pub fn spawn(mut command: Command) -> Result<Self> {
        command.env_remove("BERTH_LOG").kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("running {command:?}"))?;
        let (sender, log) = watch::channel(Log::default());
        tokio::spawn(follow_log(child.stderr.take().context("the process has no standard error")?, sender));
        Ok(Self { child, log })
    }

    /// Returns the log so far.
    pub fn log(&self) -> String {
        self.log.borrow().text.clone()
    }

    /// Waits until the log contains `text`.
    ///
    /// # Errors
    /// Returns an error with the log if the log did not contain `text` in time, or the process ended.
    pub async fn until_logged(&self, text: &str) -> Result<()> {
        let condition = format!("the log contains {text:?}");
        wait::begin(&condition);
        let mut log = self.log.clone();
        let logged =
            async { log.wait_for(|log| log.ended || log.text.contains(text)).await.map(|log| log.text.clone()) };
        match tokio::time::timeout(PATIENCE, logged).await {
            Ok(Ok(log)) if log.contains(text) => Ok(()),
            Ok(_) => bail!("berth ended before {condition}:\n{}", self.log()),
            Err(_) => bail!("timed out after {PATIENCE:?} waiting until {condition}:\n{}", self.log()),
        }
    }

    /// Waits, without a limit, for a log line for which `matches` returns true. Returns `None` if the process ends
    /// first.
    pub async fn until_line(&self, matches: impl Fn(&str) -> bool) -> Option<String> {
        let (mut log, mut read) = (self.log.clone(), 0);
        loop {
            let ended = {
                let log = log.borrow_and_update();
                let found = log.text[read..].lines().find(|line| matches(line)).map(str::to_owned);
                if found.is_some() {
                    return found;
                }
                read = log.text.len();
                log.ended
            };
            if ended || log.changed().await.is_err() {
                return None;
            }
        }
    }

    /// Requests `path` on the process's own port without credentials. Returns status and body.
    ///
    /// # Errors
    /// Returns an error if the process does not serve.
    pub async fn get(&self, path: &str) -> Result<(u16, String)> {
        self.get_as(path, None).await
    }

    /// Requests `path` with this token. Returns status and body.
    ///
    /// # Errors
    /// Returns an error if the process does not serve.
    pub async fn get_as(&self, path: &str, token: Option<&str>) -> Result<(u16, String)> {
        served::get(&self.logged_address()?, path, token).await
    }

    /// Posts the JSON document to `path` with this token. Returns status and body.
    ///
    /// # Errors
    /// Returns an error if the process does not serve.
    pub async fn post_as(&self, path: &str, token: Option<&str>, document: &Value) -> Result<(u16, String)> {
        served::post(&self.logged_address()?, path, token, document).await
    }

    /// Waits until the process serves. Returns its address and port.
    ///
    /// # Errors
    /// Returns an error if the process did not serve in time, or ended.
    pub async fn address(&self) -> Result<String> {
        self.until_logged(SERVING).await?;
        self.logged_address()
    }

    fn logged_address(&self) -> Result<String> {
        let log = self.log();
        let line = log.lines().find(|line| line.contains(SERVING));
        let address = line
            .and_then(|line| line.split("https://").nth(1))
            .context("the log has no line with the address of health and metrics")?;
        Ok(address.split(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default().to_owned())
    }

    /// Waits until a scrape of the metrics contains this line: series and value.
    ///
    /// # Errors
    /// Returns an error if it did not in time.
    pub async fn until_metric(&self, line: &str) -> Result<()> {
        eventually(&format!("a scrape shows {line:?}"), || async {
            let (_, text) = self.get("/metrics").await?;
            Ok(Look::at(text.lines().any(|shown| shown == line), || "the scrape does not contain it".into()))
        })
        .await
    }

    /// Sends the process a signal: `USR2`.
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub async fn signal(&self, name: &str) -> Result<()> {
        programs::signal(&self.child, name).await
    }

    /// Stops the process with SIGSTOP, like a suspended machine, until [`Process::resume`].
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub async fn pause(&self) -> Result<()> {
        self.signal("STOP").await
    }

    /// Resumes the process with SIGCONT.
    ///
    /// # Errors
    /// Returns an error if the process has ended.
    pub async fn resume(&self) -> Result<()> {
        self.signal("CONT").await
    }

    /// Returns true if the process has ended.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits until the process has ended by itself and its log is complete.
    ///
    /// # Errors
    /// Returns an error if it did not in time.
    pub async fn until_ended(&mut self) -> Result<ExitStatus> {
        wait::begin("berth ends by itself");
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = ended.with_context(|| format!("berth did not end within {PATIENCE:?}:\n{}", self.log()))??;
        self.until_log_is_complete().await?;
        Ok(status)
    }

    /// Waits until the log is complete: its last lines can arrive after the process has ended.
    async fn until_log_is_complete(&mut self) -> Result<()> {
        let complete = tokio::time::timeout(PATIENCE, self.log.wait_for(|log| log.ended)).await;
        complete.context("berth has ended, but its standard error is still open").map(drop)
    }

    /// Sends SIGTERM, and waits until the process has ended with success and its log is complete.
    ///
    /// # Errors
    /// Returns an error with the log if the process failed or did not end.
    pub async fn stop(&mut self) -> Result<()> {
        let status = programs::terminate(&mut self.child).await;
        if status.is_ok() {
            self.until_log_is_complete().await?;
        }
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => bail!("berth ended with {status}:\n{}", self.log()),
            Err(error) => Err(error.context(format!("stopping berth, whose log is:\n{}", self.log()))),
        }
    }

    /// Kills the process without notice, like a machine that fails.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }
}

async fn follow_log(stderr: ChildStderr, log: watch::Sender<Log>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        log.send_modify(|log| {
            log.text.push_str(&line);
            log.text.push('\n');
        });
    }
    log.send_modify(|log| log.ended = true);
}
