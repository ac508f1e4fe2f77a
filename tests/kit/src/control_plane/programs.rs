//! The command lines of etcd and kube-apiserver, and the files that they read.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use rcgen::KeyPair;

use super::{ADMIN_TOKEN, Authorization, Options};

/// The name of an administrator's kubeconfig.
pub const KUBECONFIG: &str = "kubeconfig";

const TOKENS: &str = "tokens.csv";
const SERVICE_ACCOUNT_KEY: &str = "sa.key";
const SERVICE_ACCOUNT_PUBLIC_KEY: &str = "sa.pub";
const CLIENT_AUTHORITY: &str = "clients.crt";

/// The ports of a control plane.
pub struct Addresses {
    etcd_clients: u16,
    etcd_peers: u16,
    apiserver: u16,
}

impl Addresses {
    /// Returns ports on which no process listens now.
    ///
    /// # Errors
    /// Returns the operating system's error.
    pub fn free() -> Result<Self> {
        // All listeners are open at once, so that the ports are different.
        let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        let last = TcpListener::bind("127.0.0.1:0")?;
        let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
        Ok(Self { etcd_clients: port(&listeners[0])?, etcd_peers: port(&listeners[1])?, apiserver: port(&last)? })
    }
}

/// Writes tokens, keys and the kubeconfig into the folder.
pub fn write_files(folder: &Path, options: &Options, addresses: &Addresses) -> Result<()> {
    let others = options.tokens.iter().map(|(token, user)| format!("{token},{user},{user}-uid\n"));
    let tokens = [format!("{ADMIN_TOKEN},admin,admin-uid,\"system:masters\"\n")].into_iter().chain(others);
    fs::write(folder.join(TOKENS), tokens.collect::<String>())?;
    let key = KeyPair::generate()?;
    fs::write(folder.join(SERVICE_ACCOUNT_KEY), key.serialize_pem())?;
    fs::write(folder.join(SERVICE_ACCOUNT_PUBLIC_KEY), key.public_key_pem())?;
    if let Some(authority) = &options.client_authority {
        fs::write(folder.join(CLIENT_AUTHORITY), authority)?;
    }
    let kubeconfig = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
         clusters: [{{name: test, cluster: {{server: \"https://127.0.0.1:{}\", insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: test, user: {{token: \"{ADMIN_TOKEN}\"}}}}]\n\
         contexts: [{{name: test, context: {{cluster: test, user: test}}}}]\n",
        addresses.apiserver
    );
    Ok(fs::write(folder.join(KUBECONFIG), kubeconfig)?)
}

/// Returns the command of etcd. The data is not needed after the test, so etcd does not wait for the disk.
pub fn etcd(assets: &Path, addresses: &Addresses) -> Command {
    let clients = format!("http://127.0.0.1:{}", addresses.etcd_clients);
    let peers = format!("http://127.0.0.1:{}", addresses.etcd_peers);
    let mut command = Command::new(assets.join("etcd"));
    command
        .args(["--name=default", "--unsafe-no-fsync", "--log-level=warn", "--quota-backend-bytes=8589934592"])
        .arg("--data-dir=etcd")
        .args([format!("--listen-client-urls={clients}"), format!("--advertise-client-urls={clients}")])
        .args([format!("--listen-peer-urls={peers}"), format!("--initial-advertise-peer-urls={peers}")])
        .arg(format!("--initial-cluster=default={peers}"));
    command
}

/// Returns the command of the API server.
pub fn apiserver(assets: &Path, options: &Options, addresses: &Addresses) -> Command {
    let mut command = Command::new(assets.join("kube-apiserver"));
    command
        .arg(format!("--etcd-servers=http://127.0.0.1:{}", addresses.etcd_clients))
        .args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--cert-dir=certs"])
        .arg(format!("--secure-port={}", addresses.apiserver))
        .arg(format!("--token-auth-file={TOKENS}"))
        .arg(format!("--service-account-issuer=https://127.0.0.1:{}/", addresses.apiserver))
        .arg(format!("--service-account-key-file={SERVICE_ACCOUNT_PUBLIC_KEY}"))
        .arg(format!("--service-account-signing-key-file={SERVICE_ACCOUNT_KEY}"))
        .args(["--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", "--endpoint-reconciler-type=none"]);
    match options.authorization {
        Authorization::AlwaysAllow => command.arg("--authorization-mode=AlwaysAllow"),
        Authorization::Rbac => command.args(["--authorization-mode=RBAC", "--anonymous-auth=false"]),
    };
    if options.client_authority.is_some() {
        command.arg(format!("--client-ca-file={CLIENT_AUTHORITY}"));
    }
    if !options.disabled_admission_plugins.is_empty() {
        command.arg(format!("--disable-admission-plugins={}", options.disabled_admission_plugins.join(",")));
    }
    command.args(&options.flags);
    command
}
