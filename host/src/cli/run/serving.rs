//! Flags of secure serving, as in kube-scheduler.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ArgAction;
use tracing::warn;

use super::boolean;
use crate::cli::port::Port;
use berth_admin::{Choice, MinVersion, Pair, Sharing, TlsOptions};

/// The flags of the HTTPS server for health and metrics.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Secure serving")]
pub struct ServingFlags {
    /// IP address on which health and metrics are served.
    ///
    /// In a pod, use 0.0.0.0 or ::, because probes do not reach the loopback address. kube-scheduler's default is 0.0.0.0.
    /// The paths are /healthz, /livez, /readyz, /metrics and /configz.
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind_address: IpAddr,
    /// HTTPS port for health and metrics; 0 serves nothing, `any` uses a free port.
    #[arg(long, value_name = "PORT", default_value_t = Port::Of(10259))]
    secure_port: Port,
    /// Serve a read-only web page over HTTP on 127.0.0.1.
    ///
    /// Without a port, the port is 10280; `any` uses a free port. Everybody who can reach the port sees all nodes and pods.
    /// From outside of a pod: kubectl port-forward.
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "10280")]
    ui: Option<Port>,
    /// Let several processes listen on the HTTPS port (SO_REUSEPORT).
    #[arg(long, value_name = "BOOL", value_parser = boolean, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    permit_port_sharing: bool,
    /// Directory of the self-signed certificate [default: kept in memory].
    ///
    /// The files are kube-scheduler.crt and kube-scheduler.key.
    #[arg(long, value_name = "DIR")]
    cert_dir: Option<PathBuf>,
    /// Certificate chain of the server, in PEM; reloaded when the file changes.
    #[arg(long, value_name = "FILE")]
    tls_cert_file: Option<PathBuf>,
    /// Private key for --tls-cert-file, in PEM.
    #[arg(long, value_name = "FILE")]
    tls_private_key_file: Option<PathBuf>,
    /// Lowest TLS version: VersionTLS12 or VersionTLS13 [default: VersionTLS12].
    #[arg(long, value_name = "VERSION")]
    tls_min_version: Option<MinVersion>,
    /// Cipher suites of TLS 1.2, by Go's names [default: all supported ones].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    tls_cipher_suites: Vec<String>,
    /// Key exchange groups by number: 23, 24 or 29 [default: all of them].
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    tls_curve_preferences: Vec<u16>,
}

impl ServingFlags {
    /// Returns address and port, or `None` if the server is disabled.
    pub fn address(&self) -> Option<SocketAddr> {
        Some(SocketAddr::new(self.bind_address, self.secure_port.to_bind()?))
    }

    /// Returns the port of the web page, 0 for any free port, or `None` if there is no page.
    pub fn ui_port(&self) -> Option<u16> {
        self.ui?.to_bind()
    }

    pub fn sharing(&self) -> Sharing {
        Sharing { port: self.permit_port_sharing }
    }

    /// Returns the TLS options.
    ///
    /// # Errors
    /// A certificate is given without a key or the other way round, or the name of a cipher suite does not
    /// begin with `TLS_`.
    pub fn tls(&self) -> Result<TlsOptions> {
        let pair = match (&self.tls_cert_file, &self.tls_private_key_file) {
            (Some(certificate), Some(key)) => Some(Pair { certificate: certificate.clone(), key: key.clone() }),
            (None, None) => None,
            (Some(_), None) => bail!("--tls-cert-file needs --tls-private-key-file with the key of the certificate"),
            (None, Some(_)) => bail!("--tls-private-key-file needs --tls-cert-file with the certificate of the key"),
        };
        let choice = Choice {
            min_version: self.tls_min_version.unwrap_or_default(),
            suites: self.tls_cipher_suites.clone(),
            groups: self.tls_curve_preferences.clone(),
        };
        for name in choice.unsupported_suites() {
            if !name.starts_with("TLS_") {
                bail!("--tls-cipher-suites: {name:?} is not a cipher suite; use a name that begins with TLS_");
            }
            warn!(suite = %name, "cipher suite is not supported and left out");
        }
        for group in choice.unsupported_groups() {
            warn!(group, supported = "23, 24, 29", "key exchange group is not supported and left out");
        }
        Ok(TlsOptions { directory: self.cert_dir.clone(), pair, choice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        serving: ServingFlags,
    }

    fn parse(flags: &[&str]) -> ServingFlags {
        Cli::try_parse_from([&["run"], flags].concat()).unwrap_or_else(|e| panic!("{e}")).serving
    }

    #[test]
    fn the_default_address_is_loopback() {
        for (flags, address) in [
            (&[][..], Some("127.0.0.1:10259")),
            (&["--bind-address=::", "--secure-port=any"], Some("[::]:0")),
            (&["--bind-address", "0.0.0.0", "--secure-port", "443"], Some("0.0.0.0:443")),
            (&["--secure-port=0"], None),
        ] {
            assert_eq!(parse(flags).address().map(|address| address.to_string()).as_deref(), address, "{flags:?}");
        }
        assert!(Cli::try_parse_from(["run", "--secure-port=65536"]).is_err());
    }

    #[test]
    fn the_page_is_served_on_request() {
        for (flags, port) in [
            (&[][..], None),
            (&["--ui"], Some(10280)),
            (&["--ui=8080"], Some(8080)),
            (&["--ui=any"], Some(0)),
            (&["--ui=0"], None),
        ] {
            assert_eq!(parse(flags).ui_port(), port, "{flags:?}");
        }
    }

    #[test]
    fn certificate_and_key_flags_require_each_other() {
        for (flags, error) in [
            (&["--tls-cert-file=a"][..], Some("needs --tls-private-key-file")),
            (&["--tls-private-key-file=a"], Some("needs --tls-cert-file")),
            (&["--tls-cert-file=a", "--tls-private-key-file=b"], None),
            (&["--tls-cipher-suites=TLS_AES_128_GCM_SHA256,AES"], Some("\"AES\" is not a cipher suite")),
            (&["--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA", "--tls-min-version=VersionTLS13"], None),
        ] {
            let message = parse(flags).tls().err().map(|error| error.to_string());
            assert_eq!(message.is_some(), error.is_some(), "{flags:?}: {message:?}");
            assert!(message.unwrap_or_default().contains(error.unwrap_or_default()), "{flags:?}");
        }
    }
}
