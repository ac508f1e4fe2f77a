//! The connection to the scheduler that is asked.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use http::Request;
use kube::Client;
use serde::de::DeserializeOwned;

use crate::cli::hint::Hint;
use berth_kube::{ServerOptions, UserConnection};

/// Flags of the scheduler to ask.
#[derive(Clone, Debug, clap::Args)]
pub struct SourceFlags {
    /// Kubeconfig [default: as kubectl, else the pod's cluster].
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    kubeconfig: Option<PathBuf>,
    /// Lease of the scheduler [default: the only one that names a pod].
    ///
    /// Written as NAMESPACE/NAME. The command reaches the leader by a port-forward. `berth sim` and `berth demo` need no
    /// Lease.
    #[arg(long, value_name = "LEASE", value_parser = lease, conflicts_with_all = ["server", "replay"])]
    lease: Option<(String, String)>,
    /// URL of the scheduler's HTTPS server [default: a port-forward].
    ///
    /// For example https://127.0.0.1:10259. The command sends the token or the client certificate of the kubeconfig.
    #[arg(long, value_name = "URL", conflicts_with = "replay")]
    server: Option<String>,
    /// File with the certificate authorities of --server, in PEM.
    #[arg(long, value_name = "FILE", requires = "server")]
    certificate_authority: Option<PathBuf>,
    /// Do not verify the certificate of --server.
    ///
    /// Anyone on the way could then read your token.
    #[arg(long, requires = "server", conflicts_with = "certificate_authority")]
    insecure_skip_tls_verify: bool,
}

/// Parses NAMESPACE/NAME.
fn lease(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
            Ok((namespace.to_owned(), name.to_owned()))
        }
        _ => Err("expected NAMESPACE/NAME, for example berth-system/berth".to_owned()),
    }
}

/// A connection to a scheduler.
pub struct Source {
    user: UserConnection,
    lease: Option<(String, String)>,
    /// The server of `--server`.
    server: Option<Client>,
}

impl SourceFlags {
    /// Reads the kubeconfig. Sends no request.
    ///
    /// # Errors
    /// The kubeconfig or a file can't be used.
    pub async fn connect(&self) -> Result<Source> {
        let hint = || "kubectl config view --minify".to_owned();
        let user = UserConnection::from_kubeconfig(self.kubeconfig.as_deref()).await.or_hint(hint)?;
        let server = self.server.as_ref().map(|url| ServerOptions {
            url: url.clone(),
            authorities: self.certificate_authority.clone(),
            insecure: self.insecure_skip_tls_verify,
        });
        let server = server.map(|server| user.server(&server)).transpose()?;
        Ok(Source { user, lease: self.lease.clone(), server })
    }
}

impl Source {
    /// Returns the namespace of the kubeconfig's context.
    pub fn namespace(&self) -> &str {
        self.user.namespace()
    }

    /// Gets this path: from `--server`, from the API server if it is `berth sim`, or else from the leader.
    ///
    /// # Errors
    /// The scheduler can't be reached, or refuses the request, with its message.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        if let Some(server) = &self.server {
            return self.message_of(get(server, path).await);
        }
        if self.lease.is_none() {
            match get(self.user.api_server(), path).await {
                Err(kube::Error::Api(status)) if is_unknown_path(&status) => {}
                answer => return self.message_of(answer),
            }
        }
        let leader = self.leader().await?;
        self.message_of(get(&leader, path).await)
    }

    /// Returns the answer, or the message of a refusal.
    fn message_of<T>(&self, answer: kube::Result<T>) -> Result<T> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(kube::Error::Api(status)) => Err(anyhow!("{}", status.message)),
            Err(error) => {
                let whom = if self.server.is_some() { "the scheduler" } else { "the API server" };
                let causes = berth_kube::error_with_causes(&error);
                Err(anyhow!("{whom} can't be reached: {causes}")).or_hint(|| "kubectl cluster-info".to_owned())
            }
        }
    }

    async fn leader(&self) -> Result<Client> {
        let lease = self.lease.as_ref().map(|(namespace, name)| (namespace.as_str(), name.as_str()));
        let hint = || match lease {
            Some((namespace, _)) => format!("kubectl auth can-i get leases -n {namespace}"),
            None => "berth explain … --lease NAMESPACE/NAME, which does not list all Leases".to_owned(),
        };
        let leaders = self.user.leaders(lease).await.or_hint(hint)?;
        let location = match leaders.as_slice() {
            [(_, location)] => location,
            [] => {
                return Err(anyhow!(
                    "no Lease names the pod of a leading scheduler. Berth writes its pod into its Lease if the pod has \
                     the variables POD_NAMESPACE and POD_NAME, as the chart sets them"
                ))
                .or_hint(|| "kubectl get leases -A".to_owned());
            }
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                bail!("several schedulers lead: choose one with --lease: {}", names.join(", "));
            }
        };
        self.user.leader(location).await.or_hint(|| format!("kubectl get pods -n {}", location.namespace))
    }
}

async fn get<T: DeserializeOwned>(client: &Client, path: &str) -> kube::Result<T> {
    let request = Request::get(path).body(Vec::new()).map_err(kube::Error::HttpError)?;
    client.request(request).await
}

/// Returns whether the API server does not know the path, rather than an object. It then answers without details of an
/// object.
fn is_unknown_path(status: &kube::core::Status) -> bool {
    let of_berth = ["pods ", "there is no node"];
    (status.code == 404 || status.code == 403) && !of_berth.iter().any(|known| status.message.starts_with(known))
}

/// Returns the text as one segment of a path or one value of a query.
pub fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("web-0.a"), "web-0.a");
        assert_eq!(escaped("a/b?c d"), "a%2Fb%3Fc%20d");
    }

    #[test]
    fn a_lease_has_a_namespace_and_a_name() {
        assert_eq!(lease("berth-system/berth"), Ok(("berth-system".to_owned(), "berth".to_owned())));
        for wrong in ["berth", "/berth", "a/", "a/b/c", ""] {
            assert!(lease(wrong).is_err(), "{wrong}");
        }
    }
}
