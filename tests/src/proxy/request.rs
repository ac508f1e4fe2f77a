//! The purpose of a request to an API server, derived from its method and URI.

use axum::http::request::Parts;
use axum::http::{Method, Uri};

/// A request's verb and object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestInfo {
    pub(super) method: Method,
    /// The kind in the URI, such as `pods`; empty if the URI names no kind.
    pub(super) plural: String,
    /// The object's name; empty in requests for a whole kind.
    pub(super) name: String,
    pub(super) subresource: String,
    pub(super) watch: bool,
}

impl RequestInfo {
    pub(super) fn from_parts(head: &Parts) -> Self {
        Self::parse(head.method.clone(), &head.uri)
    }

    fn parse(method: Method, uri: &Uri) -> Self {
        let mut parts = uri.path().split('/').filter(|part| !part.is_empty());
        // Skips `api` and a version, or `apis`, a group and a version.
        let before = if parts.next() == Some("apis") { 2 } else { 1 };
        let mut parts = parts.skip(before).peekable();
        let mut plural = parts.next().unwrap_or_default();
        if plural == "namespaces" {
            let namespace = parts.next().unwrap_or_default();
            match parts.next() {
                Some(inside) => plural = inside,
                None => return Self { method, plural: plural.into(), name: namespace.into(), ..Self::default() },
            }
        }
        let name = parts.next().unwrap_or_default().to_owned();
        let subresource = parts.next().unwrap_or_default().to_owned();
        let watch = uri.query().unwrap_or_default().split('&').any(|pair| matches!(pair, "watch=true" | "watch=1"));
        Self { method, plural: plural.to_owned(), name, subresource, watch }
    }

    pub(super) fn is_bind(&self) -> bool {
        self.method == Method::POST && self.plural == "pods" && self.subresource == "binding"
    }

    pub(super) fn is_lease_write(&self) -> bool {
        self.plural == "leases" && [Method::POST, Method::PUT, Method::PATCH].contains(&self.method)
    }

    pub(super) fn is_list(&self) -> bool {
        self.method == Method::GET && !self.watch && !self.plural.is_empty() && self.name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verb_and_object_are_parsed_from_the_uri() {
        let parse = |method, uri: &str| RequestInfo::parse(method, &uri.parse().expect("the URI is valid"));
        let bind = parse(Method::POST, "/api/v1/namespaces/default/pods/p/binding");
        assert!(bind.is_bind() && bind.name == "p", "{bind:?}");
        let renewal = parse(Method::PUT, "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/berth");
        assert!(renewal.is_lease_write() && !renewal.is_bind() && !renewal.is_list(), "{renewal:?}");
        let list = parse(Method::GET, "/apis/storage.k8s.io/v1/csinodes?limit=500");
        assert!(list.is_list() && list.plural == "csinodes", "{list:?}");
        let watch = parse(Method::GET, "/api/v1/pods?watch=true&resourceVersion=7");
        assert!(watch.watch && !watch.is_list() && watch.plural == "pods", "{watch:?}");
        assert_eq!(parse(Method::GET, "/api/v1/namespaces/default").name, "default");
        assert!(!parse(Method::GET, "/version").is_list());
    }
}
