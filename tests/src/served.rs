//! Requests paths of a process that serves HTTPS with a self-signed certificate.

use anyhow::Result;
use axum::http::Request;
use kube::client::Body;
use kube::config::AuthInfo;

/// Requests `https://ADDRESS PATH` with a token, or without credentials. Returns status and body.
///
/// # Errors
/// Returns an error if nothing is served there.
pub async fn get(address: &str, path: &str, token: Option<&str>) -> Result<(u16, String)> {
    let token = token.map(|token| token.to_owned().into());
    get_with(address, path, AuthInfo { token, ..AuthInfo::default() }).await
}

/// Requests a path as [`get`] does, with other credentials.
///
/// # Errors
/// As [`get`].
pub async fn get_with(address: &str, path: &str, credentials: AuthInfo) -> Result<(u16, String)> {
    let mut config = kube::Config::new(format!("https://{address}").parse()?);
    config.accept_invalid_certs = true;
    config.auth_info = credentials;
    let client = kube::Client::try_from(config)?;
    let answer = client.send(Request::get(path).body(Body::empty())?).await?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect_bytes().await?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
