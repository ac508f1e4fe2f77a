//! A request's address taken apart: which resource, object and subresource, and the query's options.

use std::sync::Arc;

use super::failure::{Failure, Problems, Subject};
use super::kinds::Sub;
use super::resource::Resource;
use super::state::State;

/// What a path below `/api` or `/apis` addresses.
#[derive(Debug, Clone)]
pub struct Target {
    /// The resource.
    pub resource: Arc<Resource>,
    /// The namespace; empty for a cluster-wide kind, and for all namespaces.
    pub namespace: String,
    /// The object; none for the collection.
    pub name: Option<String>,
    /// What hangs below the object.
    pub sub: Option<Sub>,
}

/// A path's segments after the API version, decoded.
#[derive(Debug, PartialEq, Eq)]
pub struct Address {
    /// The API group; empty for core.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The segments after it.
    pub rest: Vec<String>,
}

impl Address {
    /// Reads a path; none where it is not below an API version.
    pub fn parse(path: &str) -> Option<Self> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty()).map(decode);
        let (group, version) = match segments.next()?.as_str() {
            "api" => (String::new(), segments.next()?),
            "apis" => (segments.next()?, segments.next()?),
            _ => return None,
        };
        Some(Self { group, version, rest: segments.collect() })
    }

    /// Looks up what the address leads to.
    ///
    /// # Errors
    /// 404 where it leads nowhere.
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
        // An object of a namespaced kind is reached through its namespace only, and one of the cluster never.
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

/// Undoes percent-encoding; what is no encoding stays.
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

/// The query's parameters.
#[derive(Debug, Default, Clone)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Takes the parameters as they were decoded.
    pub fn new(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The first value of a parameter; none where it is absent or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// True for `true` and `1`.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    /// A whole number.
    ///
    /// # Errors
    /// 400 where it is none.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        let parse = |text: &str| {
            text.parse().map_err(|_| Failure::bad_request(format!("{name}: {text:?} is not a whole number")))
        };
        self.get(name).map(parse).transpose()
    }

    /// True where nothing is to be written: `dryRun=All`.
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
