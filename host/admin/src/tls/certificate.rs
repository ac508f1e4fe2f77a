//! The server's certificate: from files, which are reloaded when they change, or self-signed.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tracing::{info, warn};

use super::{Options, TlsError};
use crate::file;

/// The names of the certificate file and the key file in `--cert-dir`, as in kube-scheduler.
const NAMES: (&str, &str) = ("kube-scheduler.crt", "kube-scheduler.key");

/// The period of checks for changed files.
const PERIOD: Duration = Duration::from_secs(5);

/// The files of a certificate chain and of its private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// `--tls-cert-file`.
    pub certificate: PathBuf,
    /// `--tls-private-key-file`.
    pub key: PathBuf,
}

/// The current certificate of the server.
#[derive(Debug)]
pub struct Certificate {
    current: RwLock<Arc<CertifiedKey>>,
    /// The files that the certificate was read from, or `None` for a self-signed certificate in memory.
    followed: Option<Pair>,
}

impl Certificate {
    /// Loads the certificate that the options name. If the directory lacks a file, writes a self-signed certificate
    /// there. Without files and directory, makes a self-signed certificate in memory. A self-signed certificate is
    /// valid for `localhost`, the loopback addresses and the address `served`, unless `served` is unspecified (such as
    /// 0.0.0.0).
    ///
    /// # Errors
    /// A file can't be read or written, or has the wrong content.
    pub fn load(options: &Options, served: IpAddr) -> Result<Self, TlsError> {
        let in_directory =
            |directory: &PathBuf| Pair { certificate: directory.join(NAMES.0), key: directory.join(NAMES.1) };
        let pair = match (&options.pair, &options.directory) {
            (Some(pair), _) => Some(pair.clone()),
            (None, Some(directory)) => {
                let pair = in_directory(directory);
                if !pair.certificate.exists() || !pair.key.exists() {
                    write_pair(&pair, &self_signed(served)?)?;
                }
                Some(pair)
            }
            (None, None) => None,
        };
        let current = match &pair {
            Some(pair) => read(pair)?,
            None => certified_key(&self_signed(served)?)?,
        };
        Ok(Self { current: RwLock::new(Arc::new(current)), followed: pair })
    }

    /// Returns the SHA-256 of the current certificate in DER, in hexadecimal digits.
    pub fn fingerprint(&self) -> Option<String> {
        self.current().cert.first().map(|certificate| berth_kube::lease::fingerprint(certificate))
    }

