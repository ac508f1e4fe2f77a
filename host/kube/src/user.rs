//! Connections with the credentials of a user: to the API server, to a scheduler's HTTPS server, and to the leader
//! through a port-forward.

use std::error::Error;
use std::fmt::Debug;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ::kube::api::ListParams;
use ::kube::client::{Body, ConfigExt};
use ::kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use ::kube::{Api, Client, Config};
use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Pod;
use tokio::sync::Mutex;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, DigitallySignedStruct, Error as RustlsError, SignatureScheme};
use tower_layer::Layer;
use tower_service::Service;

use crate::client::{ConnectError, client, from_file, wrong_kubeconfig};
use crate::lease::{ServerLocation, fingerprint};

/// The name in the TLS handshake and in the header `Host`. The certificate is verified by its fingerprint.
const NAME: &str = "localhost";

/// A server other than the API server, to which the user's credentials are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    /// The URL. It must begin with `https://`.
    pub url: String,
    /// The file of its certificate authorities; `None` for those of the system.
    pub authorities: Option<PathBuf>,
    /// The server's certificate is not verified.
    pub insecure: bool,
}

/// The credentials and the API server of a kubeconfig.
#[derive(Clone)]
pub struct UserConnection {
    config: Config,
    client: Client,
}

/// The reason why the leader can't be reached.
#[derive(Debug, thiserror::Error)]
pub enum ForwardError {
    /// The API server refused a request.
    #[error("{what}: {}", crate::rest::chain(source))]
    Api {
        /// What was tried.
        what: String,
        /// The error.
        source: ::kube::Error,
    },
    /// The user may not forward ports of the pod.
    #[error(
        "forwarding a port of pod {namespace}/{pod} is forbidden; the user needs the verbs get and create on pods/portforward \
         in the namespace {namespace}: {}", message.trim_end_matches([':', ' '])
    )]
    Forbidden {
        /// Namespace of the pod.
        namespace: String,
        /// Name of the pod.
        pod: String,
        /// The API server's message.
        message: String,
    },
    /// The connection to the pod failed.
    #[error("connecting to pod {pod}: {why}")]
    Connection {
        /// Namespace and name of the pod.
        pod: String,
        /// The reason.
        why: String,
    },
}

/// Returns the paths of the kubeconfig files that kubectl reads without `--kubeconfig`.
fn usual_files() -> Vec<PathBuf> {
    match std::env::var_os("KUBECONFIG").filter(|names| !names.is_empty()) {
        Some(names) => std::env::split_paths(&names).collect(),
        None => std::env::home_dir().map(|home| home.join(".kube/config")).into_iter().collect(),
    }
}

/// Merges the kubeconfig files that exist. Of two values for one field, the first one stays, as in kubectl. Returns
/// `None` if no file exists.
fn merged(paths: &[PathBuf]) -> Result<Option<Kubeconfig>, ConnectError> {
    let mut merged: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| path.exists()) {
        let fail = |error: KubeconfigError| wrong_kubeconfig(path, &error);
        let file = Kubeconfig::read_from(path).map_err(fail)?;
        merged = Some(match merged {
            Some(earlier) => earlier.merge(file).map_err(fail)?,
            None => file,
        });
    }
    Ok(merged)
}

impl UserConnection {
    /// Reads the current context of the kubeconfig, by default of the files that kubectl reads: `$KUBECONFIG`, else
    /// `~/.kube/config`. If none of them exists, uses the service account of this pod. Sends no request.
    ///
    /// # Errors
    /// The kubeconfig can't be used, or there is neither a kubeconfig nor a service account.
    pub async fn from_kubeconfig(kubeconfig: Option<&Path>) -> Result<Self, ConnectError> {
        Self::from_context(kubeconfig, None).await
    }

    /// Reads a context of the kubeconfig, as [`Self::from_kubeconfig`]. Without a name, reads the current context.
    ///
    /// # Errors
    /// As [`Self::from_kubeconfig`]. The kubeconfig has no such context.
    pub async fn from_context(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Self, ConnectError> {
        let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
        let config = match kubeconfig {
            Some(path) => from_file(path, &options).await?,
            None => match merged(&usual_files())? {
                Some(merged) => {
                    let usual = Path::new("$KUBECONFIG or ~/.kube/config");
                    let fail = |error: KubeconfigError| wrong_kubeconfig(usual, &error);
                    Config::from_custom_kubeconfig(merged, &options).await.map_err(fail)?
                }
                None => Config::incluster().map_err(ConnectError::NotInCluster)?,
            },
        };
        let client = client(config.clone(), "the user's kubeconfig".to_owned())?;
        Ok(Self { config, client })
    }

    /// Returns the namespace of the context.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.config.default_namespace
    }

    /// Returns a client of the API server.
    #[must_use]
    pub fn api_server(&self) -> &Client {
        &self.client
    }

    /// Returns a client of this server with the user's credentials.
    ///
    /// # Errors
    /// The URL or the file of authorities can't be used.
    pub fn server(&self, server: &ServerOptions) -> Result<Client, ConnectError> {
        let mut config = self.config.clone();
        config.cluster_url = parse_server(&server.url)?;
        config.tls_server_name = None;
        config.accept_invalid_certs = server.insecure;
        config.root_cert = server.authorities.as_deref().map(authorities).transpose()?;
        client(config, "--server".to_owned())
    }

