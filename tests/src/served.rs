//! Requests paths of a process that serves HTTPS with a self-signed certificate.

use anyhow::Result;
use axum::http::Request;
use kube::client::Body;
use kube::config::AuthInfo;
use serde_json::Value;

/// Requests `https://ADDRESS PATH` with a token, or without credentials. Returns status and body.
///
/// # Errors
/// Returns an error if nothing is served there.
pub async fn get(address: &str, path: &str, token: Option<&str>) -> Result<(u16, String)> {
    get_with(address, path, by_token(token)).await
}

/// Posts a JSON document as [`get`] requests a path.
///
/// # Errors
/// As [`get`].
pub async fn post(address: &str, path: &str, token: Option<&str>, document: &Value) -> Result<(u16, String)> {
    let request = Request::post(path).header("content-type", "application/json");
    send(address, request.body(Body::from(serde_json::to_vec(document)?))?, by_token(token)).await
}

fn by_token(token: Option<&str>) -> AuthInfo {
    AuthInfo { token: token.map(|token| token.to_owned().into()), ..AuthInfo::default() }
}

/// Requests a path as [`get`] does, with other credentials.
///
/// # Errors
/// As [`get`].
pub async fn get_with(address: &str, path: &str, credentials: AuthInfo) -> Result<(u16, String)> {
    send(address, Request::get(path).body(Body::empty())?, credentials).await
}

async fn send(address: &str, request: Request<Body>, credentials: AuthInfo) -> Result<(u16, String)> {
    let mut config = kube::Config::new(format!("https://{address}").parse()?);
    config.accept_invalid_certs = true;
    config.auth_info = credentials;
    let client = kube::Client::try_from(config)?;
    let answer = client.send(request).await?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect_bytes().await?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
