//! The pod that this process runs in. The pod's manifest sets the variables from the downward API.

use std::time::Duration;

use ::kube::Client;
use berth_core::model::PodKey;
use bytes::Bytes;
use http::Method;
use serde::Deserialize;

use super::rest::{self, Call, JSON};

/// The time limit of a request.
const DEADLINE: Duration = Duration::from_secs(10);
const ATTEMPTS: u32 = 3;

/// Namespace and name of this process's pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPod {
    namespace: String,
    name: String,
}

/// The part of a pod that holds its uid.
#[derive(Deserialize)]
struct Found {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    uid: Box<str>,
}

impl OwnPod {
    /// Creates a reference to the pod of this namespace and name. Sends no request.
    #[must_use]
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Reads the variables `POD_NAMESPACE` and `POD_NAME`. Returns `None` if one of them is not set or empty.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        Some(Self { namespace: given("POD_NAMESPACE")?, name: given("POD_NAME")? })
    }

    /// Returns the namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the pod's key with its uid. `kubectl describe` finds events by the uid.
    ///
    /// # Errors
    /// The pod can't be read. The text says why.
    pub async fn key(&self, client: &Client) -> Result<PodKey, String> {
        let Self { namespace, name } = self;
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
        let call = Call { method: Method::GET, path, body: Bytes::new(), content_type: JSON };
        let unreadable = |error: String| {
            format!("the pod of this process, {namespace}/{name} (POD_NAMESPACE, POD_NAME), can't be read: {error}")
        };
        let answer = rest::send_again(client, call, DEADLINE, ATTEMPTS).await.map_err(|e| unreadable(e.to_string()))?;
        let found: Found = serde_json::from_slice(&answer).map_err(|e| unreadable(e.to_string()))?;
        Ok(PodKey { namespace: namespace.as_str().into(), name: name.as_str().into(), uid: found.metadata.uid })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_variables_have_to_be_set() {
        for (namespace, name, known) in
            [(Some("ns"), Some("p"), true), (Some("ns"), None, false), (Some(""), Some("p"), false)]
        {
            let variable = |asked: &str| if asked == "POD_NAME" { name } else { namespace }.map(str::to_owned);
            assert_eq!(OwnPod::from_variables(variable).is_some(), known, "{namespace:?}, {name:?}");
        }
    }
}
