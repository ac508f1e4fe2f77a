//! Finds the API path of an object that a plugin names.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::kube::Client;
use ::kube::api::ApiResource;
use ::kube::core::GroupVersionKind;
use berth_core::intent::ObjectReference;

use super::informer::{PATIENCE, explain_client};

/// The capacity of the cache, in kinds. A cluster has far fewer.
const CAPACITY: usize = 1_024;

/// `apiVersion` and `kind`.
type Names = (Box<str>, Box<str>);

/// A cache of discovery results, one per kind.
pub(super) struct Resources {
    client: Client,
    /// The time limit for a discovery request.
    patience: Duration,
    known: Mutex<BTreeMap<Names, ApiResource>>,
}

impl Resources {
    pub(super) fn new(client: Client) -> Self {
        Self { client, patience: PATIENCE, known: Mutex::default() }
    }

    /// Returns the API resource of the object's kind.
    pub(super) async fn of(&self, object: &ObjectReference) -> Result<ApiResource, String> {
        let key = (object.api_version.clone(), object.kind.clone());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let (group, version) = object.api_version.split_once('/').unwrap_or(("", &object.api_version));
        let kind = GroupVersionKind::gvk(group, version, &object.kind);
        let patience = self.patience;
        let answer = tokio::time::timeout(patience, ::kube::discovery::pinned_kind(&self.client, &kind)).await;
        let answer = answer.map_err(|_| {
            format!("API discovery of {} {} failed: no answer within {patience:?}", object.api_version, object.kind)
        })?;
        let (resource, _) = answer.map_err(|e| {
            format!("the API server serves no {} {}: {}", object.api_version, object.kind, explain_client(&e))
        })?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < CAPACITY {
            known.insert(key, resource.clone());
        }
        Ok(resource)
    }

    /// Returns the path of the object or of its subresource.
    pub(super) async fn path(&self, object: &ObjectReference, subresource: &str) -> Result<String, String> {
        if let Some(part) = [&*object.namespace, &*object.name, subresource].into_iter().find(|part| !is_segment(part))
        {
            return Err(format!("{part:?} can't be part of an API path"));
        }
        if object.name.is_empty() {
            return Err("the object has no name".to_owned());
        }
        let collection = self.collection(object).await?;
        Ok(format!("{collection}/{}{}", object.name, part("", subresource)))
    }

    /// Returns the path of the collection that holds the object.
    pub(super) async fn collection(&self, object: &ObjectReference) -> Result<String, String> {
        if !is_segment(&object.namespace) {
            return Err(format!("{:?} can't be part of an API path", object.namespace));
        }
        let resource = self.of(object).await?;
        let base = if resource.group.is_empty() { "/api" } else { "/apis" };
        let namespace = part("/namespaces", &object.namespace);
        Ok(format!("{base}/{}{namespace}/{}", resource.api_version, resource.plural))
    }
}

fn part(before: &str, name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("{before}/{name}") }
}

/// Returns whether the text is safe as a segment of a path. Plugins supply names, and a name must not lead to another
/// path. The API server allows more characters in some names, but none with a meaning in a path.
fn is_segment(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b':');
    part.len() <= 253 && part.bytes().all(plain) && part != "." && part != ".."
}

/// Returns the object's kind and name for messages, such as `PersistentVolumeClaim shop/data`.
pub(super) fn name_of(object: &ObjectReference) -> String {
    let ObjectReference { kind, namespace, name, .. } = object;
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::silent;

    #[tokio::test]
    async fn discovery_without_an_answer_fails() {
        let (client, _) = silent::client();
        let resources = Resources { patience: Duration::from_millis(10), ..Resources::new(client) };
        let object = ObjectReference {
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: "default".into(),
            name: "m".into(),
            uid: "".into(),
        };
        let answer = tokio::time::timeout(Duration::from_secs(30), resources.of(&object)).await;
        let error = answer.expect("discovery ends in time").expect_err("no answer");
        assert_eq!(error, "API discovery of v1 ConfigMap failed: no answer within 10ms");
    }
}
