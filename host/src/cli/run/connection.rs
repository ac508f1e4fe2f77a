//! Flags of the connection to the API server, as kube-scheduler has them.

use std::path::PathBuf;

use anyhow::Result;
use kube::Client;

use crate::config::Configuration;

/// Which API server, and how much it is asked.
#[derive(Clone, Debug, clap::Args)]
pub struct ConnectionFlags {
    /// The cluster to work in [default: what the configuration says, or the one whose pod this is].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The API server's address, in the place of the kubeconfig's.
    #[arg(long, value_name = "URL")]
    master: Option<String>,
    /// Begin at most so many requests a second [default: no limit]. Without a meaning beside --config, which has its own.
    #[arg(long, value_name = "NUMBER")]
    kube_api_qps: Option<f32>,
    /// And so many at once [default: 100].
    #[arg(long, value_name = "NUMBER")]
    kube_api_burst: Option<i32>,
}

impl ConnectionFlags {
    /// Puts what was given in the place of what the configuration says, `of_file` or by default.
    pub fn apply_to(&self, configuration: &mut Configuration, of_file: bool) {
        let connection = &mut configuration.client_connection;
        if let Some(kubeconfig) = &self.kubeconfig {
            connection.kubeconfig = Some(kubeconfig.display().to_string());
        }
        if !of_file {
            connection.qps = self.kube_api_qps.or(connection.qps);
            connection.burst = self.kube_api_burst.or(connection.burst);
        }
    }

    /// The client that the configuration, with the flags in it, describes.
    ///
    /// # Errors
    /// There is no API server to talk to, or what says which can't be used.
    pub async fn client(&self, configuration: &Configuration) -> Result<Client> {
        let connection = &configuration.client_connection;
        let client = crate::kube::connect_at(connection.kubeconfig(), self.master.as_deref()).await?;
        Ok(match connection.rate() {
            Some((qps, burst)) => crate::kube::limited(client, qps, burst),
            None => client,
        })
    }
}