    /// Returns the Leases whose holders announce a server, as `NAMESPACE/NAME` with the server: the Lease of this
    /// namespace and name, or those of all namespaces.
    ///
    /// # Errors
    /// The user may not read the Leases.
    pub async fn leaders(&self, lease: Option<(&str, &str)>) -> Result<Vec<(String, ServerLocation)>, ForwardError> {
        let fail = |what: String| move |source| ForwardError::Api { what, source };
        let leases: Vec<Lease> = match lease {
            Some((namespace, name)) => {
                let api: Api<Lease> = Api::namespaced(self.client.clone(), namespace);
                vec![api.get(name).await.map_err(fail(format!("reading Lease {namespace}/{name}")))?]
            }
            None => {
                let api: Api<Lease> = Api::all(self.client.clone());
                api.list(&ListParams::default()).await.map_err(fail("listing the Leases".to_owned()))?.items
            }
        };
        let leader = |lease: &Lease| {
            let holder = lease.spec.as_ref()?.holder_identity.as_deref().unwrap_or_default();
            let metadata = &lease.metadata;
            let name = format!("{}/{}", metadata.namespace.as_deref()?, metadata.name.as_deref()?);
            let location = ServerLocation::of_lease(&serde_json::to_value(lease).ok()?)?;
            (!holder.is_empty()).then_some((name, location))
        };
        Ok(leases.iter().filter_map(leader).collect())
    }

    /// Returns a client of the leader's server, through a port-forward of the API server. TLS ends at the leader, whose
    /// certificate must have the announced fingerprint.
    ///
    /// # Errors
    /// The user may not forward ports of the pod, the pod does not answer, or it has another certificate.
    pub async fn leader(&self, location: &ServerLocation) -> Result<Client, ForwardError> {
        let pod = format!("{}/{}", location.namespace, location.pod);
        let fail = |why: String| ForwardError::Connection { pod: pod.clone(), why };
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), &location.namespace);
        let what = format!("forwarding port {} of pod {pod}", location.port);
        let forwarded = pods.portforward(&location.pod, &[location.port]).await;
        let mut forwarded = forwarded.map_err(|source| match source {
            ::kube::Error::Api(status) if status.code == 403 => ForwardError::Forbidden {
                namespace: location.namespace.clone(),
                pod: location.pod.clone(),
                message: status.message,
            },
            source => ForwardError::Api { what, source },
        })?;
        let stream =
            forwarded.take_stream(location.port).ok_or_else(|| fail("the port is not forwarded".to_owned()))?;
        let mut tls = self.config.rustls_client_config().map_err(|error| fail(error.to_string()))?;
        tls.dangerous().set_certificate_verifier(Arc::new(Pinned::new(&location.certificate)));
        let name = ServerName::try_from(NAME).map_err(|error| fail(error.to_string()))?;
        let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await;
        let stream = TokioIo::new(stream.map_err(|error| fail(error.to_string()))?);
        let (requests, connection) = handshake(stream).await.map_err(|error| fail(error.to_string()))?;
        tokio::spawn(async move {
            // The connection must live as long as the stream. An error also ends the request.
            let _ = connection.await;
            drop(forwarded);
        });
        let service = OneConnection(Arc::new(Mutex::new(requests)));
        let auth = self.config.auth_layer().map_err(|error| fail(error.to_string()))?;
        let namespace = self.config.default_namespace.clone();
        Ok(match auth {
            Some(auth) => Client::new(auth.layer(service), namespace),
            None => Client::new(service, namespace),
        })
    }
}

/// Sends all requests over one connection, one after the other.
#[derive(Clone)]
struct OneConnection(Arc<Mutex<SendRequest<Body>>>);

impl Service<Request<Body>> for OneConnection {
    type Response = Response<Incoming>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        request.headers_mut().insert(header::HOST, HeaderValue::from_static(NAME));
        let connection = Arc::clone(&self.0);
        Box::pin(async move {
            let mut connection = connection.lock().await;
            connection.ready().await?;
            Ok(connection.send_request(request).await?)
        })
    }
}

/// Accepts the certificate with one fingerprint only.
#[derive(Debug)]
struct Pinned {
    /// The SHA-256 of the certificate, in lower-case hexadecimal digits.
    fingerprint: String,
    provider: CryptoProvider,
}

impl Pinned {
    fn new(fingerprint: &str) -> Self {
        Self { fingerprint: fingerprint.to_owned(), provider: ring::default_provider() }
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, RustlsError> {
        let found = fingerprint(certificate);
        if found == self.fingerprint {
            return Ok(ServerCertVerified::assertion());
        }
        Err(RustlsError::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, RustlsError> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, RustlsError> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Returns the URL of a server that gets the user's credentials, which may only travel over TLS.
fn parse_server(url: &str) -> Result<http::Uri, ConnectError> {
    let with_scheme = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    let fail = |why: &str| ConnectError::Server { url: url.to_owned(), why: why.to_owned() };
    let parsed: http::Uri = with_scheme.parse().map_err(|error: http::uri::InvalidUri| fail(&error.to_string()))?;
    match parsed.scheme_str() {
        Some("https") => Ok(parsed),
        _ => Err(fail("it must begin with https://, because the request has your credentials")),
    }
}

/// Returns the certificates in a PEM file, each in DER.
fn authorities(path: &Path) -> Result<Vec<Vec<u8>>, ConnectError> {
    let fail = |why: String| ConnectError::Authorities { path: path.to_owned(), why };
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(path).map_err(|error| fail(error.to_string()))?.collect();
    let found = found.map_err(|error| fail(error.to_string()))?;
    if found.is_empty() {
        return Err(fail("the file has no certificate in PEM".to_owned()));
    }
    Ok(found.into_iter().map(|certificate| certificate.to_vec()).collect())
}

#[cfg(test)]
#[path = "user_test.rs"]
mod tests;
