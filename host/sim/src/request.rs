//! Parses a request's path and query: the resource, object and subresource, and the options.

use std::sync::Arc;

use super::failure::{Failure, Problems, Subject};
use super::kinds::Sub;
use super::resource::Resource;
use super::state::State;

/// The resource or object that a path below `/api` or `/apis` names.
#[derive(Debug, Clone)]
pub struct Target {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The namespace; empty for a cluster-wide kind and for all namespaces.
    pub namespace: String,
    /// The name of the object; `None` for the collection.
    pub name: Option<String>,
    /// The subresource.
    pub sub: Option<Sub>,
}

/// The decoded segments of a path, with the API group and version.
#[derive(Debug, PartialEq, Eq)]
pub struct Address {
    /// The API group; empty for the core group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The segments after the API version.
    pub rest: Vec<String>,
}

impl Address {
    /// Parses a path. Returns `None` for a path without an API version.
    pub fn parse(path: &str) -> Option<Self> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty()).map(decode);
        let (group, version) = match segments.next()?.as_str() {
            "api" => (String::new(), segments.next()?),
            "apis" => (segments.next()?, segments.next()?),
            _ => return None,
        };
        Some(Self { group, version, rest: segments.collect() })
    }

    /// Finds the resource of the address.
    ///
    /// # Errors
    /// 404 if the server has no such resource.
    pub fn target(&self, state: &State) -> Result<Target, Failure> {
        let rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        let find =
            |plural: &str| state.registry.find(&self.group, &self.version, plural).ok_or_else(Failure::no_such_path);
        let (resource, namespace, rest) = match rest.as_slice() {
            ["namespaces", namespace, plural, rest @ ..] if !matches!((*plural, rest), ("status" | "finalize", [])) => {
                (find(plural)?, *namespace, rest)
            }
            [plural, rest @ ..] => (find(plural)?, "", rest),
            [] => return Err(Failure::no_such_path()),
        };
        // An object of a namespaced kind needs a namespace in its path, and an object of a cluster-wide kind must not
        // have one. A list without a namespace covers all namespaces.
        if resource.namespaced == namespace.is_empty() && !(namespace.is_empty() && rest.is_empty()) {
            return Err(Failure::no_such_path());
        }
        let (name, sub) = match rest {
            [] => (None, None),
            [name] => (Some(*name), None),
            [name, sub] => {
                let found = resource.subs.iter().find(|known| known.name() == *sub);
                (Some(*name), Some(*found.ok_or_else(Failure::no_such_path)?))
            }
            _ => return Err(Failure::no_such_path()),
        };
        Ok(Target { namespace: namespace.to_owned(), name: name.map(str::to_owned), sub, resource })
    }
}

/// Decodes percent-encoding. Keeps an invalid encoding unchanged.
fn decode(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The maximum length of the name of a field manager, in bytes.
pub const FIELD_MANAGER_LIMIT: usize = 128;

/// The query parameters of a request.
#[derive(Debug, Default, Clone)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Wraps decoded parameters.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Returns the first value of a parameter, or `None` if it is absent or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns true if the parameter is `true` or `1`.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    /// Returns a parameter as a whole number.
    ///
    /// # Errors
    /// 400 if the value is not a whole number.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        let parse = |text: &str| {
            text.parse().map_err(|_| Failure::bad_request(format!("{name}: {text:?} is not a whole number")))
        };
        self.get(name).map(parse).transpose()
    }

    /// Returns the parameter `fieldManager`.
    ///
    /// # Errors
    /// 422 if the name is too long or has characters that can't be printed.
    pub fn field_manager(&self) -> Result<Option<&str>, Failure> {
        let Some(manager) = self.get("fieldManager") else { return Ok(None) };
        let mut problems = Problems::default();
        if manager.len() > FIELD_MANAGER_LIMIT {
            problems.too_long("fieldManager", FIELD_MANAGER_LIMIT);
        }
        if manager.chars().any(char::is_control) {
            problems.invalid("fieldManager", &manager.into(), "should only contain printable characters");
        }
        match problems.is_empty() {
            true => Ok(Some(manager)),
            false => Err(Failure::invalid(Subject { group: "meta.k8s.io", kind: "Options", name: "" }, &problems)),
        }
    }

    /// Returns true for `dryRun=All`: the server checks the request and writes nothing.
    ///
    /// # Errors
    /// 422 for any other value.
    pub fn dry_run(&self) -> Result<bool, Failure> {
        match self.get("dryRun") {
            None => Ok(false),
            Some("All") => Ok(true),
            Some(other) => {
                let mut problems = Problems::default();
                problems.unsupported("dryRun", other, &["All"]);
                Err(Failure::invalid(Subject { group: "meta.k8s.io", kind: "Options", name: "" }, &problems))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn paths_lead_to_resources() {
        let state = State::new(Options::default());
        for (path, expected) in [
            ("/api/v1/pods", "pods:::"),
            ("/api/v1/namespaces", "namespaces:::"),
            ("/api/v1/namespaces/a", "namespaces::a:"),
            ("/api/v1/namespaces/a/status", "namespaces::a:status"),
            ("/api/v1/namespaces/a/finalize", "namespaces::a:finalize"),
            ("/api/v1/namespaces/a/pods", "pods:a::"),
            ("/api/v1/namespaces/a/pods/p%20q/binding", "pods:a:p q:binding"),
            ("/apis/apps/v1/namespaces/a/deployments/d/scale", "deployments:a:d:scale"),
            ("/api/v1/nodes/n/status", "nodes::n:status"),
            ("/api/v1/nodes/n/scale", "404"),
            ("/api/v1/pods/p", "404"),
            ("/api/v1/namespaces/a/nodes/n", "404"),
            ("/api/v1/namespaces/a/pods/p/status/x", "404"),
            ("/api/v2/pods", "404"),
            ("/apis/apps/v1", "404"),
        ] {
            let found = Address::parse(path).map(|address| address.target(&state));
            let text = match found {
                Some(Ok(t)) => format!(
                    "{}:{}:{}:{}",
                    t.resource.plural,
                    t.namespace,
                    t.name.unwrap_or_default(),
                    t.sub.map_or("", Sub::name)
                ),
                _ => "404".into(),
            };
            assert_eq!(text, expected, "{path}");
        }
    }
}
