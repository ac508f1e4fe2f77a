//! A client of the admin server with a configurable identity.

use std::net::SocketAddr;

use http::Request;
use kube::Config;
use kube::client::Body;

/// A client that accepts any server certificate.
pub struct Client(kube::Client);

/// A response of the server.
#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

impl Client {
    /// Returns a client without credentials.
    pub fn anonymous(address: SocketAddr) -> Self {
        Self::with(address, |_| {})
    }

    /// Returns a client with the credentials that `set_credentials` writes into the configuration.
    pub fn with(address: SocketAddr, set_credentials: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new(format!("https://{address}").parse().expect("a URL"));
        config.accept_invalid_certs = true;
        set_credentials(&mut config);
        Self(kube::Client::try_from(config).expect("a client"))
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.get_as(path, "*/*").await
    }

    pub async fn get_as(&self, path: &str, accept: &str) -> Answer {
        let request = Request::get(path).header("accept", accept).body(Body::empty()).expect("a request");
        let answer = self.0.send(request).await.expect("an answer");
        let (head, body) = answer.into_parts();
        let content_type = head.headers.get("content-type").map(|value| value.to_str().expect("text").to_owned());
        let body = body.collect_bytes().await.expect("a body").to_vec();
        Answer {
            status: head.status.as_u16(),
            content_type: content_type.unwrap_or_default(),
            body: String::from_utf8(body).expect("text"),
        }
    }
}
