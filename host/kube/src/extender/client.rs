//! The HTTP client of one extender: its address, its TLS settings, and a call.

use std::time::Duration;

use ::kube::client::Body;
use ::kube::config::{KubeConfigOptions, Kubeconfig};
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::{CallError, ExtenderError};
use berth_config::v1;

/// The default of `httpTimeout` (kube-scheduler's `DefaultExtenderTimeout`).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer that is read, in bytes. 5,000 full nodes take about 100 MB.
const ANSWER_LIMIT: usize = 256 << 20;

/// The path of each verb below `urlPrefix`; empty if the extender does not have the verb.
#[derive(Debug)]
pub(super) struct Verbs {
    pub filter: String,
    pub prioritize: String,
    pub preempt: String,
    pub bind: String,
}

/// A client of one extender.
pub(super) struct Client {
    http: ::kube::Client,
    /// `urlPrefix` without a trailing slash.
    url: String,
    verbs: Verbs,
    timeout: Duration,
    node_cache_capable: bool,
}

impl Client {
    pub async fn new(extender: &v1::Extender) -> Result<Self, ExtenderError> {
        let url = extender.url_prefix.trim_end_matches('/').to_owned();
        check_address(&url)?;
        let tls = |why: String| ExtenderError::Tls { url_prefix: url.clone(), why };
        // Builds the same TLS stack as for the API server, from an equivalent kubeconfig.
        let kubeconfig: Kubeconfig =
            serde_json::from_value(kubeconfig(&url, extender)?).map_err(|error| tls(error.to_string()))?;
        let config = ::kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        let mut config = config.map_err(|error| tls(crate::error_with_causes(&error)))?;
        config.proxy_url = None;
        config.default_retry = false;
        // `timeout` limits the whole call.
        (config.connect_timeout, config.read_timeout, config.write_timeout) = (None, None, None);
        let http = ::kube::Client::try_from(config).map_err(|error| tls(crate::error_with_causes(&error)))?;
        let timeout = Some(extender.http_timeout.0).filter(|timeout| !timeout.is_zero());
        Ok(Self {
            http,
            url,
            verbs: Verbs {
                filter: extender.filter_verb.clone(),
                prioritize: extender.prioritize_verb.clone(),
                preempt: extender.preempt_verb.clone(),
                bind: extender.bind_verb.clone(),
            },
            timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
            node_cache_capable: extender.node_cache_capable,
        })
    }

    pub fn verbs(&self) -> &Verbs {
        &self.verbs
    }

    /// Returns whether the extender receives only node names, because it has its own node cache (`nodeCacheCapable`).
    pub fn is_node_cache_capable(&self) -> bool {
        self.node_cache_capable
    }

    /// Sends the arguments and reads the answer.
    pub async fn call<A: DeserializeOwned>(&self, verb: &str, arguments: &impl Serialize) -> Result<A, CallError> {
        let body =
            serde_json::to_vec(arguments).map_err(|source| CallError::Arguments { verb: verb.to_owned(), source })?;
        let url = || format!("{}/{verb}", self.url);
        let answer = tokio::time::timeout(self.timeout, self.exchange(verb, &url(), body)).await;
        let bytes = answer.map_err(|_| CallError::TimedOut { url: url(), within: self.timeout })??;
        // Bytes after the JSON value are ignored, as Go's decoder does.
        let mut read = serde_json::Deserializer::from_slice(&bytes);
        A::deserialize(&mut read).map_err(|source| CallError::Unreadable { url: url(), source })
    }

    async fn exchange(&self, verb: &str, url: &str, body: Vec<u8>) -> Result<Vec<u8>, CallError> {
        let no_answer = |why: String| CallError::NoAnswer { url: url.to_owned(), why };
        let request = Request::post(format!("/{verb}")).header(CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(body)).map_err(|error| no_answer(error.to_string()))?;
        let answer = self.http.send(request).await.map_err(|error| no_answer(crate::error_with_causes(&error)))?;
        let (head, body) = answer.into_parts();
        if head.status != StatusCode::OK {
            return Err(CallError::Status { verb: verb.to_owned(), url: url.to_owned(), code: head.status });
        }
        let bytes = Limited::new(body, ANSWER_LIMIT).collect().await;
        let broken = |why: String| CallError::Body { url: url.to_owned(), most: ANSWER_LIMIT, why };
        Ok(bytes.map_err(|error| broken(error.to_string()))?.to_bytes().into())
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("url", &self.url).field("verbs", &self.verbs).finish_non_exhaustive()
    }
}

