//! Rejects requests from web pages of other hosts. A web page in the user's browser can send requests to this
//! machine.

use std::net::IpAddr;

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, header};

use crate::failure::Failure;

/// Checks the `Host` and `Origin` of a request.
///
/// # Errors
/// 403 if the `Host` is missing or not a loopback name or address, or if the request has an `Origin` that is not one.
pub fn check(uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
    // HTTP/2 sends the host in the URI.
    let host = text(headers, header::HOST).or_else(|| uri.authority().map(Authority::as_str));
    // A web page whose domain name resolves to 127.0.0.1 sends its own domain name as `Host` (DNS rebinding).
    if !host.is_some_and(is_loopback_host) {
        return Err(Failure::refused("the Host header must name localhost or a loopback address"));
    }
    if headers.contains_key(header::ORIGIN) && !text(headers, header::ORIGIN).is_some_and(is_loopback_origin) {
        return Err(Failure::refused("web pages of other hosts may not use this server"));
    }
    Ok(())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn is_loopback_host(host: &str) -> bool {
    host.parse().is_ok_and(is_loopback)
}

fn is_loopback_origin(origin: &str) -> bool {
    origin.parse::<Uri>().ok().and_then(|uri| uri.authority().cloned()).is_some_and(is_loopback)
}

fn is_loopback(authority: Authority) -> bool {
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(headers: &[(header::HeaderName, &str)]) -> u16 {
        let headers: HeaderMap = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        check(&Uri::from_static("/api"), &headers).map_or_else(|failure| failure.code, |()| 200)
    }

    #[test]
    fn other_hosts_and_origins_are_rejected() {
        for (host, expected) in [
            ("localhost", 200),
            ("LocalHost:8080", 200),
            ("127.0.0.1:6443", 200),
            ("[::1]:6443", 200),
            ("[::1]", 200),
            ("example.com", 403),
            ("localhost.example.com", 403),
            ("127.0.0.1.example.com:80", 403),
            ("10.0.0.1", 403),
            ("", 403),
        ] {
            assert_eq!(code(&[(header::HOST, host)]), expected, "{host}");
        }
        assert_eq!(code(&[]), 403);
        for (uri, taken) in [("http://localhost/api", true), ("http://example.com/api", false)] {
            assert_eq!(check(&Uri::from_static(uri), &HeaderMap::new()).is_ok(), taken, "{uri}");
        }
        for (origin, expected) in [
            ("http://localhost:3000", 200),
            ("http://127.0.0.1", 200),
            ("https://example.com", 403),
            ("null", 403),
            ("", 403),
        ] {
            assert_eq!(code(&[(header::HOST, "localhost"), (header::ORIGIN, origin)]), expected, "{origin}");
        }
    }
}
