//! A new etcd and kube-apiserver on free ports of the loopback interface. Dropping the [`ControlPlane`] ends both
//! processes.

mod programs;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use k8s_openapi::api::core::v1::Namespace;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use tempfile::TempDir;

use self::programs::{Addresses, apiserver, etcd};
use crate::wait::{Look, eventually};

/// The token of a member of `system:masters`.
pub const ADMIN_TOKEN: &str = "admin-token";

/// The file with the API server's output.
const APISERVER_LOG: &str = "kube-apiserver.log";

/// The file with etcd's output.
const ETCD_LOG: &str = "etcd.log";

/// How the API server decides whether a user may make a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authorization {
    /// Every request is allowed, anonymous ones too.
    #[default]
    AlwaysAllow,
    /// RBAC decides. Anonymous requests are refused.
    Rbac,
}

/// The options of a control plane.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How requests are authorized.
    pub authorization: Authorization,
    /// The admission plugins that are on by default and off here.
    pub disabled_admission_plugins: Vec<&'static str>,
    /// Tokens with their users, beside [`ADMIN_TOKEN`].
    pub tokens: Vec<(&'static str, &'static str)>,
    /// The authority whose client certificates are accepted, as PEM.
    pub client_authority: Option<String>,
    /// More flags of kube-apiserver.
    pub flags: Vec<String>,
}

/// The running etcd and kube-apiserver.
pub struct ControlPlane {
    apiserver: Program,
    etcd: Program,
    folder: PathBuf,
    /// The folder, if this value deletes it. Dropped last, when no process writes into the folder.
    temporary: Option<TempDir>,
}

/// A process, with the command that starts it again.
struct Program {
    command: Command,
    log: PathBuf,
    child: Child,
}

impl ControlPlane {
    /// Returns the folder with the binaries, if `KUBEBUILDER_ASSETS` is set.
    pub fn assets() -> Option<PathBuf> {
        std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from)
    }

    /// Starts etcd and the API server in a temporary folder, and waits until the API server is ready.
    ///
    /// # Errors
    /// Returns an error if `KUBEBUILDER_ASSETS` names no folder with both programs, or one of them fails.
    pub async fn start(options: &Options) -> Result<Self> {
        let folder = TempDir::with_prefix("berth-control-plane-")?;
        let mut plane = Self::start_in(folder.path(), options).await?;
        plane.temporary = Some(folder);
        Ok(plane)
    }

    /// Starts etcd and the API server in an existing folder, and waits until the API server is ready. The files stay in
    /// the folder.
    ///
    /// # Errors
    /// Returns an error if `KUBEBUILDER_ASSETS` names no folder with both programs, or one of them fails.
    pub async fn start_in(folder: &Path, options: &Options) -> Result<Self> {
        let assets = Self::assets()
            .context("KUBEBUILDER_ASSETS is not set. Set it to the folder with etcd and kube-apiserver, or run make test, which sets it")?;
        // The programs run in another folder.
        let assets = std::path::absolute(assets)?;
        for binary in ["etcd", "kube-apiserver"] {
            ensure!(
                assets.join(binary).is_file(),
                "the folder {} of KUBEBUILDER_ASSETS has no {binary}",
                assets.display()
            );
        }
        let folder = std::path::absolute(folder)?;
        let addresses = Addresses::free()?;
        programs::write_files(&folder, options, &addresses)?;
        let etcd = Program::start(etcd(&assets, &addresses), &folder, ETCD_LOG)?;
        let apiserver = Program::start(apiserver(&assets, options, &addresses), &folder, APISERVER_LOG)?;
        let mut plane = Self { apiserver, etcd, folder, temporary: None };
        plane.until_ready().await?;
        Ok(plane)
    }

    /// Returns the folder of the kubeconfig, the logs and the data.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the process ids of etcd and of the API server.
    pub fn pids(&self) -> [u32; 2] {
        [self.etcd.child.id(), self.apiserver.child.id()]
    }

    /// Returns the path of an administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join(programs::KUBECONFIG)
    }

    /// Returns an administrator's client. The client does not retry, so that a test sees every answer of the server.
    ///
    /// # Errors
    /// Returns an error if the kubeconfig is invalid.
    pub async fn client(&self) -> Result<Client> {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig())?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.default_retry = false;
        Ok(Client::try_from(config)?)
    }

    /// Kills the API server without notice. etcd stays.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn kill_apiserver(&mut self) -> Result<()> {
        self.apiserver.kill()
    }

    /// Starts the API server again, at the same address and with the same data. Returns when it is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready.
    pub async fn start_apiserver(&mut self) -> Result<()> {
        self.apiserver.restart()?;
        self.until_ready().await
    }

    /// Stops the API server with SIGSTOP: it keeps its connections and answers nothing.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn pause_apiserver(&self) -> Result<()> {
        self.apiserver.signal("STOP")
    }

    /// Resumes the API server with SIGCONT. Returns when it is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready again.
    pub async fn resume_apiserver(&mut self) -> Result<()> {
        self.apiserver.signal("CONT")?;
        self.until_ready().await
    }

    /// Kills etcd without notice. The API server stays.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn kill_etcd(&mut self) -> Result<()> {
        self.etcd.kill()
    }

    /// Starts etcd again, with the same data. Returns when the API server is ready.
    ///
    /// # Errors
    /// Returns an error if the API server does not become ready.
    pub async fn start_etcd(&mut self) -> Result<()> {
        self.etcd.restart()?;
        self.until_ready().await
    }

    /// Waits until the API server is ready and has created the namespace `default`, which can happen later.
    async fn until_ready(&mut self) -> Result<()> {
        let client = self.client().await?;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let programs = Mutex::new([&mut self.etcd, &mut self.apiserver]);
        eventually("kube-apiserver is ready and has created the namespace default", || async {
            for program in programs.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
                program.check_running()?;
            }
            let checks = client.request_text(http::Request::get("/readyz").body(Vec::new())?).await;
            match (checks, namespaces.get_opt("default").await) {
                (Ok(_), Ok(Some(_))) => Ok(Look::Yes(())),
                (Ok(_), Ok(None)) => Ok(Look::NotYet("the namespace default does not exist yet".into())),
                (Err(error), _) | (_, Err(error)) => Ok(Look::NotYet(format!("{error}"))),
            }
        })
        .await
    }
}

impl Program {
    /// Starts the command in the folder, with a log there.
    fn start(mut command: Command, folder: &Path, log: &str) -> Result<Self> {
        command.current_dir(folder);
        let log = folder.join(log);
        let child = spawn(&mut command, &log)?;
        Ok(Self { command, log, child })
    }

    fn restart(&mut self) -> Result<()> {
        self.child = spawn(&mut self.command, &self.log)?;
        Ok(())
    }

    fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn signal(&self, name: &str) -> Result<()> {
        let status = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status()?;
        ensure!(status.success(), "kill -{name} of {:?}: {status}", self.command.get_program());
        Ok(())
    }

    /// Returns an error with the end of the log if the process has ended.
    fn check_running(&mut self) -> Result<()> {
        let Some(status) = self.child.try_wait()? else { return Ok(()) };
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        bail!(
            "{} ended with {status}:\n{}",
            self.command.get_program().display(),
            lines[lines.len().saturating_sub(8)..].join("\n")
        )
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // An error is fine: the process has already ended.
        let _ = self.kill();
    }
}

fn spawn(command: &mut Command, log: &Path) -> Result<Child> {
    let log = File::options().create(true).append(true).open(log)?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn().with_context(|| format!("starting {command:?}"))
}
