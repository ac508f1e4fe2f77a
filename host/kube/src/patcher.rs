//! Executes the intents of plugins that change objects: patch, create, delete.

use std::sync::Arc;
use std::time::Duration;

use berth_core::intent::{ObjectReference, Patch, PatchType};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::leader_client::LeaderClient;
use super::resources::{Resources, name_of};
use super::rest::{Call, CallError, JSON, MERGE, STRATEGIC_MERGE};

const DEADLINE: Duration = Duration::from_secs(30);
const ATTEMPTS: u32 = 4;

/// The subresource that is created, not patched. The patch of such an intent is the body of the Binding, without
/// apiVersion, kind, name and namespace.
const BINDING: &str = "binding";

/// Patches, creates and deletes objects.
pub(super) struct Patcher {
    client: LeaderClient,
    resources: Arc<Resources>,
}

impl Patcher {
    pub(super) fn new(client: LeaderClient, resources: Arc<Resources>) -> Self {
        Self { client, resources }
    }

    /// Patches the object. The error names the object, the cause, and the remedy if there is one.
    pub(super) async fn patch(&self, patch: &Patch) -> Result<(), String> {
        let named = |why: String| format!("{}: {why}", name_of(&patch.object));
        let call = self.call(patch).await.map_err(named)?;
        let sent = self.client.send_again(call, DEADLINE, ATTEMPTS).await;
        let verb = if &*patch.subresource == BINDING { "create" } else { "patch" };
        sent.map(drop).map_err(|error| named(explain(&error, verb, &patch.subresource)))
    }

    /// Creates the object. `rest` is the object's JSON without apiVersion, kind, name and namespace. If an answer is
    /// lost and the request is repeated, the result may be `AlreadyExists`; the plugin must handle that.
    pub(super) async fn create(&self, object: &ObjectReference, rest: &str) -> Result<(), String> {
        let named = |why: String| format!("{}: {why}", name_of(object));
        let mut body = object_of(rest).map_err(named)?;
        (body["apiVersion"], body["kind"]) = (json!(object.api_version), json!(object.kind));
        set_metadata(&mut body, "name", &object.name);
        if !object.namespace.is_empty() {
            set_metadata(&mut body, "namespace", &object.namespace);
        }
        let path = self.resources.collection(object).await.map_err(named)?;
        let call = Call { method: Method::POST, path, body: body.to_string().into(), content_type: JSON };
        let sent = self.client.send_again(call, DEADLINE, ATTEMPTS).await;
        sent.map(drop).map_err(|error| named(explain(&error, "create", "")))
    }

    /// Deletes the object. Succeeds if no object has this name, or if the intent has a uid and the object has another
    /// uid.
    pub(super) async fn delete(&self, object: &ObjectReference) -> Result<(), String> {
        let named = |why: String| format!("{}: {why}", name_of(object));
        let path = self.resources.path(object, "").await.map_err(named)?;
        let mut body = json!({ "apiVersion": "v1", "kind": "DeleteOptions" });
        if !object.uid.is_empty() {
            body["preconditions"] = json!({ "uid": object.uid });
        }
        let call = Call { method: Method::DELETE, path, body: body.to_string().into(), content_type: JSON };
        match self.client.send_again(call, DEADLINE, ATTEMPTS).await {
            Ok(_) => Ok(()),
            Err(error) if error.is(StatusCode::NOT_FOUND) || error.is(StatusCode::CONFLICT) => Ok(()),
            Err(error) => Err(named(explain(&error, "delete", ""))),
        }
    }

    async fn call(&self, patch: &Patch) -> Result<Call, String> {
        let object = &patch.object;
        let mut body = object_of(&patch.patch)?;
        let path = self.resources.path(object, &patch.subresource).await?;
        if !object.uid.is_empty() {
            set_metadata(&mut body, "uid", &object.uid);
        }
        let (method, content_type) = match &*patch.subresource {
            BINDING => {
                (body["apiVersion"], body["kind"]) = (json!("v1"), json!("Binding"));
                set_metadata(&mut body, "name", &object.name);
                set_metadata(&mut body, "namespace", &object.namespace);
                (Method::POST, JSON)
            }
            _ => match patch.patch_type {
                PatchType::Merge => (Method::PATCH, MERGE),
                PatchType::StrategicMerge => (Method::PATCH, STRATEGIC_MERGE),
            },
        };
        Ok(Call { method, path, body: body.to_string().into(), content_type })
    }
}

fn object_of(text: &str) -> Result<Value, String> {
    let body: Value = serde_json::from_str(text).map_err(|e| format!("the intent's body is not JSON: {e}"))?;
    if body.is_object() { Ok(body) } else { Err("the intent's body is not a JSON object".to_owned()) }
}

/// Sets a field of the metadata. Replaces metadata that is not an object, because a plugin may send any JSON.
fn set_metadata(body: &mut Value, field: &str, value: &str) {
    if !body["metadata"].is_object() {
        body["metadata"] = json!({});
    }
    body["metadata"][field] = json!(value);
}

fn explain(error: &CallError, verb: &str, subresource: &str) -> String {
    let part = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
    if error.is(StatusCode::FORBIDDEN) {
        return format!("{error} (the scheduler's role needs {verb} on it{part})");
    }
    error.to_string()
}