fn check_address(url: &str) -> Result<(), ExtenderError> {
    let wrong = |why: String| ExtenderError::Address { url_prefix: url.to_owned(), why };
    let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| wrong(error.to_string()))?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(()),
        (Some(other), _) if other != "http" && other != "https" => {
            Err(wrong(format!("the protocol {other} is not supported")))
        }
        _ => Err(wrong("it has no host".to_owned())),
    }
}

/// Returns a kubeconfig with the TLS settings of the extender. As in kube-scheduler, the server's certificate is not
/// verified if `insecure` is set, or if `enableHTTPS` is set without a CA.
fn kubeconfig(url: &str, extender: &v1::Extender) -> Result<Value, ExtenderError> {
    let tls = extender.tls_config.clone().unwrap_or_default();
    let has_ca = !tls.ca_file.is_empty() || !tls.ca_data.is_empty();
    let insecure = tls.insecure || (extender.enable_https && !has_ca);
    let wrong = |why: &str| ExtenderError::Tls { url_prefix: url.to_owned(), why: why.to_owned() };
    if insecure && has_ca {
        return Err(wrong("insecure and a CA exclude each other: remove one of them"));
    }
    let (cert, key) =
        (!tls.cert_file.is_empty() || !tls.cert_data.is_empty(), !tls.key_file.is_empty() || !tls.key_data.is_empty());
    if cert != key {
        return Err(wrong("a client's certificate and its key belong together: give both"));
    }
    let text = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    let data = |data: &v1::Data| if data.is_empty() { Value::Null } else { json!(data) };
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "extender",
        "contexts": [{"name": "extender", "context": {"cluster": "extender", "user": "extender"}}],
        "clusters": [{"name": "extender", "cluster": {
            "server": url,
            "insecure-skip-tls-verify": insecure,
            "tls-server-name": text(&tls.server_name),
            "certificate-authority": text(&tls.ca_file),
            "certificate-authority-data": data(&tls.ca_data),
        }}],
        "users": [{"name": "extender", "user": {
            "client-certificate": text(&tls.cert_file),
            "client-certificate-data": data(&tls.cert_data),
            "client-key": text(&tls.key_file),
            "client-key-data": data(&tls.key_data),
        }}],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_invalid_address_or_tls_config_is_refused_at_the_start() {
        let tls = |tls| Some(tls);
        let plain = v1::ExtenderTlsConfig::default;
        for (url, tls_config, expected) in [
            ("127.0.0.1:80", None, "urlPrefix must be http://HOST"),
            ("ftp://host/x", None, "the protocol ftp is not supported"),
            ("/path", None, "it has no host"),
            (
                "https://host",
                tls(v1::ExtenderTlsConfig { insecure: true, ca_file: "ca.pem".into(), ..plain() }),
                "insecure and a CA exclude each other",
            ),
            ("https://host", tls(v1::ExtenderTlsConfig { cert_file: "cert.pem".into(), ..plain() }), "belong together"),
            (
                "https://host",
                tls(v1::ExtenderTlsConfig { ca_file: "nowhere/ca.pem".into(), ..plain() }),
                "nowhere/ca.pem",
            ),
        ] {
            let extender = v1::Extender { url_prefix: url.into(), tls_config, ..v1::Extender::default() };
            let error = Client::new(&extender).await.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(expected) && error.contains(url), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn the_certificate_of_a_server_is_verified_if_a_ca_is_given() {
        let extender =
            |enable_https| v1::Extender { url_prefix: "https://host/".into(), enable_https, ..v1::Extender::default() };
        for (enable_https, insecure) in [(true, true), (false, false)] {
            let config = kubeconfig("https://host", &extender(enable_https)).expect("a kubeconfig");
            assert_eq!(config["clusters"][0]["cluster"]["insecure-skip-tls-verify"], insecure);
            assert_eq!(Client::new(&extender(enable_https)).await.expect("a client").url, "https://host");
        }
    }
}

#[cfg(test)]
#[path = "handshake_test.rs"]
mod handshake_tests;
