//! Errors of TLS files and flags.

use std::path::PathBuf;

use tokio_rustls::rustls;

/// The reason that TLS can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A certificate or key file can't be read.
    #[error("{flag} {file}: {source}", file = file.display())]
    Unreadable {
        /// The flag that names the file.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// A certificate or key file has the wrong content.
    #[error("{flag} {file}: {reason}", file = file.display())]
    Content {
        /// The flag that names the file.
        flag: &'static str,
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Certificate and key are valid, but don't match.
    #[error(
        "the private key {key} does not match the certificate {certificate}: {source}",
        key = key.display(),
        certificate = certificate.display()
    )]
    NoPair {
        /// `--tls-cert-file`.
        certificate: PathBuf,
        /// `--tls-private-key-file`.
        key: PathBuf,
        /// The error of rustls.
        source: rustls::Error,
    },
    /// A self-signed certificate can't be created. Not expected in practice.
    #[error("can't create a self-signed certificate: {0}")]
    SelfSigned(String),
    /// The self-signed certificate or its key can't be written.
    #[error("--cert-dir: the self-signed certificate can't be written to {file}: {source}", file = file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The requested versions, suites and groups leave no valid combination.
    #[error("--tls-min-version, --tls-cipher-suites and --tls-curve-preferences exclude every usable combination: {0}")]
    Nothing(rustls::Error),
}
