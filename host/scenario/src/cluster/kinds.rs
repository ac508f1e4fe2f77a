//! The kinds of an API server.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use berth_sim::kinds::KINDS;
use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::discovery::Scope;
use kube::{Api, Client};
use serde_json::Value;

use crate::error::ScenarioError;

/// The namespace of objects that name none.
pub const DEFAULT_NAMESPACE: &str = "default";

/// Finds the kinds that an API server serves.
pub struct Kinds {
    client: Client,
    known: Mutex<HashMap<GroupVersionKind, (ApiResource, bool)>>,
}

impl Kinds {
    /// Returns the kinds of this client's API server.
    pub fn new(client: Client) -> Self {
        Self { client, known: Mutex::default() }
    }

    /// Returns the API of a kind in a namespace, and the namespace. Without an API version, the kind is a built-in one.
    ///
    /// # Errors
    /// The API server does not serve the kind.
    pub async fn api(
        &self,
        api_version: Option<&str>,
        kind: &str,
        namespace: Option<&str>,
    ) -> Result<Api<DynamicObject>, ScenarioError> {
        let gvk = match api_version {
            Some(version) => {
                let (group, version) = version.split_once('/').unwrap_or(("", version));
                GroupVersionKind::gvk(group, version, kind)
            }
            None => built_in(kind)?,
        };
        let (resource, namespaced) = self.resource(&gvk).await?;
        let namespace = namespace.filter(|namespace| !namespace.is_empty()).unwrap_or(DEFAULT_NAMESPACE);
        Ok(match namespaced {
            true => Api::namespaced_with(self.client.clone(), namespace, &resource),
            false => Api::all_with(self.client.clone(), &resource),
        })
    }

    /// Returns the API of an object's kind, in the object's namespace.
    ///
    /// # Errors
    /// The object has no kind, or the API server does not serve it.
    pub async fn api_of(&self, object: &Value) -> Result<Api<DynamicObject>, ScenarioError> {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let missing = |field: &str| ScenarioError::Step(format!("an object has no {field}"));
        let kind = text("/kind").ok_or_else(|| missing("kind"))?;
        let version = text("/apiVersion").ok_or_else(|| missing("apiVersion"))?;
        self.api(Some(version), kind, text("/metadata/namespace")).await
    }

    async fn resource(&self, gvk: &GroupVersionKind) -> Result<(ApiResource, bool), ScenarioError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(gvk) {
            return Ok(found.clone());
        }
        let found = kube::discovery::pinned_kind(&self.client, gvk).await.map_err(|error| {
            let (version, kind) = (gvk.api_version(), &gvk.kind);
            ScenarioError::Step(format!("the API server has no kind {kind} in {version}: {error}"))
        })?;
        let found = (found.0, found.1.scope == Scope::Namespaced);
        known().insert(gvk.clone(), found.clone());
        Ok(found)
    }
}

/// Returns the version of a built-in kind.
fn built_in(kind: &str) -> Result<GroupVersionKind, ScenarioError> {
    let found = KINDS.iter().find(|known| known.kind == kind);
    let unknown = || ScenarioError::Step(format!("{kind} is no built-in kind; give its apiVersion, too"));
    let found = found.ok_or_else(unknown)?;
    Ok(GroupVersionKind::gvk(found.group, found.version, kind))
}