    /// Reloads the files when the certificate file changes. If the new content can't be used, the previous certificate
    /// stays. Returns at once if there are no files.
    pub async fn follow(self: Arc<Self>) {
        let Some(pair) = &self.followed else { return };
        let mut last_failure = None;
        loop {
            tokio::time::sleep(PERIOD).await;
            let failure = match read(pair) {
                Ok(new) if new.cert == self.current().cert => None,
                Ok(new) => {
                    *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                    info!(file = %pair.certificate.display(), "reloaded the serving certificate");
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(error) = failure.as_ref().filter(|_| failure != last_failure) {
                warn!(%error, "reload of the serving certificate failed; keeping the previous one; trying again");
            }
            last_failure = failure;
        }
    }

    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

fn read(pair: &Pair) -> Result<CertifiedKey, TlsError> {
    let (of_certificate, of_key) = ("--tls-cert-file", "--tls-private-key-file");
    let text = |flag: &'static str, file: &Path| {
        file::read(file).map_err(|source| TlsError::Unreadable { flag, file: file.to_owned(), source })
    };
    let content =
        |flag: &'static str, file: &Path, reason: String| TlsError::Content { flag, file: file.to_owned(), reason };
    let certificates = text(of_certificate, &pair.certificate)?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&certificates)
        .collect::<Result<_, _>>()
        .map_err(|error| content(of_certificate, &pair.certificate, format!("is not valid PEM: {error}")))?;
    if certificates.is_empty() {
        let reason = "contains no block -----BEGIN CERTIFICATE-----".to_owned();
        return Err(content(of_certificate, &pair.certificate, reason));
    }
    let key = PrivateKeyDer::from_pem_slice(&text(of_key, &pair.key)?)
        .map_err(|_| content(of_key, &pair.key, "contains no unencrypted private key in PEM".to_owned()))?;
    CertifiedKey::from_der(certificates, key, &ring::default_provider()).map_err(|source| TlsError::NoPair {
        certificate: pair.certificate.clone(),
        key: pair.key.clone(),
        source,
    })
}

/// A self-signed certificate and its key.
struct SelfSigned {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

fn self_signed(served: IpAddr) -> Result<SelfSigned, TlsError> {
    let fail = |error: rcgen::Error| TlsError::SelfSigned(error.to_string());
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    if !served.is_unspecified() && !served.is_loopback() {
        names.push(served.to_string());
    }
    let key = KeyPair::generate().map_err(fail)?;
    let mut parameters = CertificateParams::new(names).map_err(fail)?;
    parameters.distinguished_name.push(rcgen::DnType::CommonName, "berth, self-signed");
    let certificate = parameters.self_signed(&key).map_err(fail)?;
    Ok(SelfSigned { certificate, key })
}

fn certified_key(made: &SelfSigned) -> Result<CertifiedKey, TlsError> {
    let key = PrivateKeyDer::Pkcs8(made.key.serialize_der().into());
    CertifiedKey::from_der(vec![made.certificate.der().clone()], key, &ring::default_provider())
        .map_err(|error| TlsError::SelfSigned(error.to_string()))
}

/// Writes the key first: a reader that finds the certificate finds both.
fn write_pair(pair: &Pair, made: &SelfSigned) -> Result<(), TlsError> {
    for (path, text) in [(&pair.key, made.key.serialize_pem()), (&pair.certificate, made.certificate.pem())] {
        file::write_privately(path, &text).map_err(|source| TlsError::Unwritable { file: path.clone(), source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path) -> Pair {
        let pair = Pair { certificate: directory.join("a.crt"), key: directory.join("a.key") };
        write_pair(&pair, &self_signed(IpAddr::from([10, 0, 0, 7])).expect("made")).expect("written");
        pair
    }

    #[test]
    fn a_certificate_is_written_to_an_empty_directory_and_then_reused() {
        let home = tempfile::tempdir().expect("a directory");
        let options = Options { directory: Some(home.path().join("new")), ..Options::default() };
        let load = || Certificate::load(&options, IpAddr::from([0, 0, 0, 0])).expect("loaded").current().cert.clone();
        assert_eq!(load(), load());
        assert!(home.path().join("new/kube-scheduler.key").is_file());
    }

    #[test]
    fn errors_name_the_file_and_the_problem() {
        let home = tempfile::tempdir().expect("a directory");
        let (one, other) = (home.path().join("1"), home.path().join("2"));
        for folder in [&one, &other] {
            std::fs::create_dir(folder).expect("made");
        }
        let (good, foreign) = (write(&one), write(&other));
        let empty = home.path().join("empty");
        std::fs::write(&empty, "").expect("written");
        let missing = home.path().join("missing");
        for (certificate, key, expected) in [
            (&good.certificate, &foreign.key, "does not match"),
            (&empty, &good.key, "--tls-cert-file"),
            (&empty, &good.key, "contains no block -----BEGIN CERTIFICATE-----"),
            (&missing, &good.key, "No such file"),
            (&good.certificate, &empty, "--tls-private-key-file"),
            (&good.certificate, &good.certificate, "contains no unencrypted private key"),
        ] {
            let pair = Pair { certificate: certificate.clone(), key: key.clone() };
            let error = read(&pair).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(expected), "{error:?} has no {expected:?}");
        }
        assert!(read(&good).is_ok());
    }
}
