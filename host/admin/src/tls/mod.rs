//! TLS of the server: certificate, versions and cipher suites, and client certificates in the handshake.

mod certificate;
mod cipher_suites;
mod error;
mod peer;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::NoServerSessionStorage;

pub use self::certificate::{Certificate, Pair};
pub use self::cipher_suites::{Choice, MinVersion};
pub use self::error::TlsError;
use self::peer::AnyPeer;

/// The server's TLS options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--cert-dir`: the directory of the self-signed pair. Without a directory, the pair is created in memory.
    pub directory: Option<PathBuf>,
    /// `--tls-cert-file` and `--tls-private-key-file`. The files take precedence over the directory.
    pub pair: Option<Pair>,
    /// `--tls-min-version`, `--tls-cipher-suites` and `--tls-curve-preferences`.
    pub choice: Choice,
}

/// Returns the TLS configuration of all connections. The server requests a client certificate but does not require
/// one. Each request is authenticated separately.
pub(super) fn server_config(
    choice: &Choice,
    certificate: Arc<Certificate>,
) -> Result<Arc<ServerConfig>, tokio_rustls::rustls::Error> {
    let provider = Arc::new(choice.of(ring::default_provider()));
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(choice.versions())?
        .with_client_cert_verifier(Arc::new(AnyPeer::new(provider)))
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A resumed session would keep a client certificate valid after its authority was removed.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}
